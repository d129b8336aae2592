/** A freeze whose guard has died and could not be replaced: no further step begins without a decision. */
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { FreezeHold } from './freeze-guard.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { unguardedFreezeGate, unguardedStopped } from '../messages/karpenter/freeze.ts';

/** Returns once a guard holds the freeze, or Go anyway was chosen. */
export async function untilGuarded(freeze: FreezeHold, gates: Pick<Gatekeeper, 'ask'>, step: PlannedStep): Promise<void> {
  for (;;) {
    const lost = await freeze.lost();
    if (lost === undefined) return;
    const state = await gates.ask({
      ...unguardedFreezeGate(step.title, lost),
      id: gateId('unguarded', step.id, freeze.unguardedCount),
      step: step.id,
    });
    const choice = state.kind === 'decided' ? state.decision.choice : undefined;
    if (choice === 'go-anyway') return freeze.forget();
    if (choice !== 'retry') throw new StopRun('stopped', unguardedStopped(step.title));
    await freeze.retry();
  }
}
