/** What a real upgrade did to a cluster, as seen on its API server. */
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { controllerOf, isReady, isTerminating } from '../../../rehearsal/kubernetes/pods/pods.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';

const POOL = 'karpenter.sh/nodepool';

/** "shop/web" of a pod's controller, a ReplicaSet's without its hash. */
function workloadOf(pod: KubeObject): string | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined || owner.kind === 'DaemonSet') return undefined;
  const name = owner.kind === 'ReplicaSet' ? owner.name.replace(/-[^-]+$/, '') : owner.name;
  return `${pod.metadata.namespace}/${name}`;
}

export class Facts {
  /** Workloads that were without a ready pod for a while, after they had one. */
  readonly unserved = new Set<string>();
  /** Claims that ended, in order, by pool. */
  readonly ended: { claim: string; pool: string }[] = [];
  /** Most claims of a pool that were being replaced at one moment. */
  readonly mostAtOnce = new Map<string, number>();
  readonly #stage: Stage;
  readonly #before: { name: string; owner: string }[];
  readonly #served = new Set<string>();
  readonly #stop: () => void;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { store } = stage.built.world;
    this.#before = store.list('nodes').map(({ metadata }) => ({ name: metadata.name, owner: ownerOf(metadata.labels ?? {}) }));
    this.#lookAtPods();
    this.#stop = store.watch(({ plural, object, type }) => {
      if (plural === 'pods') this.#lookAtPods();
      if (plural === 'nodeclaims') this.#lookAtClaim(object, type);
    });
  }

  /** Nodes of the beginning that are gone, by their NodePool or group. */
  replaced(): Record<string, number> {
    const there = new Set(this.#stage.built.world.store.list('nodes').map(({ metadata }) => metadata.name));
    const counts: Record<string, number> = {};
    for (const { name, owner } of this.#before) if (!there.has(name)) counts[owner] = (counts[owner] ?? 0) + 1;
    return counts;
  }

  /** Pods on nodes of the beginning that are still there, of pools that roll. */
  left(): { node: string; pod: string }[] {
    const { store } = this.#stage.built.world;
    return this.#before
      .filter(({ owner }) => owner !== 'system')
      .flatMap(({ name }) => store.podsOn(name).map((pod) => ({ name, pod })))
      .filter(({ pod }) => workloadOf(pod) !== undefined)
      .map(({ name, pod: { metadata } }) => ({ node: name, pod: `${metadata.namespace}/${metadata.name}` }));
  }

  close(): void {
    this.#stop();
  }

  #lookAtPods(): void {
    const ready = new Map<string, number>();
    for (const pod of this.#stage.built.world.store.list('pods')) {
      const workload = workloadOf(pod);
      if (workload !== undefined) ready.set(workload, (ready.get(workload) ?? 0) + (isReady(pod) && !isTerminating(pod) ? 1 : 0));
    }
    for (const [workload, count] of ready) if (count > 0) this.#served.add(workload);
    for (const workload of this.#served) if ((ready.get(workload) ?? 0) === 0) this.unserved.add(workload);
  }

  #lookAtClaim(claim: KubeObject, type: string): void {
    const pool = claim.metadata.labels?.[POOL] ?? '';
    const { name } = claim.metadata;
    if (type === 'DELETED' && !this.ended.some((one) => one.claim === name)) this.ended.push({ claim: name, pool });
    const { store } = this.#stage.built.world;
    const away = store.list('nodeclaims', { labels: { [POOL]: pool } }).filter((one) => isTerminating(one) || isChosen(one)).length;
    this.mostAtOnce.set(pool, Math.max(this.mostAtOnce.get(pool) ?? 0, away));
  }
}

const ownerOf = (labels: Record<string, string>): string => labels[POOL] ?? labels['eks.amazonaws.com/nodegroup'] ?? '';

/** Karpenter says so before it launches anything. */
function isChosen({ status }: KubeObject): boolean {
  return status?.conditions?.some(({ type, status: is }: { type: string; status: string }) => type === 'DisruptionReason' && is === 'True');
}
