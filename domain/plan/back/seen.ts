/** What a way back is planned from, beside the facts of every plan. */
import type { Insight } from '../../readiness/evidence.ts';
import type { WayBack } from '../../rollback-window.ts';
import type { FargateBack } from './fargate.ts';

export interface SeenForBack {
  back: WayBack;
  /** EKS's own judgement, refreshed; a text: why it could not be read. Absent: not asked, since a refresh takes minutes; the first step asks. */
  insights?: Pick<Insight, 'name' | 'category' | 'status' | 'reason' | 'recommendation'>[] | string;
  /** What is newer on Fargate; a text: why it could not be read. Absent: no node of Fargate is newer. */
  fargate?: FargateBack | string;
}
