/** An istiod with one replica gets a second one before nodes move, or no node under it would drain; put back on every way out. */
import { CancellationScope } from '@temporalio/workflow';
import {
  istiodLeftAlone,
  istiodLowered,
  istiodNotLowered,
  istiodRaised,
  lowerIstiod,
  raiseIstiod,
  replicasChangedByOthers,
} from '../../messages/nodes/nodes.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { LoneIstiod } from '../../../activities/contract/istio-objects.ts';

/** Runs `work` while no istiod is alone. `wanted` undefined: the plan has found none that is. */
export async function withSpareIstiods<T>(phase: Phase, wanted: boolean | undefined, work: () => Promise<T>): Promise<T> {
  if (wanted !== true) return await work();
  const { lone } = await phase.activities.quick.findLoneIstiods.executeWithOptions({ summary: 'Which istiods are alone?' }, [
    { cluster: phase.cluster },
  ]);
  try {
    for (const istiod of lone) await raise(phase, istiod);
    return await work();
  } finally {
    await CancellationScope.nonCancellable(async () => {
      for (const istiod of lone) await lower(phase, istiod);
    });
  }
}

const nameOf = ({ namespace, deployment }: LoneIstiod): string => `${namespace}/${deployment}`;

async function raise(phase: Phase, istiod: LoneIstiod): Promise<void> {
  const { owner, budget } = istiod;
  if (owner !== undefined) {
    phase.ask(raiseIstiod(istiod));
  } else {
    // An abort between sending and recording must still find it raised, so it is not cancellable.
    await CancellationScope.nonCancellable(() =>
      phase.activities.quick.raiseIstiod.executeWithOptions({ summary: `A second istiod for ${nameOf(istiod)}` }, [
        { cluster: phase.cluster, istiod },
      ]),
    );
  }
  const timeoutMs = owner === undefined ? phase.timing.rolloutTimeoutMs : phase.timing.askTimeoutMs;
  const { free, why } = await phase.activities.watch.awaitIstiodFree.executeWithOptions(
    { summary: `Wait until ${budget} lets an istiod go` },
    [{ ...phase.target, istiod, timeoutMs }],
  );
  if (!free) throw phaseFailed(`Running a second istiod ${nameOf(istiod)}: PodDisruptionBudget ${budget} still lets none go (${why})`);
  if (owner === undefined) phase.announcer.note(istiodRaised(istiod));
}

async function lower(phase: Phase, istiod: LoneIstiod): Promise<void> {
  const { owner } = istiod;
  const which = nameOf(istiod);
  if (owner !== undefined) {
    phase.ask(lowerIstiod(istiod));
    return;
  }
  try {
    const { changedByOthers } = await phase.activities.owed.lowerIstiod.executeWithOptions({ summary: `istiod ${which} as before` }, [
      { cluster: phase.cluster, istiod },
    ]);
    if (changedByOthers) {
      phase.notRestored({ what: `replicas of istiod ${which}`, why: replicasChangedByOthers() }, istiodLeftAlone(istiod));
    } else phase.announcer.note(istiodLowered(istiod));
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `replicas of istiod ${which}`, why }, istiodNotLowered(istiod, why));
  }
}
