/** A managed node group's update, watched to its end. Nobody can stop one, so one that takes long is watched on, and people are asked beside the watch. */
import { CancellationScope } from '@temporalio/workflow';
import { actorName } from '../../../domain/gates/actor.ts';
import type { Decision } from '../../../domain/gates/gate.ts';
import type { UpdateOutcome } from '../../../activities/contract/eks.ts';
import { gateId } from '../../contract/ids.ts';
import { paramsOf } from '../../contract/phase.ts';
import { slowUpdateEnded, slowUpdateGate, stillUpdating, updateLeft } from '../../messages/nodes/slow-update.ts';
import type { Phase } from '../base/phase.ts';
import { watchToEnd } from '../eks/eks-update.ts';
import { idPart } from './refresh-gate.ts';

interface Watched {
  name: string;
  updateId: string;
  to: string;
}

/** `Left`: people go on without it, and EKS goes on by itself. */
export async function watchNodeGroup(phase: Phase, watched: Watched): Promise<UpdateOutcome | { status: 'Left' }> {
  const startedAtMs = Date.now();
  const { name, updateId } = watched;
  let outcome = await watch(phase, watched);
  for (let look = 1; outcome.status === 'TimedOut'; look += 1) {
    const elapsedMs = Date.now() - startedAtMs;
    if (CancellationScope.current().consideredCancelled) {
      phase.announcer.note(updateLeft(name, updateId));
      return outcome;
    }
    phase.now(stillUpdating(name, elapsedMs));
    const { ended, decision } = await askBeside(phase, watched, { look, elapsedMs, roll: outcome.roll });
    if (ended !== undefined) return ended;
    if (decision?.choice === 'leave') {
      const { actor, reason = '' } = decision;
      phase.skip({ what: `node group ${name}`, by: actorName(actor), reason, nodeGroups: [name] });
      phase.announcer.note(updateLeft(name, updateId));
      return { status: 'Left' };
    }
    outcome = await watch(phase, watched);
  }
  return outcome;
}

function watch(phase: Phase, { name, updateId, to }: Watched, isLeft?: () => boolean): Promise<UpdateOutcome> {
  const { nodeGroupTimeoutMs: timeoutMs } = phase.timing;
  const summary = `Wait for node group ${name}`;
  return watchToEnd(phase, { resource: { kind: 'node-group', name }, updateId, to, timeoutMs, summary }, isLeft);
}

/** `ended`: the update is over, whatever was decided. Neither: nobody has decided in time, which changes nothing of what EKS does. */
async function askBeside(
  phase: Phase,
  watched: Watched,
  slow: { look: number; elapsedMs: number; roll: UpdateOutcome['roll'] },
): Promise<{ ended?: UpdateOutcome; decision?: Decision }> {
  const { name, updateId } = watched;
  const { look, ...seen } = slow;
  const { step, round } = phase.input;
  const beside = watchBeside(phase, watched);
  let decision: Decision | undefined;
  try {
    const state = await phase.gates.ask(
      {
        id: gateId('blocked', step.id, (round - 1) * 100 + look, idPart(name)),
        step: step.id,
        ...slowUpdateGate({
          ...watched,
          ...seen,
          againMs: phase.timing.nodeGroupTimeoutMs,
          at: new Date().toISOString(),
          autoscaler: paramsOf(phase.input, 'node-groups').autoscaler !== undefined,
        }),
      },
      beside.why,
    );
    if (state.kind === 'decided') decision = state.decision;
  } catch (error) {
    // Aborted: whoever does that now knows that the update takes long, and does not wait for it.
    phase.announcer.note(updateLeft(name, updateId));
    throw error;
  } finally {
    await beside.stop();
  }
  const ended = beside.outcome();
  if (ended !== undefined) return { ended };
  return decision === undefined ? {} : { decision };
}

/** As long as people are asked, however often its time is over. `outcome`: undefined while it runs; throws what the watch has thrown. */
function watchBeside(phase: Phase, watched: Watched) {
  const { name } = watched;
  const seen: { isOver: boolean; ended?: UpdateOutcome; problem?: unknown } = { isOver: false };
  const watching = (async () => {
    do {
      const outcome = await watch(phase, watched, () => seen.isOver);
      if (outcome.status !== 'TimedOut') seen.ended = outcome;
    } while (!seen.isOver && seen.ended === undefined);
  })().catch((error: unknown) => void (seen.problem = error));
  return {
    why: (): string | undefined => {
      if (seen.problem !== undefined) return slowUpdateEnded(name, 'unwatched');
      return seen.ended && slowUpdateEnded(name, seen.ended.status === 'Successful' ? 'Successful' : 'failed');
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
