/** Which revision the present template of each recorded workload is: its own API server has named it, from a template of which the twin has only a part. */
import { adoptRevision } from '../../../kubernetes/controllers/workloads/revisions.ts';
import { controlledBy } from '../../../kubernetes/controllers/workloads/templates.ts';
import type { KubeObject, ObjectStore } from '../../../kubernetes/store.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const SET_HASH = 'pod-template-hash';
const POD_HASH = 'controller-revision-hash';

export function adoptRevisions(store: ObjectStore): void {
  for (const deployment of store.list('deployments.apps')) adopt(store, deployment, hashOfDeployment(store, deployment));
  for (const set of store.list('statefulsets.apps')) adopt(store, set, hashOfStatefulSet(store, set));
  for (const set of store.list('daemonsets.apps')) adopt(store, set, hashOfDaemonSet(store, set));
}

function adopt(store: ObjectStore, workload: KubeObject, hash: string | undefined): void {
  if (hash !== undefined && workload.spec?.template !== undefined) adoptRevision(store, workload, hash);
}

/** Of the ReplicaSet with the Deployment's own revision; where that was not recorded, of the largest, and of those the youngest. */
function hashOfDeployment(store: ObjectStore, deployment: KubeObject): string | undefined {
  const revision = deployment.metadata.annotations?.[REVISION];
  const sets = controlledBy(store, deployment, 'ReplicaSet');
  const current = revision === undefined ? undefined : sets.find(({ metadata }) => metadata.annotations?.[REVISION] === revision);
  return (current ?? sets.toSorted(bySize)[0])?.metadata.labels?.[SET_HASH];
}

const bySize = (a: KubeObject, b: KubeObject): number => Number(b.spec?.replicas ?? 0) - Number(a.spec?.replicas ?? 0) || byAge(a, b);
/** The youngest first. */
const byAge = (a: KubeObject, b: KubeObject): number =>
  (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '');

function hashOfStatefulSet(store: ObjectStore, set: KubeObject): string | undefined {
  const revision: string | undefined = set.status?.updateRevision ?? youngest(store, set)?.metadata.labels?.[POD_HASH];
  const prefix = `${set.metadata.name}-`;
  return revision?.startsWith(prefix) === true ? revision.slice(prefix.length) : undefined;
}

/** As many pods have it as are up to date; the youngest pod's where that says nothing. */
function hashOfDaemonSet(store: ObjectStore, set: KubeObject): string | undefined {
  const counts = new Map<string, number>();
  for (const { metadata } of controlledBy(store, set, 'Pod')) {
    const hash = metadata.labels?.[POD_HASH];
    if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const updated = Number(set.status?.updatedNumberScheduled ?? 0);
  const alike = [...counts].filter(([, count]) => count === updated);
  return alike.length === 1 ? alike[0]?.[0] : youngest(store, set)?.metadata.labels?.[POD_HASH];
}

const youngest = (store: ObjectStore, set: KubeObject): KubeObject | undefined => controlledBy(store, set, 'Pod').toSorted(byAge)[0];
