/** A Cluster Autoscaler is paused before groups are moved, and resumed on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import type { AutoscalerFact } from '../../../domain/facts/facts.ts';
import { count } from '../../../domain/core/text.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Runs `work` while the autoscaler stands still; undefined: there is none to pause. */
export async function withAutoscalerPaused<T>(phase: Phase, autoscaler: AutoscalerFact | undefined, work: () => Promise<T>): Promise<T> {
  if (autoscaler === undefined) return await work();
  try {
    await (autoscaler.deliveredBy === undefined ? pause(phase, autoscaler) : askToPause(phase, autoscaler));
    return await work();
  } finally {
    await CancellationScope.nonCancellable(async () => {
      if (autoscaler.deliveredBy === undefined) await resume(phase, autoscaler);
      else askToResume(phase, autoscaler);
    });
  }
}

async function pause(phase: Phase, { namespace, name }: AutoscalerFact): Promise<void> {
  const which = `${namespace}/${name}`;
  // An abort between sending and recording must still find it paused, so it is not cancellable.
  const { gone } = await CancellationScope.nonCancellable(() =>
    phase.activities.quick.pauseAutoscaler.executeWithOptions({ summary: `Pause Cluster Autoscaler ${which}` }, [
      { cluster: phase.cluster, namespace, name },
    ]),
  );
  if (gone) return;
  await awaitStop(phase, { namespace, name }, phase.timing.rolloutTimeoutMs);
  phase.announcer.note(`Cluster Autoscaler ${which} is paused until the nodes are moved.`);
}

async function awaitStop(phase: Phase, { namespace, name }: Pick<AutoscalerFact, 'namespace' | 'name'>, timeoutMs: number): Promise<void> {
  const { stopped } = await phase.activities.watch.awaitAutoscaler.executeWithOptions(
    { summary: `Wait until Cluster Autoscaler ${namespace}/${name} stands still` },
    [{ ...phase.target, namespace, name, timeoutMs }],
  );
  if (!stopped) throw phaseFailed(`Pausing Cluster Autoscaler ${namespace}/${name}: it still has replicas`);
}

async function resume(phase: Phase, { namespace, name, replicas }: AutoscalerFact): Promise<void> {
  const which = `${namespace}/${name}`;
  try {
    const back = await phase.activities.owed.resumeAutoscaler.executeWithOptions({ summary: `Resume Cluster Autoscaler ${which}` }, [
      { cluster: phase.cluster, namespace, name },
    ]);
    if (back.changedByOthers) {
      const why = `somebody else scaled it to ${count(back.replicas ?? 0, 'replica')} meanwhile, so it was left alone`;
      phase.notRestored({ what: `replicas of ${which}`, why }, `Cluster Autoscaler ${which} had ${count(replicas, 'replica')}: ${why}.`);
    } else if (back.replicas !== undefined) {
      phase.announcer.note(`Cluster Autoscaler ${which} is back at ${count(back.replicas, 'replica')}.`);
    }
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `replicas of ${which}`, why }, `Cluster Autoscaler ${which} could not be resumed: ${why}`);
  }
}

/** GitOps would put the replicas back within minutes. */
async function askToPause(phase: Phase, autoscaler: AutoscalerFact): Promise<void> {
  const { namespace, name, deliveredBy } = autoscaler;
  phase.ask(
    askOf(autoscaler, 0),
    `Please scale Cluster Autoscaler ${namespace}/${name} to 0 replicas through ${deliveredBy}: it would remove nodes while they are replaced. Belay continues once it stands still.`,
  );
  await awaitStop(phase, autoscaler, phase.timing.askTimeoutMs);
}

function askToResume(phase: Phase, autoscaler: AutoscalerFact): void {
  const { namespace, name, replicas, deliveredBy } = autoscaler;
  phase.announcer.note(
    `Please scale Cluster Autoscaler ${namespace}/${name} back to ${count(replicas, 'replica')} through ${deliveredBy}.`,
    {
      ask: askOf(autoscaler, replicas),
    },
  );
}

function askOf({ namespace, name, deliveredBy = 'argocd' }: AutoscalerFact, replicas: number) {
  return {
    component: 'cluster-autoscaler' as const,
    name: `${namespace}/${name}`,
    version: count(replicas, 'replica'),
    managedBy: deliveredBy,
  };
}
