/** When Belay looks whether clusters are due for a campaign, and where it says so. */
import type { ApprovalPolicy } from '../gates/approvals.ts';
import type { Timing } from './policy.ts';
import type { WeeklyHours, WindowPolicy } from './windows.ts';

export interface ProposalPolicy {
  /** Days and local time of the look. */
  at: Pick<WeeklyHours, 'days' | 'start' | 'timeZone'>;
  /** Slack channel: its id or its name. */
  channel: string;
  /** Clusters that leave standard support within so many days are proposed even where EKS does not offer the target to all of them yet. */
  withinDays: number;
  /** Who may dismiss a proposal. */
  approvals: ApprovalPolicy;
  /** As they hold for all clusters: what one says of its own pace and quiet hours is not said of the others. */
  timing: Timing;
  windows: WindowPolicy;
}
