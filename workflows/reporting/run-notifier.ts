/** How a run speaks: its board and thread in Slack, its current details in Temporal UI. */
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Notification } from '../../domain/run/notifications.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { UpgradeReport, UpgradeState } from '../../domain/run/record/status.ts';
import type { Note } from '../messages/note.ts';
import { Announcer, type Pending } from './announcer.ts';
import { runDetails } from './current-details.ts';
import { Elsewhere } from './elsewhere.ts';
import { Publisher } from './publisher.ts';
import { quieted } from './quiet.ts';
import type { UpgradeProgress } from './progress.ts';

/** How long the end of a run may wait until Slack has its last words. */
const LAST_WORDS_MS = 60_000;

export class RunNotifier {
  readonly #progress: UpgradeProgress;
  #started:
    | {
        announcer: Announcer;
        deliver: (pending: Pending) => void;
        publisher: Publisher | undefined;
        elsewhere: Elsewhere | undefined;
        policy: UpgradePolicy;
      }
    | undefined;
  /** At the end: shown instead of the progress. */
  report: UpgradeReport | undefined;

  constructor(progress: UpgradeProgress) {
    this.#progress = progress;
  }

  /** Before this nothing but Temporal UI is told: where to speak stands in the policy. */
  start(policy: UpgradePolicy, stamped: (notification: Notification) => Notification): Announcer {
    const stamp = policy.quiet === true ? (notification: Notification) => quieted(stamped(notification)) : stamped;
    const { workflowId, runId } = workflowInfo();
    const { channel, stakeholders, timing, windows } = policy;
    const to = { upgrade: { workflowId, runId }, stakeholders, boardEditMs: timing.boardEditMs, quietHours: windows?.quietHours, stamp };
    const publisher = channel === undefined ? undefined : new Publisher({ ...to, channel });
    publisher?.start();
    const elsewhere = Elsewhere.of(policy, to.upgrade);
    const deliver = ({ key, notification }: Pending): void => {
      publisher?.put({ key, notification });
      elsewhere?.put({ key, notification: stamp(notification) });
    };
    const announcer = new Announcer({ notePrefix: 'run', deliver });
    this.#started = { announcer, deliver, publisher, elsewhere, policy };
    return announcer;
  }

  say(state: UpgradeState, headline: string): void {
    this.#progress.say(state, headline);
    this.board();
  }

  /** One message of its own; a newer one under the same key replaces it. */
  tell(key: string, notification: Notification): void {
    this.#started?.deliver({ key, notification });
  }

  note(note: Note): void {
    this.#started?.announcer.note(note);
  }

  board(): void {
    setCurrentDetails(runDetails(this.report ?? { status: this.#progress.status }));
    if (this.#started === undefined) return;
    const { policy } = this.#started;
    const status = JSON.parse(JSON.stringify(this.#progress.status)) as UpgradeReport['status'];
    this.tell('board', {
      kind: 'board',
      status,
      temporalUi: policy.temporalUi,
      approvers: [...policy.approvals.groups, ...policy.approvals.users],
    });
  }

  /** Delivers what is left, now or later. */
  async finish(): Promise<void> {
    const { publisher, elsewhere } = this.#started ?? {};
    await publisher?.close(LAST_WORDS_MS);
    // Afterwards: what a guard that stays tells while Slack is waited for is an event, too.
    await elsewhere?.close(LAST_WORDS_MS);
  }
}
