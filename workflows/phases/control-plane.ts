/** The control plane, one minor. Adopts what already runs; where Terraform owns the version it asks and watches, and needs nothing of Terraform's own run. */
import { CancellationScope } from '@temporalio/workflow';
import type { StartedUpdate, UpdateOutcome } from '../../activities/contract.ts';
import { paramsOf, Phase, phaseFailed, type PhaseInput, type PhaseResult } from '../phase.ts';

export async function controlPlane(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { from, to, managedBy } = paramsOf(input, 'control-plane');
    const clock = await phase.activities.quick.readClock.executeWithOptions({ summary: "Read EKS's clock" }, [{ cluster: phase.cluster }]);
    const started = managedBy === 'terraform' ? await foreign(phase, from, to, clock.eks) : await own(phase, from, to, clock.eks);
    if (started.updateId === undefined) return { summary: `The control plane is at ${to} already` };
    const { updateId } = started;
    phase.now(
      `EKS update \`${updateId}\` (${started.adopted ? 'adopted' : 'started'}) moves the control plane ${from} → ${to}. It cannot be stopped.`,
    );
    phase.announcer.note(
      `Control plane ${from} → ${to}: EKS update \`${updateId}\` ${started.adopted ? 'was already running and is adopted' : 'has started'}.`,
    );
    // Nobody can stop it, so nobody stops watching it: not an abort, not a cancellation.
    const outcome = await CancellationScope.nonCancellable(() => finish(phase, updateId, to));
    if (outcome.status !== 'Successful') throw failed(updateId, to, outcome);
    return {
      summary: `Control plane at ${to} (update ${updateId})`,
      evidence: [{ title: 'Control plane', lines: [`EKS update ${updateId} successful`] }],
    };
  });
}

/** Look, adopt or start. An abort between sending and recording must not lose the update, so it is not cancellable. */
function own(phase: Phase, from: string, to: string, notBefore: string): Promise<StartedUpdate> {
  return CancellationScope.nonCancellable(() =>
    phase.activities.quick.startControlPlaneUpdate.executeWithOptions({ summary: `Start or adopt the update to ${to}` }, [
      { cluster: phase.cluster, to, token: phase.token('UpdateClusterVersion', phase.cluster.name), notBefore },
    ]),
  );
}

async function foreign(phase: Phase, from: string, to: string, notBefore: string): Promise<StartedUpdate> {
  phase.ask(
    { component: 'control-plane', name: phase.cluster.name, version: to, managedBy: 'terraform' },
    `Please apply the Terraform change \`version = "${to}"\` (now ${from}) for cluster ${phase.cluster.name}. ` +
      'Belay adopts the update as soon as EKS lists it and goes on even if the apply hangs or its log is lost.',
  );
  const found = await phase.activities.watch.awaitForeignUpdate.executeWithOptions({ summary: `Wait until EKS lists an update to ${to}` }, [
    { ...phase.target, resource: { kind: 'cluster' }, to, notBefore },
  ]);
  if (found.timedOut) throw phaseFailed(`Waiting for the Terraform apply of ${to}: EKS lists no such update`);
  return found;
}

function finish(phase: Phase, updateId: string, to: string): Promise<UpdateOutcome> {
  return phase.activities.watch.awaitUpdate.executeWithOptions({ summary: `Wait for EKS update ${updateId}` }, [
    { ...phase.target, resource: { kind: 'cluster' }, updateId, to, timeoutMs: phase.timing.controlPlaneTimeoutMs },
  ]);
}

function failed(updateId: string, to: string, outcome: UpdateOutcome): Error {
  const lines = outcome.errors.map(
    (e) => `${e.code}: ${e.message}${e.resourceIds.length > 0 ? ` (${e.resourceIds.slice(0, 3).join(', ')})` : ''}`,
  );
  return phaseFailed(`EKS update ${updateId} to ${to} ended ${outcome.status}${lines[0] === undefined ? '' : `: ${lines[0]}`}`, [
    { title: 'EKS says', lines: lines.slice(0, 5) },
  ]);
}
