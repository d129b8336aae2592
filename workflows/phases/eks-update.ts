/** What every phase that goes through an EKS update shares: the clock, adopting what others start, watching to the end, and how one ended. */
import { CancellationScope } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/common';
import type { StartedUpdate, UpdateOutcome, UpdateResource } from '../../activities/contract.ts';
import { type Phase, phaseFailed } from '../phase.ts';

/** EKS's own time, ISO 8601: updates that began before it are none of this step's. */
export async function readEksClock(phase: Phase): Promise<string> {
  const clock = await phase.activities.quick.readClock.executeWithOptions({ summary: "Read EKS's clock" }, [{ cluster: phase.cluster }]);
  return clock.eks;
}

/** Waits until EKS lists the update that somebody else was asked to start. */
export async function adoptForeign(
  phase: Phase,
  of: { resource: UpdateResource; to: string; notBefore: string; summary: string; waitingFor: string },
): Promise<StartedUpdate> {
  const { resource, to, notBefore, summary, waitingFor } = of;
  const found = await phase.activities.watch.awaitForeignUpdate.executeWithOptions({ summary }, [
    { ...phase.target, resource, to, notBefore },
  ]);
  if (found.timedOut) throw phaseFailed(`Waiting for ${waitingFor}: EKS lists no such update`);
  return found;
}

/** Nobody can stop an EKS update, so nobody stops watching it: not an abort, not a cancellation. */
export function watchToEnd(
  phase: Phase,
  of: { resource: UpdateResource; updateId: string; to: string; timeoutMs: number; summary: string },
): Promise<UpdateOutcome> {
  const { summary, ...update } = of;
  return CancellationScope.nonCancellable(() =>
    phase.activities.watch.awaitUpdate.executeWithOptions({ summary }, [{ ...phase.target, ...update }]),
  );
}

/** `what` is the start of a sentence, e.g. "EKS update 1a2b to 1.33". */
export function endedBadly(what: string, { status, errors }: UpdateOutcome): ApplicationFailure {
  const lines = errors.map(({ code, message, resourceIds }) => {
    const where = resourceIds.length > 0 ? ` (${resourceIds.slice(0, 3).join(', ')})` : '';
    return `${code}: ${message}${where}`;
  });
  return phaseFailed(`${what} ended ${status}${lines[0] === undefined ? '' : `: ${lines[0]}`}`, [
    { title: 'EKS says', lines: lines.slice(0, 5) },
  ]);
}
