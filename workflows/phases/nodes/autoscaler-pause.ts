/** Cluster Autoscalers are paused before groups are moved, and resumed on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import { type AutoscalerFact, eachAutoscaler } from '../../../domain/facts/facts.ts';
import {
  autoscalerLeftAlone,
  autoscalerNotResumed,
  autoscalerPaused,
  autoscalerResumed,
  autoscalerScaledByOthers,
  pauseAutoscaler,
  resumeAutoscaler,
} from '../../messages/nodes/nodes.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Runs `work` while the autoscaler, and every other beside it, is paused; undefined: there is none to pause. */
export async function withAutoscalerPaused<T>(phase: Phase, autoscaler: AutoscalerFact | undefined, work: () => Promise<T>): Promise<T> {
  const all = autoscaler === undefined ? [] : eachAutoscaler(autoscaler);
  return await all.reduceRight((inner, each) => () => withOnePaused(phase, each, inner), work)();
}

async function withOnePaused<T>(phase: Phase, autoscaler: AutoscalerFact, work: () => Promise<T>): Promise<T> {
  try {
    await (autoscaler.deliveredBy === undefined ? pause(phase, autoscaler) : askToPause(phase, autoscaler));
    return await work();
  } finally {
    await CancellationScope.nonCancellable(async () => {
      if (autoscaler.deliveredBy === undefined) await resume(phase, autoscaler);
      else phase.ask(resumeAutoscaler(autoscaler));
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
  phase.announcer.note(autoscalerPaused({ namespace, name }));
}

async function awaitStop(phase: Phase, { namespace, name }: Pick<AutoscalerFact, 'namespace' | 'name'>, timeoutMs: number): Promise<void> {
  const { stopped } = await phase.activities.watch.awaitAutoscaler.executeWithOptions(
    { summary: `Wait until Cluster Autoscaler ${namespace}/${name} stands still` },
    [{ ...phase.target, namespace, name, timeoutMs }],
  );
  if (!stopped) throw phaseFailed(`Pausing Cluster Autoscaler ${namespace}/${name}: it still has replicas`);
}

async function resume(phase: Phase, autoscaler: AutoscalerFact): Promise<void> {
  const { namespace, name } = autoscaler;
  const which = `${namespace}/${name}`;
  try {
    const back = await phase.activities.owed.resumeAutoscaler.executeWithOptions({ summary: `Resume Cluster Autoscaler ${which}` }, [
      { cluster: phase.cluster, namespace, name },
    ]);
    if (back.changedByOthers) {
      const replicas = back.replicas ?? 0;
      phase.notRestored(
        { what: `replicas of ${which}`, why: autoscalerScaledByOthers(replicas) },
        autoscalerLeftAlone(autoscaler, replicas),
      );
    } else if (back.replicas !== undefined) {
      phase.announcer.note(autoscalerResumed(autoscaler, back.replicas));
    }
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `replicas of ${which}`, why }, autoscalerNotResumed(autoscaler, why));
  }
}

/** GitOps would put the replicas back within minutes. */
async function askToPause(phase: Phase, autoscaler: AutoscalerFact): Promise<void> {
  phase.ask(pauseAutoscaler(autoscaler));
  await awaitStop(phase, autoscaler, phase.timing.askTimeoutMs);
}
