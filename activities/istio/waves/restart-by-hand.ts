/** Moves what only a deletion moves: pods of OnDelete sets one by one, and pods without a controller where people said so. */
import type { IstioActivities } from '../../contract/istio.ts';
import { beat } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { PLURALS } from '../../kubernetes/objects/rollout.ts';
import { controllerOf, isLive, isTrue, nameOf, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { optsOut, podRevision } from '../mesh/inventory.ts';
import { count, objectTitle } from '../../../domain/core/text.ts';
import type { OnDeleteSet } from '../../contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

type Roll = Parameters<IstioActivities['rollByHand']>[0];

export function createRollByHandActivities(deps: KubernetesDeps): Pick<IstioActivities, 'rollByHand' | 'rollBackByHand'> {
  return {
    rollByHand: (input) => roll(deps, input),
    rollBackByHand: (input) => roll(deps, input),
  };
}

async function roll(deps: KubernetesDeps, { cluster, timing, sets, pods = [], revision }: Roll): ReturnType<IstioActivities['rollByHand']> {
  const port = (await deps.clusterPorts(cluster)).kubernetes;
  let deletedCount = 0;
  for (const set of sets) {
    // A new pod that has the wrong proxy again, or none, would be deleted for ever: the wave's verification says what is wrong with it.
    const found = (await podsOf(port, set)).map(({ metadata }) => metadata.uid);
    for (;;) {
      const old = (await podsOf(port, set)).filter((pod) => podRevision(pod) !== revision && found.includes(pod.metadata.uid));
      // All of them are Ready before the next one goes, and after the last one has gone.
      const ready = await waitUntil<true>(
        { timing, timeoutMs: timing.rolloutTimeoutMs, doing: `waiting for ${objectTitle(set)}, ${count(old.length, 'pod')} to go` },
        () => isWhole(port, set),
      );
      if (ready.kind === 'timed-out') return { deletedCount, stuck: `${objectTitle(set)}: ${ready.lastNote ?? 'not Ready in time'}` };
      const next = lastOf(old);
      if (next === undefined) break;
      await remove(port, next);
      deletedCount += 1;
    }
  }
  for (const { namespace, name, uid } of pods) await remove(port, { metadata: { namespace, name, uid, resourceVersion: '' } });
  return { deletedCount: deletedCount + pods.length };
}

async function podsOf(port: KubernetesPort, { kind, namespace, name }: OnDeleteSet): Promise<Pod[]> {
  const all = (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace })) ?? [];
  return all.filter((pod) => {
    const owner = controllerOf(pod);
    return owner?.kind === kind && owner.name === name && isLive(pod) && !optsOut(pod);
  });
}

/** By ordinal, the highest first, as a StatefulSet's own update goes. */
function lastOf(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true })).at(-1);
}

async function isWhole(port: KubernetesPort, set: OnDeleteSet): Promise<{ done: true; value: true } | { done: false; note: string }> {
  const { kind, namespace, name } = set;
  const object = await port.get<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name });
  // Gone meanwhile: nothing of it runs any more.
  if (object === undefined) return { done: true, value: true };
  const wanted = kind === 'StatefulSet' ? (object.spec?.replicas ?? 1) : (object.status?.desiredNumberScheduled ?? 0);
  const ready = (await podsOf(port, set)).filter((pod) => isTrue(pod, 'Ready')).length;
  return ready >= wanted ? { done: true, value: true } : { done: false, note: `${ready} of ${wanted} pods are Ready` };
}

/** Exactly the pod that was looked at: a StatefulSet gives the next one the same name. */
async function remove(port: KubernetesPort, pod: Pod): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  beat({ kind: 'deleting pod', pod: nameOf(pod) });
  await port.delete({ apiVersion: 'v1', plural: 'pods', ...defined({ namespace }), name }, { uid });
}
