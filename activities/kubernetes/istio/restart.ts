/** Restarts the workloads of a namespace as `kubectl rollout restart` does, with a timestamp that is the same on every retry. */
import { beat } from '../../context.ts';
import type { KubernetesPort, ResourceRef } from '../../ports.ts';
import { failureType } from '../../translate-errors.ts';
import { PLURALS, WORKLOAD_KINDS, type WorkloadKind } from '../rollout.ts';
import { controllerOf, isLive, nameOf, type Pod, type Workload } from '../shapes.ts';
import { optsOut } from './inventory.ts';

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

export interface Restarted {
  /** Workloads that carry the timestamp now. */
  restarted: number;
  skipped: { workload: string; why: string }[];
}

/** Results are small: so many skipped workloads are named. */
const NAMED = 20;

export async function restartNamespaces(port: KubernetesPort, namespaces: readonly string[], restartedAt: string): Promise<Restarted> {
  const all: Restarted = { restarted: 0, skipped: [] };
  for (const namespace of namespaces) {
    const one = await restartNamespace(port, namespace, restartedAt);
    all.restarted += one.restarted;
    all.skipped.push(...one.skipped);
  }
  return { restarted: all.restarted, skipped: all.skipped.slice(0, NAMED) };
}

async function restartNamespace(port: KubernetesPort, namespace: string, restartedAt: string): Promise<Restarted> {
  const result: Restarted = { restarted: 0, skipped: [] };
  for (const kind of WORKLOAD_KINDS) {
    const plural = PLURALS[kind];
    for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural, namespace })) ?? []) {
      const { name } = workload.metadata;
      beat({ kind: 'restarting', workload: `${kind} ${namespace}/${name}` });
      const why = cannotRestart(kind, workload);
      if (why !== undefined) {
        if (why !== 'not in the mesh') result.skipped.push({ workload: `${kind} ${namespace}/${name}`, why });
        continue;
      }
      if (await restart(port, { apiVersion: 'apps/v1', plural, namespace, name }, workload, restartedAt)) result.restarted += 1;
    }
  }
  result.skipped.push(...(await othersOf(port, namespace)));
  return result;
}

/** Looked at first: a second restart would roll every pod again. false: the workload is gone. */
async function restart(port: KubernetesPort, ref: ResourceRef, workload: Workload, restartedAt: string): Promise<boolean> {
  if (workload.spec?.template?.metadata?.annotations?.[RESTARTED_AT] === restartedAt) return true;
  const body = { spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } } };
  try {
    await port.patch(ref, { type: 'merge', body });
    return true;
  } catch (error) {
    if (failureType(error) === 'NotFound') return false;
    throw error;
  }
}

/** undefined: a changed template rolls the workload by itself. */
export function cannotRestart(kind: WorkloadKind, workload: Workload): string | undefined {
  const { spec = {} } = workload;
  if (optsOut(spec.template ?? {})) return 'not in the mesh';
  if (kind === 'Deployment' && spec.paused === true) return 'its rollout is paused: resume it';
  if (kind !== 'Deployment' && spec.updateStrategy?.type === 'OnDelete') return 'update strategy OnDelete: delete its pods to move them';
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (kind === 'StatefulSet' && partition > 0) return `partition ${partition}: pods below it are not rolled`;
  return undefined;
}

/** Has a pod a workload that rolls it? Otherwise its proxy changes only when somebody deletes the pod. */
export function isRolledBy(pod: Pod): boolean {
  const kind = controllerOf(pod)?.kind;
  return kind === 'ReplicaSet' || kind === 'StatefulSet' || kind === 'DaemonSet';
}

/** Pods that no restart reaches: without a controller, of Jobs, of Argo Rollouts and other kinds. */
async function othersOf(port: KubernetesPort, namespace: string): Promise<Restarted['skipped']> {
  const skipped = new Map<string, string>();
  for (const pod of (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace })) ?? []) {
    if (!isLive(pod) || optsOut(pod) || isRolledBy(pod)) continue;
    const owner = controllerOf(pod);
    if (owner === undefined) skipped.set(`Pod ${nameOf(pod)}`, 'it has no controller: delete it to move it');
    else if (owner.kind === 'Job') skipped.set(`Job ${namespace}/${owner.name}`, 'runs to its end with its present proxy');
    else skipped.set(`${owner.kind} ${namespace}/${owner.name}`, 'restart it through its own controller');
  }
  for (const { metadata } of (await port.list({ apiVersion: 'argoproj.io/v1alpha1', plural: 'rollouts', namespace })) ?? []) {
    skipped.set(`Rollout ${namespace}/${metadata.name}`, 'an Argo Rollout: set its spec.restartAt');
  }
  return [...skipped].map(([workload, why]) => ({ workload, why }));
}
