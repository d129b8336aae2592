/** Control-plane logs that belay.yaml wants, before the first hop. They stay on. */
import { CancellationScope } from '@temporalio/workflow';
import { enableLogs, enablingLogs } from '../../messages/eks/control-plane.ts';
import { Phase } from '../base/phase.ts';
import { endedBadly, watchToEnd } from './eks-update.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** An update that is adopted may be for other logs: then one more is needed, and no third. */
const ATTEMPTS = 3;

export async function controlPlaneLogging(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { types, managedBy } = paramsOf(input, 'control-plane-logging');
    if (managedBy === 'terraform') await foreign(phase);
    else await own(phase);
    return { summary: `Control-plane logs ${types.join(', ')} are on` };
  });
}

async function own(phase: Phase): Promise<void> {
  const { types, at } = paramsOf(phase.input, 'control-plane-logging');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const token = phase.token('UpdateClusterConfig', `logging ${attempt}`);
    // An abort between sending and recording must not lose the update.
    const started = await CancellationScope.nonCancellable(() =>
      phase.activities.quick.startLogging.executeWithOptions({ summary: `Switch on the logs ${types.join(', ')}` }, [
        { cluster: phase.cluster, types, token },
      ]),
    );
    const { updateId, adopted } = started;
    if (updateId === undefined) return;
    phase.now(enablingLogs({ updateId, adopted }));
    const outcome = await watchToEnd(phase, {
      resource: { kind: 'cluster' },
      updateId,
      to: at,
      timeoutMs: phase.timing.addOnTimeoutMs,
      summary: `Wait for EKS update ${updateId}`,
    });
    if (outcome.status !== 'Successful') throw endedBadly(`EKS update ${updateId} of the control-plane logs`, outcome);
  }
  throw phaseFailed(`Switching on the control-plane logs ${types.join(', ')}: EKS reports its updates as Successful, and they are not on`);
}

async function foreign(phase: Phase): Promise<void> {
  const { types } = paramsOf(phase.input, 'control-plane-logging');
  phase.ask(enableLogs(phase.cluster.name, types));
  const { timedOut } = await phase.activities.watch.awaitLogging.executeWithOptions({ summary: `Wait for the logs ${types.join(', ')}` }, [
    { ...phase.target, types },
  ]);
  if (timedOut) throw phaseFailed(`Waiting for the control-plane logs ${types.join(', ')}: nobody has switched them on`);
}
