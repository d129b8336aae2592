/** The control plane, one minor. Adopts what already runs; where Terraform owns the version it asks and watches, and needs nothing of Terraform's own run. */
import { CancellationScope } from '@temporalio/workflow';
import { utcMinute } from '../../../domain/core/text.ts';
import { rollbackClosesAt } from '../../../domain/facts/rollback-window.ts';
import { applyControlPlane, controlPlaneUpdateStarted, controlPlaneUpdating, rollbackOpen } from '../../messages/eks/control-plane.ts';
import { Phase } from '../base/phase.ts';
import { adoptTerraforms, type Blamed, endedBadly, readEksClock } from './eks-update.ts';
import { watchControlPlane } from './watch-control-plane.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { asPhaseFailure } from '../../runtime/phase-failure.ts';
import type { StartedUpdate } from '../../../activities/contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

export async function controlPlane(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { from, to, managedBy } = paramsOf(input, 'control-plane');
    const notBefore = await readEksClock(phase);
    const started = await (managedBy === 'terraform' ? foreign(phase, from, to, notBefore) : own(phase, to, notBefore));
    if (started.updateId === undefined) return { summary: `The control plane is at ${to} already` };
    const { updateId, adopted } = started;
    phase.now(controlPlaneUpdating({ updateId, from, to, adopted }), { update: { updateId, from, to } });
    phase.announcer.note(controlPlaneUpdateStarted({ updateId, from, to, adopted }));
    const outcome = await watchControlPlane(phase, updateId, to);
    // What may still end well is watched beyond the run.
    if (outcome.status !== 'Successful' && outcome.status !== 'TimedOut') phase.tell({ update: null });
    if (outcome.status !== 'Successful') throw endedBadly(`EKS update ${updateId} to ${to}`, outcome, blamed(phase));
    return {
      summary: `Control plane at ${to} (update ${updateId})`,
      evidence: [
        { title: 'Control plane', lines: [`EKS update ${updateId} successful`, ...untilWhen(from, outcome.createdAt)], verdict: 'clear' },
      ],
      ...defined({ movedAt: outcome.createdAt }),
    };
  });
}

function untilWhen(from: string, movedAt: string | undefined): string[] {
  return movedAt === undefined ? [] : [rollbackOpen(from, utcMinute(rollbackClosesAt(movedAt)))];
}

/** Look, adopt or start. An abort between sending and recording must not lose the update, so it is not cancellable. */
async function own(phase: Phase, to: string, notBefore: string): Promise<StartedUpdate> {
  const { name } = phase.cluster;
  const forced = phase.input.mode?.force?.includes(name) === true;
  try {
    return await CancellationScope.nonCancellable(() =>
      phase.activities.quick.startControlPlaneUpdate.executeWithOptions({ summary: `Start or adopt the update to ${to}` }, [
        { cluster: phase.cluster, to, token: phase.token('UpdateClusterVersion', name), notBefore, ...(forced ? { force: true } : {}) },
      ]),
    );
  } catch (error) {
    throw asPhaseFailure(phase.input.step.title, error, blamed(phase));
  }
}

function blamed({ cluster, input }: Phase): Blamed {
  return { resource: { kind: 'cluster', name: cluster.name }, own: paramsOf(input, 'control-plane').managedBy !== 'terraform' };
}

function foreign(phase: Phase, from: string, to: string, notBefore: string): Promise<StartedUpdate> {
  phase.ask(applyControlPlane(phase.cluster.name, { from, to }));
  return adoptTerraforms(phase, { from, to, notBefore, update: 'an update' });
}
