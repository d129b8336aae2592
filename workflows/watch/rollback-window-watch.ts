/** The clock's eye: for seven days anybody's request for the older version takes the control plane back, a stale apply of Terraform's as well. */
import { CancellationScope, condition } from '@temporalio/workflow';
import type { UnrequestedRollback } from '../../domain/run/unrequested-rollback.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Note } from '../messages/note.ts';
import { unrequestedRollbackSeen } from '../messages/rollback-window.ts';
import { sparseActivities } from '../runtime/activity-proxies.ts';
import type { RollbackWindowInput } from '../contract/messages.ts';
import { isAlive } from '../runtime/signal-if-running.ts';
import { slashOf, type WindowNews } from './rollback-window-voice.ts';

/** Ten minutes of seven days. */
const LOOKS = 1008;
const SHORTEST_MS = 1000;

/** What ended a wait: its time, something new about the control plane, or what people have to know. */
export type WaitEnd = { kind: 'due' } | { kind: 'again' } | { kind: 'tell'; note: Note; news: WindowNews };

export class UnrequestedRollbackWatch {
  /** Updates that people know of. */
  readonly #told: string[] = [];

  async during(
    input: RollbackWindowInput,
    { isMoved, waitMs, summary }: { isMoved: () => boolean; waitMs: number; summary: string },
  ): Promise<WaitEnd> {
    const { cluster, at, upgrade } = input;
    const everyMs = everyMsOf(input);
    const seen: { descent?: UnrequestedRollback } = {};
    const looking = new CancellationScope();
    const looks = looking
      .run(() =>
        sparseActivities(everyMs).awaitUnrequestedRollback.executeWithOptions({ summary: `Does anybody take it back from ${at}?` }, [
          { cluster, at, known: [...this.#told] },
        ]),
      )
      .then(
        (descent) => void (seen.descent = descent),
        // Cancelled, or it may not look: the reminders go on.
        () => undefined,
      );
    await condition(() => isMoved() || seen.descent !== undefined, waitMs, { summary });
    looking.cancel();
    await looks;
    if (isMoved()) return { kind: 'again' };
    const { descent } = seen;
    if (descent === undefined) return { kind: 'due' };
    // Has been told when it began; the clock ends.
    if (this.#told.includes(idOf(descent))) return { kind: 'again' };
    // Whoever holds the cluster's lock goes back itself, or tells its own thread.
    if (await isAlive(upgrade.workflowId)) {
      await condition(isMoved, everyMs, { summary: 'A run is at it' });
      return { kind: 'again' };
    }
    this.#told.push(idOf(descent));
    const { to: backTo, updateId } = descent;
    const note = unrequestedRollbackSeen(cluster, descent, slashOf(input));
    return { kind: 'tell', note, news: { what: 'unrequested', backTo, ...defined({ updateId }) } };
  }
}

const idOf = ({ updateId = '' }: UnrequestedRollback): string => updateId;

const everyMsOf = ({ policy: { timing } }: RollbackWindowInput): number =>
  Math.max(SHORTEST_MS, timing.pollMaxMs, timing.rollbackWindowMs / LOOKS);
