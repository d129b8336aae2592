/** Freezes drift on every NodePool, or on those of a way back, tells the guards before that they are replaced, and makes what the freeze is for: held AMIs, other node classes. */
import { CancellationScope, CancelledFailure, workflowInfo } from '@temporalio/workflow';
import { freezeTakenOver } from '../../contract/messages.ts';
import { signalIfRunning } from '../../runtime/signal-if-running.ts';
import type { Phase } from '../base/phase.ts';
import type { AmiHold } from './ami-hold.ts';
import type { FreezeHow, FreezePatrol } from './freeze-patrol.ts';
import { driftFrozen } from '../../messages/karpenter/freeze.ts';
import type { NodeClassSwitches } from './node-class-switches.ts';

export interface FreezeParts {
  how: FreezeHow;
  patrol: FreezePatrol;
  switches: NodeClassSwitches;
  hold: AmiHold;
  /** Told as soon as it is known: the minor of the control plane before the run moves it. */
  before: (controlPlane: string) => void;
}

/** A beginning that can be called off; one that is over cannot. */
export class FreezeBeginning {
  #scope: CancellationScope | undefined;

  /** Throws a cancellation where it is called off. */
  async run(phase: Phase, parts: FreezeParts): Promise<void> {
    this.#scope = new CancellationScope();
    try {
      await this.#scope.run(() => beginFreeze(phase, parts));
    } finally {
      this.#scope = undefined;
    }
  }

  callOff(): void {
    this.#scope?.cancel();
  }
}

async function beginFreeze(phase: Phase, { how, patrol, switches, hold, before }: FreezeParts): Promise<void> {
  const skew = await phase.activities.survey.readSkew.executeWithOptions({ summary: 'Read versions before the freeze' }, [
    { cluster: phase.cluster },
  ]);
  const controlPlane = phase.input.instead?.controlPlaneBefore ?? skew.controlPlane;
  before(controlPlane);
  const guard = workflowInfo().workflowId;
  const which = how.onlyPools === undefined ? 'every NodePool' : 'the NodePools of the plan';
  // Cut off in the middle, some pools would be frozen with nobody to know: so it is finished, then settled.
  const frozen = await CancellationScope.nonCancellable(() =>
    phase.activities.quick.freezeDrift.executeWithOptions({ summary: `Freeze drift on ${which}` }, [
      { cluster: phase.cluster, guard, ...how },
    ]),
  );
  // At the gate about what else it changed: it is undone before anybody counts on it.
  if (phase.isAborting) throw new CancelledFailure('aborted at a gate');
  for (const previous of frozen.previousGuards) {
    if (previous !== guard) await signalIfRunning(previous, freezeTakenOver, { by: guard });
  }
  const pools = frozen.pools.join(', ');
  if (switches.any || hold.any) {
    // Owners may take their time, and the freeze has to stand meanwhile.
    patrol.start();
    await hold.make();
    await switches.make();
  }
  phase.tell({
    state: 'completed',
    freeze: { state: 'frozen', note: pools, controlPlane },
    note: `Frozen: ${pools}`,
  });
  phase.announcer.note(driftFrozen(frozen.pools, how.means));
}
