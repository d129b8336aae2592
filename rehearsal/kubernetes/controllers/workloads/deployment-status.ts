/** What a Deployment's status says: counts and the conditions Available and Progressing. */
import { cloneJson } from '../../json.ts';
import { conditionOf, setCondition } from '../../pods/pods.ts';
import type { KubeObject } from '../../store.ts';
import { rollingLimits } from './rolling.ts';
import { withoutZeros } from './templates.ts';

interface StatusInput {
  deployment: KubeObject;
  current: KubeObject | undefined;
  old: KubeObject[];
  /** World time now, as Kubernetes writes it. */
  at: string;
  nowMs: number;
}

/** The status as it should be now, and when the progress deadline ends if nothing moves. */
export function deploymentStatus(input: StatusInput): { status: KubeObject['status']; dueMs?: number } {
  const { deployment, current, old } = input;
  const all = current ? [current, ...old] : old;
  const sum = (field: string) => all.reduce((total, set) => total + Number(set.status?.[field] ?? 0), 0);
  const wanted: number = deployment.spec.replicas ?? 1;
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: Number(current?.status?.replicas ?? 0),
    readyReplicas: sum('readyReplicas'),
    availableReplicas: sum('availableReplicas'),
  };
  const copy = cloneJson(deployment);
  copy.status = withoutZeros({ ...copy.status, ...counts }, ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas']);
  copy.status.observedGeneration = deployment.metadata.generation;
  const unavailable = Math.max(0, Math.max(wanted, counts.replicas) - counts.availableReplicas);
  if (unavailable > 0) copy.status.unavailableReplicas = unavailable;
  else delete copy.status.unavailableReplicas;
  setAvailable(copy, wanted, counts.availableReplicas, input.at);
  const done = counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas >= wanted;
  const dueMs = setProgressing(copy, input, done);
  return { status: copy.status, ...(dueMs === undefined ? {} : { dueMs }) };
}

function setAvailable(copy: KubeObject, wanted: number, available: number, at: string): void {
  const { type, rollingUpdate } = copy.spec.strategy ?? {};
  const maxUnavailable = type === 'Recreate' ? 0 : rollingLimits(rollingUpdate, wanted).maxUnavailable;
  const enough = available >= wanted - maxUnavailable;
  const status = enough ? 'True' : 'False';
  const known = conditionOf(copy, 'Available');
  setCondition(
    copy,
    {
      type: 'Available',
      status,
      reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
      lastUpdateTime: known?.status === status && known.lastUpdateTime ? known.lastUpdateTime : at,
    },
    at,
  );
}

/** Progressing, and the time of the deadline while the rollout goes on. */
function setProgressing(copy: KubeObject, { deployment, current, at, nowMs }: StatusInput, done: boolean): number | undefined {
  const name = current?.metadata.name ?? '';
  const known = conditionOf(deployment, 'Progressing');
  if (copy.spec.paused) {
    setCondition(copy, { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }, at);
    return undefined;
  }
  if (done) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    setCondition(copy, { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message }, at);
    return undefined;
  }
  const moved = JSON.stringify(counters(deployment.status)) !== JSON.stringify(counters(copy.status));
  const since = moved || known?.reason === 'NewReplicaSetAvailable' || !known?.lastUpdateTime ? at : known.lastUpdateTime;
  const deadlineMs = Date.parse(since) + Number(copy.spec.progressDeadlineSeconds ?? 600) * 1000;
  const late = nowMs > deadlineMs;
  const condition = {
    type: 'Progressing',
    status: late ? 'False' : 'True',
    reason: late ? 'ProgressDeadlineExceeded' : 'ReplicaSetUpdated',
    message: late ? `ReplicaSet "${name}" has timed out progressing.` : `ReplicaSet "${name}" is progressing.`,
    lastUpdateTime: since,
  };
  setCondition(copy, condition, at);
  return late ? undefined : deadlineMs + 1;
}

function counters(status: KubeObject['status']): unknown[] {
  return [status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.readyReplicas ?? 0, status?.availableReplicas ?? 0];
}
