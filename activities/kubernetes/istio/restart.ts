/** Restarts the workloads of a wave's namespaces, and names what no restart reaches. */
import { beat } from '../../context.ts';
import type { KubernetesPort } from '../../ports.ts';
import { PLURALS, WORKLOAD_KINDS, type WorkloadKind } from '../rollout.ts';
import { restartWorkload, whyNotRolled } from '../rollout-restart.ts';
import { controllerOf, isLive, nameOf, type Pod, type Workload } from '../shapes.ts';
import { optsOut } from './inventory.ts';

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
      if (await restartWorkload(port, { apiVersion: 'apps/v1', plural, namespace, name }, workload, restartedAt)) result.restarted += 1;
    }
  }
  result.skipped.push(...(await othersOf(port, namespace)));
  return result;
}

/** undefined: a changed template rolls the workload by itself. */
export function cannotRestart(kind: WorkloadKind, workload: Workload): string | undefined {
  return optsOut(workload.spec?.template ?? {}) ? 'not in the mesh' : whyNotRolled(kind, workload);
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
