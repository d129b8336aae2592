/** Pauses a Cluster Autoscaler while groups are moved, and resumes it exactly: the replicas before stand in an annotation on it. */
import type { AutoscalerFact } from '../../../domain/facts/facts.ts';
import type { OtherNodeActivities } from '../../contract/other-nodes.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { deliveredBy } from '../../kubernetes/gitops/owner-marks.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { readBefore, REPLICAS_BEFORE } from '../../kubernetes/objects/scale-workloads.ts';
import { count } from '../../../domain/core/text.ts';

/** Labels of the chart, and of the manifest in the autoscaler's repository for AWS. */
const SELECTORS = ['app.kubernetes.io/name in (cluster-autoscaler, aws-cluster-autoscaler)', 'app=cluster-autoscaler'];

type Autoscaler = Pick<OtherNodeActivities, 'pauseAutoscaler' | 'awaitAutoscaler' | 'resumeAutoscaler'>;

export function createAutoscalerActivities(deps: KubernetesDeps): Autoscaler {
  return {
    async pauseAutoscaler({ cluster, ...which }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const result = await lookThenPatch<Workload>(port, refOf(which), pauseOperations);
      return { gone: result.kind === 'gone' };
    },
    async awaitAutoscaler({ cluster, timing, timeoutMs, ...which }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const end = await waitUntil<true>({ timing, timeoutMs, doing: `waiting for ${which.namespace}/${which.name} to stop` }, async () => {
        const workload = await port.get<Workload>(refOf(which));
        const running = Math.max(workload?.status?.replicas ?? 0, workload?.spec?.replicas ?? 0);
        return workload === undefined || running === 0 ? { done: true, value: true } : { done: false, note: count(running, 'replica') };
      });
      return { stopped: end.kind === 'done' };
    },
    async resumeAutoscaler({ cluster, ...which }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const result = await lookThenPatch<Workload>(port, refOf(which), resumeOperations);
      if (result.kind === 'gone') return { changedByOthers: false };
      return { changedByOthers: isChangedByOthers(result.seen), replicas: result.object.spec?.replicas ?? 1 };
    },
  };
}

/** The autoscalers that run, or that an earlier run has left paused, as one fact; undefined: there is none. */
export async function findAutoscaler(port: KubernetesPort): Promise<AutoscalerFact | undefined> {
  const found = new Map<string, AutoscalerFact>();
  for (const labelSelector of SELECTORS) {
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', labelSelector })) ?? []) {
      const replicas = readBefore(workload) ?? workload.spec?.replicas ?? 1;
      if (replicas === 0) continue;
      const { name, namespace = '' } = workload.metadata;
      const owner = deliveredBy(workload.metadata);
      const isKept = owner === 'flux' || owner === 'argocd';
      found.set(`${namespace}/${name}`, { namespace, name, replicas, ...(isKept ? { deliveredBy: owner } : {}) });
    }
  }
  const [first, ...others] = found.values();
  return first === undefined ? undefined : { ...first, ...(others.length === 0 ? {} : { others }) };
}

function pauseOperations(workload: Workload): JsonOperation[] {
  const replicas = workload.spec?.replicas ?? 1;
  const remember = readBefore(workload) === undefined ? annotate(workload, { [REPLICAS_BEFORE]: String(replicas) }) : [];
  return replicas === 0 ? [] : [...remember, { op: 'add', path: '/spec/replicas', value: 0 }];
}

function resumeOperations(workload: Workload): JsonOperation[] {
  const before = readBefore(workload);
  const cleaned = annotate(workload, { [REPLICAS_BEFORE]: null });
  const isOurs = before !== undefined && workload.spec?.replicas === 0;
  return isOurs ? [...cleaned, { op: 'add', path: '/spec/replicas', value: before }] : cleaned;
}

/** Somebody scaled it to another number while it was paused: that is left as it is. */
function isChangedByOthers(workload: Workload): boolean {
  const before = readBefore(workload);
  const replicas = workload.spec?.replicas ?? 1;
  return before !== undefined && replicas !== 0 && replicas !== before;
}

function refOf({ namespace, name }: { namespace: string; name: string }): ResourceRef {
  return { apiVersion: 'apps/v1', plural: 'deployments', namespace, name };
}
