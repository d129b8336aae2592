/** A freeze whose guard has died and could not be replaced: no further step begins before people have decided about it. */
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { FreezeHold } from './freeze-guard.ts';
import type { Gatekeeper } from '../gates/gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { StopRun } from '../runtime/stop-run.ts';
import { CHOICES, goAnyway } from '../gates/choices.ts';
import type { GateRequest } from '../gates/gate-request.ts';

/** Returns once somebody guards the freeze, or people go on without. */
export async function untilGuarded(freeze: FreezeHold, gates: Pick<Gatekeeper, 'ask'>, step: PlannedStep): Promise<void> {
  for (;;) {
    const lost = await freeze.lost();
    if (lost === undefined) return;
    const state = await gates.ask(unguardedGate(step, freeze.unguardedCount, lost));
    const choice = state.kind === 'decided' ? state.decision.choice : undefined;
    if (choice === 'go-anyway') return freeze.forget();
    if (choice !== 'retry') throw new StopRun('stopped', `${step.title} did not start: nobody guards the freeze of Karpenter drift`);
    await freeze.retry();
  }
}

function unguardedGate(step: PlannedStep, round: number, why: string): GateRequest {
  return {
    id: gateId('unguarded', step.id, round),
    step: step.id,
    title: `Nobody guards the drift freeze: go on with ${step.title}?`,
    next: 'Retry starts another guard, which adopts the NodePools by their marks.',
    evidence: [
      {
        title: 'What happened',
        lines: [
          `The guard of the freeze has ended, and no other could be started: ${why}`,
          'NodePools keep their budgets as they are; what others revert is not put back.',
        ],
      },
    ],
    undo: 'Nothing has been changed for this step yet.',
    choices: [
      { ...CHOICES.retry, does: 'Starts another guard.' },
      goAnyway('nobody puts the freeze back when it is reverted'),
      CHOICES.abort,
    ],
  };
}
