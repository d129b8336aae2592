/** Restarts the workloads of a wave's namespaces, and names what no restart reaches. */
import { beat } from '../../runtime/context.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { PLURALS, WORKLOAD_KINDS, type WorkloadKind } from '../../kubernetes/objects/rollout.ts';
import { isOnDelete, restartWorkload, whyNotRolled } from '../../kubernetes/objects/restart-rollout.ts';
import {
  controllerOf,
  type CronJob,
  isLive,
  makerOfSet,
  nameOf,
  type Pod,
  type Rollout,
  type Workload,
} from '../../clients/kubernetes/objects.ts';
import { optsOut, REV } from '../mesh/inventory.ts';
import type { UninjectedFact } from '../../../domain/facts/facts.ts';
import type { NakedPod, OnDeleteSet, RestartResult } from '../../contract/istio-objects.ts';

export interface Restarted {
  /** Workloads that carry the timestamp now. */
  restarted: number;
  skipped: { workload: string; why: string }[];
  /** What only a deletion moves. */
  sets: OnDeleteSet[];
  pods: NakedPod[];
  /** What people should know of workloads that were restarted. */
  notes: string[];
}

const ROLLOUTS = { apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts' };

/** Results are small: so many skipped workloads are named. */
const NAMED = 20;

interface Restart {
  restartedAt: string;
  /** Values of `istio.io/rev` that select the revision; absent: templates are not looked at for others. */
  selects?: readonly string[];
  /** Left as they are: a restart would give them no proxy either. */
  uninjected?: readonly UninjectedFact[] | undefined;
}

export async function restartNamespaces(port: KubernetesPort, namespaces: readonly string[], how: Restart): Promise<RestartResult> {
  const all: Restarted = { restarted: 0, skipped: [], sets: [], pods: [], notes: [] };
  for (const namespace of namespaces) {
    await restartWorkloads(port, namespace, how, all);
    await restartRollouts(port, namespace, how, all);
    await findOthers(port, namespace, all);
    await findCronJobs(port, namespace, all);
  }
  const { restarted, skipped, sets, pods, notes } = all;
  return {
    restarted,
    skipped: skipped.slice(0, NAMED),
    ...(sets.length + pods.length === 0 ? {} : { byHand: { sets: sets.slice(0, NAMED), pods: pods.slice(0, NAMED) } }),
    ...(notes.length === 0 ? {} : { notes: notes.slice(0, NAMED) }),
  };
}

async function restartWorkloads(
  port: KubernetesPort,
  namespace: string,
  { restartedAt, selects, uninjected = [] }: Restart,
  all: Restarted,
): Promise<void> {
  for (const kind of WORKLOAD_KINDS) {
    const plural = PLURALS[kind];
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural, namespace })) ?? []) {
      const { name } = workload.metadata;
      const title = `${kind} ${namespace}/${name}`;
      beat({ kind: 'restarting', workload: title });
      const why = cannotRestart(kind, workload);
      if (why === 'not in the mesh' || isAmong(uninjected, { kind, namespace, name })) continue;
      const label = workload.spec?.template?.metadata?.labels?.[REV];
      if (label !== undefined && selects?.includes(label) === false)
        all.notes.push(`${title}: its template has istio.io/rev=${label}, whatever its namespace says`);
      if (why !== undefined) {
        all.skipped.push({ workload: title, why });
        if (kind !== 'Deployment' && isOnDelete(workload)) all.sets.push({ kind, namespace, name });
      } else if (await restartWorkload(port, { apiVersion: 'apps/v1', plural, namespace, name }, workload, restartedAt)) all.restarted += 1;
    }
  }
}

