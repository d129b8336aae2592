/** What of workloads is compared: not what depends on when their controllers looked. */
import type { Json } from '../conversation.ts';

/** Everything about an object but what it was created with. */
export const told = ({ metadata, status: { numberMisscheduled: _passing, ...status } }: Json) => ({
  annotations: metadata.annotations ?? null,
  generation: metadata.generation,
  status,
});

/** The same of a rollout on its way: whether the controller has looked once more since it made the new replica set shows in the reason alone. */
export const toldOnItsWay = ({ metadata, status }: Json) =>
  told({ metadata, status: { ...status, conditions: status.conditions.map(onItsWay) } });

function onItsWay(condition: Json): Json {
  const created = /^Created new replica set (".+")$/.exec(condition.message);
  return created === null ? condition : { ...condition, reason: 'ReplicaSetUpdated', message: `ReplicaSet ${created[1]} is progressing.` };
}

/** Pods without their nodes, in the order of their names' stems. */
export const pods = ({ items }: Json) =>
  items
    .map(({ metadata, spec, status }: Json) => ({
      labels: metadata.labels,
      owner: metadata.ownerReferences?.map(({ uid: _uid, ...reference }: Json) => reference),
      bound: spec.nodeName !== undefined,
      phase: status.phase,
      image: spec.containers[0].image,
      ending: metadata.deletionTimestamp !== undefined,
    }))
    .toSorted((left: Json, right: Json) => (orderOf(left) < orderOf(right) ? -1 : 1));

const orderOf = ({ labels, image }: Json): string => `${labels['apps.kubernetes.io/pod-index'] ?? ''}/${image}`;

export const replicaSets = ({ items }: Json) =>
  items
    .map(({ metadata, spec, status }: Json) => ({
      name: metadata.name,
      labels: metadata.labels,
      annotations: metadata.annotations,
      replicas: spec.replicas,
      selector: spec.selector,
      // In how many steps it came here depends on when its controller looked.
      status: { ...status, observedGeneration: undefined },
    }))
    .toSorted((left: Json, right: Json) =>
      left.annotations['deployment.kubernetes.io/revision'] < right.annotations['deployment.kubernetes.io/revision'] ? -1 : 1,
    );

const WORKLOADS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'];

/** Events about workloads, in no order of time: several controllers tell at once. */
export const events = ({ items }: Json): Json[] =>
  items
    .filter(({ involvedObject }: Json) => WORKLOADS.includes(involvedObject.kind))
    .map(({ involvedObject, type, reason, message, source, count }: Json) => ({
      about: involvedObject.kind,
      type,
      reason,
      message,
      source,
      count,
    }))
    .toSorted((left: Json, right: Json) => (keyOf(left) < keyOf(right) ? -1 : 1));

/** Without the random parts of names. */
const keyOf = ({ about, reason, message }: Json): string => `${about}/${reason}/${message.replace(/-[a-z0-9-]+/g, '')}`;

export const rolledOut = (replicas: number) => (body: Json) =>
  body.status.observedGeneration === body.metadata.generation &&
  body.status.replicas === replicas &&
  body.status.updatedReplicas === replicas &&
  body.status.availableReplicas === replicas;
