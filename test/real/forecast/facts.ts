/** What a real upgrade did to a cluster, as seen on its API server. */
import { isTrue } from '../../../rehearsal/controllers/conditions.ts';
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

interface ClaimTimes {
  pool: string;
  madeMs?: number;
  initializedMs?: number;
  /** Karpenter says so before it launches anything. */
  chosenMs?: number;
  endsMs?: number;
  endedMs?: number;
}

export class Facts {
  /** Workloads that were without a ready pod for a while, after they had one. */
  readonly unserved = new Set<string>();
  /** What became of each NodeClaim, in milliseconds since the beginning: for who wants to know why a roll took as long as it did. */
  readonly claims = new Map<string, ClaimTimes>();
  readonly #sinceMs = Date.now();
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
    const { name, labels } = claim.metadata;
    const times = this.claims.get(name) ?? { pool: labels?.[POOL] ?? '' };
    this.claims.set(name, times);
    const nowMs = Date.now() - this.#sinceMs;
    if (type === 'ADDED') times.madeMs ??= nowMs;
    if (isTrue(claim, 'Initialized')) times.initializedMs ??= nowMs;
    if (isTrue(claim, 'DisruptionReason')) times.chosenMs ??= nowMs;
    if (isTerminating(claim)) times.endsMs ??= nowMs;
    if (type === 'DELETED') times.endedMs ??= nowMs;
  }
}

const ownerOf = (labels: Record<string, string>): string => labels[POOL] ?? labels['eks.amazonaws.com/nodegroup'] ?? '';
