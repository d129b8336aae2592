/** The gate beside an instance refresh: stops it or rolls it back while it runs, and is open again where that failed. */
import { isCancellation } from '@temporalio/workflow';
import { gateId } from '../../contract/ids.ts';
import { refreshNotStopped, stoppingRefresh, stopRefreshGate } from '../../messages/nodes/self-managed.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { Phase } from '../base/phase.ts';
import { idPart } from './refresh-gate.ts';

export type Stopped = 'cancel' | 'roll-back';

/** `over`: why it is not needed any more. undefined: nobody has stopped the refresh. */
export async function offerStop(
  phase: Phase,
  { group, canGoBack }: { group: string; canGoBack: boolean },
  over: () => string | undefined,
): Promise<Stopped | undefined> {
  const { step, round } = phase.input;
  for (let look = 1; over() === undefined; look += 1) {
    const request = {
      id: gateId('blocked', step.id, (round - 1) * 100 + look, idPart(group)),
      step: step.id,
      ...stopRefreshGate(group, canGoBack),
      deadlineMs: phase.timing.askTimeoutMs,
      reminders: false,
    };
    const state = await phase.gates.ask(request, over);
    if (state.kind !== 'decided') return undefined;
    const how = state.decision.choice === 'roll-back' ? 'roll-back' : 'cancel';
    if (await stop(phase, group, how)) return how;
  }
  return undefined;
}

/** false: AWS refuses it, and the refresh goes on. */
async function stop(phase: Phase, group: string, how: Stopped): Promise<boolean> {
  try {
    await phase.activities.quick.stopInstanceRefresh.executeWithOptions({ summary: `Stop the refresh of ${group} (${how})` }, [
      { cluster: phase.cluster, group, how },
    ]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    phase.announcer.note(refreshNotStopped(group, how, messageOf(error)));
    return false;
  }
  phase.now(stoppingRefresh(group, how));
  return true;
}
