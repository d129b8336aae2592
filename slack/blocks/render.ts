/** Any notification as a message. */
import type { MessageNotification, PublishInput } from '../../domain/run/notifications.ts';
import { boardBlocks } from './board.ts';
import { bundleBlocks } from './campaigns/bundle.ts';
import { campaignBlocks, ringBlocks } from './campaigns/campaign.ts';
import { checkBlocks } from './check.ts';
import type { Rendered } from './kit/elements.ts';
import { forecastBlocks } from './forecast.ts';
import { gateBlocks, reminderBlocks } from './gate.ts';
import { noteBlocks } from './note.ts';
import { paceBlocks } from './pace.ts';
import { planBlocks } from './plan.ts';
import { proposalBlocks } from './campaigns/proposal.ts';
import { reportBlocks } from './report.ts';

export function render(input: PublishInput<MessageNotification>, options: { nowMs: number; namespace?: string }): Rendered {
  const { notification, upgrade } = input;
  switch (notification.kind) {
    case 'board':
      return boardBlocks({ ...notification, namespace: options.namespace }, options.nowMs);
    case 'plan':
      return planBlocks(notification.plan, { ...notification, health: [] });
    case 'gate': {
      const gate = { ...notification, run: upgrade.runId };
      // The gate's own message keeps its buttons, whatever it is published for.
      const own = input.key === `gate/${notification.state.gate.id}`;
      return notification.reminder === true && !own ? reminderBlocks(gate) : gateBlocks(gate);
    }
    case 'note':
      return noteBlocks(notification);
    case 'pace':
      return paceBlocks(notification.pace, upgrade.runId);
    case 'report':
      return reportBlocks(notification.report, notification.notes);
    case 'campaign':
      return campaignBlocks(notification.view);
    case 'proposal':
      return proposalBlocks(notification.known, upgrade.runId);
    case 'ring':
      return ringBlocks(notification.ring);
    case 'bundle':
      return bundleBlocks(notification.view);
    case 'check':
      return checkBlocks(notification.check, upgrade.runId);
    case 'forecast':
      return forecastBlocks(notification.forecast);
  }
}
