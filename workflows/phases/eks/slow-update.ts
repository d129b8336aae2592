/** An EKS update, watched to its end. Nobody can stop one, so one that takes long is watched on, and people are asked beside the watch. */
import type { Decision } from '../../../domain/gates/gate.ts';
import { gateId } from '../../contract/ids.ts';
import type { GateText } from '../../messages/note.ts';
import { slowUpdateEnded, slowUpdateGate, stillUpdating, updateIsSlow, updateLeft } from '../../messages/eks/slow-update.ts';
import type { Phase } from '../base/phase.ts';
import { type Watched, watchToEnd } from './eks-update.ts';
import type { UpdateOutcome } from '../../../activities/contract/eks.ts';

interface Slow<T> {
  /** "node group general" */
  what: string;
  /** Of the gate's id: without #. */
  detail: string;
  /** What is known of it. `at`: ISO 8601, now. */
  lines: (outcome: UpdateOutcome, at: string) => string[];
  /** At the gate, beside Wait. */
  other: GateText['choices'][number];
  /** People go on without it, and EKS goes on by itself. */
  left?: (decision: Decision) => T;
}

/** Throws where people end the run instead. */
export async function watchSlow<T = never>(phase: Phase, watched: Watched, slow: Slow<T>): Promise<UpdateOutcome | T> {
  const startedAtMs = Date.now();
  const { what } = slow;
  let outcome = await watchToEnd(phase, watched);
  for (let look = 1; outcome.status === 'TimedOut'; look += 1) {
    const elapsedMs = Date.now() - startedAtMs;
    if (phase.isStopping) {
      phase.announcer.note(updateLeft(what, watched.updateId));
      return outcome;
    }
    phase.now(stillUpdating(what, elapsedMs));
    const { ended, decision } = await askBeside(phase, watched, slow, { look, elapsedMs, outcome });
    if (ended !== undefined) return ended;
    if (decision?.choice === 'abort' || decision?.choice === 'leave') {
      phase.announcer.note(updateLeft(what, watched.updateId));
      if (decision.choice === 'leave' && slow.left !== undefined) return slow.left(decision);
      phase.abort(decision, updateIsSlow(what, elapsedMs));
    }
    outcome = await watchToEnd(phase, watched);
  }
  return outcome;
}

/** `ended`: the update is over, whatever was decided. Neither: nobody has decided in time, which changes nothing of what EKS does. */
async function askBeside<T>(
  phase: Phase,
  watched: Watched,
  { what, detail, lines, other }: Slow<T>,
  { look, elapsedMs, outcome }: { look: number; elapsedMs: number; outcome: UpdateOutcome },
): Promise<{ ended?: UpdateOutcome; decision?: Decision }> {
  const { updateId, timeoutMs } = watched;
  const { step, round } = phase.input;
  const beside = watchBeside(phase, watched, what);
  let decision: Decision | undefined;
  try {
    const state = await phase.gates.ask(
      {
        id: gateId('blocked', step.id, (round - 1) * 100 + look, detail),
        step: step.id,
        ...slowUpdateGate({ what, updateId, elapsedMs, againMs: timeoutMs, lines: lines(outcome, new Date().toISOString()), other }),
      },
      beside.why,
    );
    if (state.kind === 'decided') decision = state.decision;
  } catch (error) {
    // Aborted: whoever does that now knows that the update takes long, and does not wait for it.
    phase.announcer.note(updateLeft(what, updateId));
    throw error;
  } finally {
    await beside.stop();
  }
  const ended = beside.outcome();
  if (ended !== undefined) return { ended };
  return decision === undefined ? {} : { decision };
}

/** As long as people are asked, however often its time is over. `outcome`: undefined while it runs; throws what the watch has thrown. */
function watchBeside(phase: Phase, watched: Watched, what: string) {
  const seen: { isOver: boolean; ended?: UpdateOutcome; problem?: unknown } = { isOver: false };
  const watching = (async () => {
    do {
      const outcome = await watchToEnd(phase, watched, () => seen.isOver);
      if (outcome.status !== 'TimedOut') seen.ended = outcome;
    } while (!seen.isOver && seen.ended === undefined);
  })().catch((error: unknown) => void (seen.problem = error));
  return {
    why: (): string | undefined => {
      if (seen.problem !== undefined) return slowUpdateEnded(what, 'unwatched');
      return seen.ended && slowUpdateEnded(what, seen.ended.status === 'Successful' ? 'Successful' : 'failed');
    },
    stop: async (): Promise<void> => {
      seen.isOver = true;
      await watching;
    },
    outcome: (): UpdateOutcome | undefined => {
      if (seen.problem !== undefined) throw seen.problem;
      return seen.ended;
    },
  };
}
