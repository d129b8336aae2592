/** Deployments: a ReplicaSet per pod template, rolled over within maxSurge and maxUnavailable. */
import { recordEvent } from '../../events.ts';
import { isTerminating, kubeTime } from '../../pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../store.ts';
import { deploymentStatus } from './deployment-status.ts';
import { keyed } from '../keyed.ts';
import { rollingLimits, rollingSizes } from './rolling.ts';
import { revisionHash } from './revisions.ts';
import { controlledBy, controllerKey, ownerReference, writeStatus } from './templates.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MOST = 'deployment.kubernetes.io/max-replicas';
const HASH = 'pod-template-hash';

export const deployments = keyed({
  name: 'deployments',
  plural: 'deployments',
  concerns: { replicasets: controllerKey('Deployment') },
  reconcile({ store, clock }, deployment) {
    if (isTerminating(deployment)) return undefined;
    const owned = controlledBy(store, deployment, 'ReplicaSet').sort((left, right) => revisionOf(left) - revisionOf(right));
    return reconcile(store, deployment, owned, clock.nowMs());
  },
});

function reconcile(store: ObjectStore, deployment: KubeObject, owned: KubeObject[], nowMs: number): number | undefined {
  const known = owned.find((set) => set.metadata.labels?.[HASH] === revisionHash(store, deployment));
  const paused = deployment.spec.paused === true;
  const current = known ?? (paused ? undefined : createReplicaSet(store, deployment, owned));
  const old = owned.filter((set) => set !== current);
  if (current && !paused) {
    markRevision(store, deployment, current, old);
    noteSizes(store, deployment, owned.includes(current) ? owned : [...owned, current]);
    for (const [name, replicas] of Object.entries(sizes(store, deployment, current, old))) {
      scale(store, deployment, name, replicas, nowMs);
    }
    removeHistory(store, deployment, old);
  }
  if (paused) scalePaused(store, deployment, owned, nowMs);
  const namespace = deployment.metadata.namespace;
  const fresh = (set: KubeObject) => store.get('replicasets', set.metadata.name, namespace) ?? set;
  const latest = store.get('deployments', deployment.metadata.name, namespace) ?? deployment;
  const { status, dueMs } = deploymentStatus({
    deployment: latest,
    current: current ? fresh(current) : undefined,
    old: old.map(fresh),
    at: kubeTime(nowMs),
    nowMs,
  });
  writeStatus(store, 'deployments', latest, status);
  return dueMs;
}

function sizes(store: ObjectStore, deployment: KubeObject, current: KubeObject, old: KubeObject[]): Record<string, number> {
  const replicas: number = deployment.spec.replicas ?? 1;
  const counts = (set: KubeObject) => ({
    name: set.metadata.name,
    desired: Number(set.spec.replicas ?? 0),
    available: Math.min(Number(set.status?.availableReplicas ?? 0), Number(set.spec.replicas ?? 0)),
  });
  if (deployment.spec.strategy?.type === 'Recreate') {
    const running = old.filter((set) => set.spec.replicas > 0);
    if (running.length > 0) return Object.fromEntries(running.map((set) => [set.metadata.name, 0]));
    const gone = old.every((set) => controlledBy(store, set, 'Pod').length === 0);
    return gone && current.spec.replicas !== replicas ? { [current.metadata.name]: replicas } : {};
  }
  return rollingSizes({ ...deployment.spec.strategy?.rollingUpdate, replicas, current: counts(current), old: old.map(counts) });
}

/** A paused Deployment is scaled, never rolled: its newest running ReplicaSet takes the difference. */
function scalePaused(store: ObjectStore, deployment: KubeObject, owned: KubeObject[], nowMs: number): void {
  const running = owned.filter((set) => set.spec.replicas > 0);
  const newest = running.at(-1) ?? owned.at(-1);
  if (!newest) return;
  const others = running.filter((set) => set !== newest).reduce((sum, set) => sum + Number(set.spec.replicas), 0);
  const wanted = Math.max(0, Number(deployment.spec.replicas ?? 1) - others);
  scale(store, deployment, newest.metadata.name, wanted, nowMs);
}

