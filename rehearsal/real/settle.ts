/** Waits until a real cluster stands: its mesh answers, its workloads are available, its nodes Ready. Wall time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isTrue } from '../controllers/conditions.ts';
import { isReady, isTerminating } from '../kubernetes/pods/pods.ts';
import { matchesSelector } from '../kubernetes/selectors.ts';
import type { Mesh } from './istio/mesh.ts';
import type { KubeObject, ObjectStore } from '../kubernetes/store.ts';
import type { MirrorStore } from './mirror.ts';

const SETTLE_LIMIT_MS = 180_000;
const LOOK_MS = 500;

/** Each revision's istiod has written its authority into its webhook, and answers. */
export async function untilMeshed(mirror: MirrorStore, mesh: Mesh, wanted: readonly { revision: string }[]): Promise<void> {
  const revisions = wanted.map(({ revision }) => revision);
  const endMs = performance.now() + SETTLE_LIMIT_MS;
  const ready = (revision: string): boolean =>
    mesh.istiods.of(revision) !== undefined &&
    mirror
      .list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })
      .some((configuration) => configuration['webhooks']?.every((webhook: Webhook) => (webhook.clientConfig.caBundle ?? '') !== ''));
  for (;;) {
    mesh.follow(mirror);
    if (revisions.every(ready)) return;
    if (performance.now() > endMs) throw new Error(`istiod of ${revisions.join(' or ')} did not come up; its log says why`);
    await sleep(LOOK_MS);
  }
}

interface Webhook {
  clientConfig: { caBundle?: string };
}

/** What a cluster is to look like. */
interface Wanted {
  /** NodeClaims; absent: as many as Karpenter finds right. */
  claims?: number;
  /** Karpenter has finished: what it launches last can come after the pods for which it was launched have found room elsewhere. */
  launched?: boolean;
  /** Workloads that were not available when they were recorded. */
  unavailable?: ReadonlySet<string>;
}

const isAvailable = ({ spec, status }: KubeObject): boolean => (status?.availableReplicas ?? 0) === (spec?.replicas ?? 1);

/** "statefulsets data/orders" of each workload that has fewer pods available than it should have. */
export const unavailableIn = (store: Pick<ObjectStore, 'list'>): Set<string> =>
  new Set(
    ['deployments', 'statefulsets'].flatMap((plural) =>
      store
        .list(plural)
        .filter((workload) => !isAvailable(workload))
        .map(({ metadata }) => `${plural} ${metadata.namespace}/${metadata.name}`),
    ),
  );

/** Every workload is available and every node Ready. A cluster in which nothing more becomes Ready is given up. */
export async function untilSettled(mirror: MirrorStore, wanted: Wanted): Promise<void> {
  let endMs = performance.now() + SETTLE_LIMIT_MS;
  let most = 0;
  while (!settled(mirror, wanted)) {
    // A StatefulSet whose nodes are slow comes up one pod after the other.
    const ready = [...mirror.list('nodes'), ...mirror.list('pods')].filter(isReady).length;
    if (ready > most) endMs = performance.now() + SETTLE_LIMIT_MS;
    most = Math.max(most, ready);
    if (performance.now() > endMs) throw new Error(`the real cluster did not settle: ${unsettled(mirror, wanted)}`);
    await sleep(LOOK_MS);
  }
}

function settled(mirror: MirrorStore, wanted: Wanted): boolean {
  return unsettled(mirror, wanted) === '';
}

/** For people; empty when all is as it should be. */
function unsettled(mirror: MirrorStore, { claims, launched, unavailable }: Wanted): string {
  const waiting = [...unavailableIn(mirror)].filter((name) => unavailable?.has(name) !== true);
  const ready = mirror.list('nodes').filter(isReady).length;
  const made = mirror.list('nodeclaims');
  const coming = launched === true ? made.filter((claim) => !isTrue(claim, 'Initialized')).length : 0;
  const all = mirror.list('nodes').length;
  return [
    ...(waiting.length > 0 ? [`not available: ${waiting.join(', ')}`] : []),
    ...(claims === undefined || made.length === claims ? [] : [`${made.length} of ${claims} NodeClaims`]),
    ...(coming === 0 ? [] : [`${coming} of ${made.length} NodeClaims not initialized`]),
    ...(ready === all ? [] : [`${ready} of ${all} nodes Ready`]),
  ].join('; ');
}

/** The disruption controller counts a moment after pods are Ready. What it does not count, it says itself. */
const COUNTED_LIMIT_MS = 15_000;

/** Every budget has counted the pods that are Ready now; or it has had the time to. */
export async function untilCounted(mirror: Pick<ObjectStore, 'list'>): Promise<void> {
  const endMs = performance.now() + COUNTED_LIMIT_MS;
  while (!isCounted(mirror) && performance.now() < endMs) await sleep(LOOK_MS);
}

function isCounted(mirror: Pick<ObjectStore, 'list'>): boolean {
  return mirror.list('poddisruptionbudgets').every(({ metadata: { namespace }, spec, status }) => {
    const pods = mirror
      .list('pods', { namespace: namespace ?? 'default' })
      .filter((pod) => matchesSelector(spec?.selector, pod.metadata.labels));
    return status?.currentHealthy === pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  });
}
