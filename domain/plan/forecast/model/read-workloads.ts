/** Who makes pods anew: Deployments behind ReplicaSets, StatefulSets, Jobs and kinds of operators, with their teams. */
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import type { WorkloadRef } from '../types.ts';
import type { Workload } from './cluster.ts';
import { controllerOf, type PodObject, read, type WorkloadObject } from './objects.ts';

const SCALED = ['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController', 'Rollout'];
const SERVING_NOT = ['Job', 'Pod', 'CronJob'];

interface Owner {
  kind: string;
  name: string;
  object?: WorkloadObject;
}

/** Finds the workload of each pod; `workloads` grows as they are met. */
export class Workloads {
  readonly workloads: Workload[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #replicaSets: Map<string, WorkloadObject>;
  readonly #objects: Map<string, WorkloadObject>;
  readonly #namespaces: Map<string, WorkloadObject>;
  readonly #teamKeys: readonly string[];

  constructor(snapshot: Snapshot, ownerKeys: readonly string[]) {
    const lists = (plural: string, kind: string): [string, WorkloadObject][] =>
      (read<WorkloadObject>(snapshot, 'apps/v1', plural) ?? []).map((object) => [
        key(kind, object.metadata.namespace ?? '', object.metadata.name),
        object,
      ]);
    this.#replicaSets = new Map(lists('replicasets', 'ReplicaSet'));
    this.#objects = new Map([...this.#replicaSets, ...lists('deployments', 'Deployment'), ...lists('statefulsets', 'StatefulSet')]);
    this.#namespaces = new Map((read<WorkloadObject>(snapshot, 'v1', 'namespaces') ?? []).map((each) => [each.metadata.name, each]));
    this.#teamKeys = ownerKeys;
  }

  of(pod: PodObject): number {
    const namespace = pod.metadata.namespace ?? '';
    const owner = this.#ownerOf(pod, namespace);
    const id = key(owner.kind, namespace, owner.name);
    const known = this.#byKey.get(id);
    if (known !== undefined) return known;
    const { kind, name, object } = owner;
    const team = this.#teamOf([pod, object, this.#namespaces.get(namespace)]);
    const ref: WorkloadRef = { kind, namespace, name, ...(team === undefined ? {} : { team }) };
    const stateful = kind === 'StatefulSet';
    const index =
      this.workloads.push({
        ref,
        replicas: object?.spec?.replicas ?? -1,
        ordered: stateful && object?.spec?.podManagementPolicy !== 'Parallel',
        sameName: stateful,
        recreates: kind !== 'Pod',
        serves: !SERVING_NOT.includes(kind) || kind === 'Pod',
        scalable: kind === 'Deployment' || stateful,
        pods: [],
        starts: [],
      }) - 1;
    this.#byKey.set(id, index);
    return index;
  }

  /** Where a workload's object was not read, it has as many replicas as pods. */
  complete(): void {
    for (const workload of this.workloads) if (workload.replicas < 0) workload.replicas = workload.pods.length;
  }

  /** A pod whose ReplicaSet was not read belongs to it all the same. */
  #ownerOf(pod: PodObject, namespace: string): Owner {
    const owner = controllerOf(pod);
    if (owner === undefined) return { kind: 'Pod', name: pod.metadata.name };
    const own = this.#objects.get(key(owner.kind, namespace, owner.name));
    const parent = owner.kind === 'ReplicaSet' && own !== undefined ? controllerOf(own) : undefined;
    if (parent === undefined) return { ...owner, object: own };
    const above = this.#objects.get(key(parent.kind, namespace, parent.name));
    // An owner of another kind, such as a Rollout, has its replicas in its ReplicaSets.
    return { ...parent, object: above ?? (parent.kind === 'Deployment' ? undefined : own) };
  }

  #teamOf(places: readonly ({ metadata: WorkloadObject['metadata'] } | undefined)[]): string | undefined {
    for (const place of places) {
      for (const label of this.#teamKeys) {
        const value = place?.metadata.labels?.[label] ?? place?.metadata.annotations?.[label];
        if (value !== undefined && value.trim() !== '') return value.trim();
      }
    }
    return undefined;
  }
}

export const isScaled = (kind: string): boolean => SCALED.includes(kind);
const key = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;