/** Argo Rollouts evicts the pods that are older than `spec.restartAt` (argo-rollouts.readthedocs.io, "Restarting Rollout Pods"). */
async function restartRollouts(
  port: KubernetesPort,
  namespace: string,
  { restartedAt, uninjected = [] }: Restart,
  all: Restarted,
): Promise<void> {
  for (const rollout of (await port.list<Rollout>({ ...ROLLOUTS, namespace })) ?? []) {
    const { name } = rollout.metadata;
    beat({ kind: 'restarting', workload: `Rollout ${namespace}/${name}` });
    if (optsOut(rollout.spec?.template ?? {}) || isAmong(uninjected, { kind: 'Deployment', namespace, name })) continue;
    const result = await lookThenPatch<Rollout>(
      port,
      { ...ROLLOUTS, namespace, name },
      ({ spec }) => (spec?.restartAt === restartedAt ? [] : [{ op: 'add', path: '/spec/restartAt', value: restartedAt }]),
      rollout,
    );
    if (result.kind === 'there') all.restarted += 1;
  }
}

export function isAmong(all: readonly UninjectedFact[], { kind, namespace, name }: UninjectedFact): boolean {
  return all.some((each) => each.kind === kind && each.namespace === namespace && each.name === name);
}

/** undefined: a changed template rolls the workload by itself. */
export function cannotRestart(kind: WorkloadKind, workload: Workload): string | undefined {
  return optsOut(workload.spec?.template ?? {}) ? 'not in the mesh' : whyNotRolled(kind, workload);
}

/** As Deployments have pod-template-hash (argo-rollouts, DefaultRolloutUniqueLabelKey). */
const ROLLOUTS_HASH = 'rollouts-pod-template-hash';

/**
 * The workload that rolls a pod; a Deployment stands for an Argo Rollout as well. undefined: its proxy changes only when somebody deletes the pod, as
 * that of a ReplicaSet of nobody.
 */
export function rollerOf(pod: Pod): { kind: WorkloadKind; name: string } | undefined {
  const owner = controllerOf(pod);
  const maker = makerOfSet(pod) ?? makerOfSet(pod, ROLLOUTS_HASH);
  if (maker !== undefined) return { kind: 'Deployment', name: maker };
  return owner?.kind === 'StatefulSet' || owner?.kind === 'DaemonSet' ? { kind: owner.kind, name: owner.name } : undefined;
}

/** Pods that no restart reaches: without a controller, of Jobs and of other kinds. */
async function findOthers(port: KubernetesPort, namespace: string, all: Restarted): Promise<void> {
  const skipped = new Map<string, string>();
  for (const pod of (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace })) ?? []) {
    if (!isLive(pod) || optsOut(pod) || rollerOf(pod) !== undefined) continue;
    const owner = controllerOf(pod);
    if (owner === undefined) {
      skipped.set(`Pod ${nameOf(pod)}`, 'it has no controller: delete it to move it');
      all.pods.push({ namespace, name: pod.metadata.name, uid: pod.metadata.uid });
    } else if (owner.kind === 'Job')
      skipped.set(`Job ${namespace}/${owner.name}`, 'runs to its end with its present proxy, the next run gets the new one');
    else if (owner.kind === 'ReplicaSet')
      skipped.set(`ReplicaSet ${namespace}/${owner.name}`, 'it belongs to no Deployment: delete its pods to move them');
    else skipped.set(`${owner.kind} ${namespace}/${owner.name}`, 'restart it through its own controller');
  }
  all.skipped.push(...[...skipped].map(([workload, why]) => ({ workload, why })));
}

/** Nothing of them runs between two runs: named, so that nobody looks for them in a wave. */
async function findCronJobs(port: KubernetesPort, namespace: string, all: Restarted): Promise<void> {
  for (const { metadata, spec } of (await port.list<CronJob>({ apiVersion: 'batch/v1', plural: 'cronjobs', namespace })) ?? []) {
    if (optsOut(spec?.jobTemplate?.spec?.template ?? {})) continue;
    const when = spec?.suspend === true ? 'suspended: the next run, whenever it is' : 'at its next run';
    all.skipped.push({ workload: `CronJob ${namespace}/${metadata.name}`, why: `${when}, it gets the new proxy` });
  }
}