/** Gives one of the ReplicaSets a size, and tells it where it is a new one. */
function scale(store: ObjectStore, deployment: KubeObject, name: string, replicas: number, nowMs: number): void {
  const { namespace } = deployment.metadata;
  const before: number = store.get('replicasets', name, namespace)?.spec.replicas ?? 0;
  if (before === replicas) return;
  store.update('replicasets', name, namespace, (copy) => void (copy.spec.replicas = replicas));
  const direction = replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
  const component = 'deployment-controller';
  recordEvent(store, { about: deployment, type: 'Normal', reason: 'ScalingReplicaSet', message, component, nowMs });
}

function createReplicaSet(store: ObjectStore, deployment: KubeObject, owned: KubeObject[]): KubeObject {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = revisionHash(store, deployment);
  const labels = { ...template.metadata?.labels, [HASH]: hash };
  const orphan = store.get('replicasets', `${deployment.metadata.name}-${hash}`, deployment.metadata.namespace);
  if (orphan) {
    return store.update('replicasets', orphan.metadata.name, orphan.metadata.namespace, (copy) => {
      copy.metadata.ownerReferences = [ownerReference(deployment)];
    });
  }
  return store.create('replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: { [REVISION]: String(1 + Math.max(0, ...owned.map(revisionOf))) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
}

/** A rollback makes an old ReplicaSet the newest revision again; the Deployment shows the revision it runs. */
function markRevision(store: ObjectStore, deployment: KubeObject, current: KubeObject, old: KubeObject[]): void {
  const newest = Math.max(0, ...old.map(revisionOf));
  const was = current.metadata.annotations?.[REVISION];
  const revision = String(revisionOf(current) > newest ? revisionOf(current) : newest + 1);
  const history = current.metadata.annotations?.[HISTORY];
  const past = was === undefined || was === revision ? history : history === undefined ? was : `${history},${was}`;
  annotate(store, current, { [REVISION]: revision, ...(past === undefined ? {} : { [HISTORY]: past }) });
  annotate(store, deployment, { [REVISION]: revision });
}

/** Each ReplicaSet knows how large its Deployment is and may become. */
function noteSizes(store: ObjectStore, deployment: KubeObject, owned: KubeObject[]): void {
  const replicas: number = deployment.spec.replicas ?? 1;
  const { type, rollingUpdate } = deployment.spec.strategy ?? {};
  const surge = type === 'Recreate' ? 0 : rollingLimits(rollingUpdate, replicas).surge;
  for (const { metadata } of owned) {
    const set = store.get('replicasets', metadata.name, metadata.namespace);
    if (set) annotate(store, set, { [DESIRED]: String(replicas), [MOST]: String(replicas + surge) });
  }
}

/** Sets annotations where they are not so yet. */
function annotate(store: ObjectStore, { kind, metadata }: KubeObject, annotations: Record<string, string>): void {
  if (Object.entries(annotations).every(([key, value]) => metadata.annotations?.[key] === value)) return;
  const plural = kind === 'Deployment' ? 'deployments' : 'replicasets';
  store.update(plural, metadata.name, metadata.namespace, (copy) => {
    copy.metadata.annotations = { ...copy.metadata.annotations, ...annotations };
  });
}

function removeHistory(store: ObjectStore, deployment: KubeObject, old: KubeObject[]): void {
  const idle = old.filter((set) => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0);
  const surplus = idle.length - Number(deployment.spec.revisionHistoryLimit ?? 10);
  for (const set of idle.slice(0, Math.max(0, surplus))) store.delete('replicasets', set.metadata.name, set.metadata.namespace);
}

function revisionOf(set: KubeObject): number {
  return Number(set.metadata.annotations?.[REVISION] ?? 0);
}
