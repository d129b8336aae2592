/** What those who only look on are told: a run has started, it needs people, it has finished. One line each, and nobody is mentioned. */
import type { GateState } from '../../domain/gates/gate.ts';
import type { PublishInput } from '../../domain/run/notifications.ts';
import type { UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import { duration } from '../../domain/core/text.ts';
import { boardTitle } from './board.ts';
import { message, type Rendered, sections } from './kit/elements.ts';
import { labelOf } from './gate.ts';
import { OUTCOMES } from './report.ts';
import { link, mrkdwn } from './kit/text.ts';
import { when } from './kit/time.ts';
import { clusterNameOf } from '../../workflows/contract/ids.ts';
import { actorName } from '../../domain/gates/actor.ts';
import {
  stakeholdersAsked,
  stakeholdersDecided,
  stakeholdersExpired,
  stakeholdersFinished,
  stakeholdersStarted,
  stakeholdersWithdrawn,
} from '../messages/run.ts';

export interface StakeholderMessage {
  key: string;
  /** Of the message in the thread, for a link. */
  line: (url: string | undefined) => string;
  /** A message that is there is edited; one that is not is not posted for it. */
  editsOnly: boolean;
}

/** undefined: nothing that concerns them. */
export function stakeholderMessage({ upgrade, key, notification }: PublishInput): StakeholderMessage | undefined {
  switch (notification.kind) {
    case 'board':
      return hasBegun(notification.status) && notification.quiet !== true ? started(notification.status) : undefined;
    case 'gate':
      // Reminders stay in the thread.
      return key === `gate/${notification.state.gate.id}` ? needsYou(notification.state, upgrade.workflowId) : undefined;
    case 'report':
      // What was refused had not begun.
      return notification.report.outcome === 'refused' || notification.quiet === true ? undefined : finished(notification.report);
    default:
      return undefined;
  }
}

export function stakeholderBlocks(what: StakeholderMessage, url: string | undefined): Rendered {
  const text = what.line(url);
  return message(text, sections([text]));
}

/** There is a plan, and it has not ended. */
function hasBegun({ from, state, endedAt }: UpgradeStatus): boolean {
  return from !== undefined && endedAt === undefined && state !== 'planning' && state !== 'refused';
}

function started(status: UpgradeStatus): StakeholderMessage {
  const expectedMs = status.steps.reduce((sum, step) => sum + step.expectedMs, 0);
  const work = expectedMs > 0 ? duration(expectedMs) : undefined;
  const who = mrkdwn(actorName(status.requestedBy), 80);
  return {
    key: 'stakeholders/started',
    editsOnly: false,
    line: (url) => `${stakeholdersStarted(mrkdwn(boardTitle(status), 200), { person: who, work })}${more(url, 'Follow it')}`,
  };
}

function needsYou(state: GateState, workflowId: string): StakeholderMessage {
  const { gate } = state;
  const cluster = mrkdwn(clusterNameOf(workflowId), 100);
  const title = mrkdwn(gate.title, 200);
  const text = ((): string => {
    switch (state.kind) {
      case 'open':
        return stakeholdersAsked(cluster, title, when(gate.expiresAt));
      case 'decided':
        return stakeholdersDecided(cluster, {
          title,
          choice: labelOf(gate, state.decision.choice),
          person: mrkdwn(actorName(state.decision.actor), 80),
        });
      case 'expired':
        return stakeholdersExpired(cluster, title);
      case 'withdrawn':
        return stakeholdersWithdrawn(cluster, title, mrkdwn(state.why, 200));
    }
  })();
  return { key: `stakeholders/gate/${gate.id}`, editsOnly: state.kind !== 'open', line: (url) => `${text}${more(url, 'See it')}` };
}

function finished({ status, outcome }: UpgradeReport): StakeholderMessage {
  const tookMs = Date.parse(status.endedAt ?? '') - Date.parse(status.startedAt);
  const run = `${OUTCOMES[outcome]}: ${mrkdwn(boardTitle(status), 200)}`;
  const text = stakeholdersFinished(run, {
    headline: mrkdwn(status.headline, 300),
    took: Number.isNaN(tookMs) ? undefined : duration(tookMs),
  });
  return {
    key: 'stakeholders/finished',
    editsOnly: false,
    line: (url) => `${text}${more(url, 'Read the report')}`,
  };
}

function more(url: string | undefined, label: string): string {
  return url === undefined ? '' : ` ${link(url, label)}`;
}
