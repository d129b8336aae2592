/** Moves pods on Fargate to the control plane's version: their owners are restarted, namespace by namespace. */
import { beat } from '../../runtime/context.ts';
import type { OtherNodeActivities, Unmoved } from '../../contract/other-nodes.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { workloadOf } from '../../kubernetes/drain/pod-owners.ts';
import { PLURALS } from '../../kubernetes/objects/rollout.ts';
import { isRestarted, restartWorkload, whyNotRolled } from '../../kubernetes/objects/restart-rollout.ts';
import { controllerOf, isLive, isTrue, nameOf, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { fargatePods, oldFargatePods, whyNobodyRolls } from './fargate-pods.ts';

type Fargate = Pick<OtherNodeActivities, 'readFargate' | 'restartFargate' | 'awaitFargate'>;

/** Results are small: so many are named. */
const NAMED = 20;

interface Owner {
  kind: 'Deployment' | 'StatefulSet';
  workload: Workload;
  /** One of the pods that it was found by is Ready. */
  isReady: boolean;
  /** Kind and name of what controls the pods themselves: a Deployment's ReplicaSets. */
  controllers: string[];
}

export function createFargateActivities(deps: KubernetesDeps): Fargate {
  return {
    async readFargate({ cluster, to }) {
      const counts = new Map<string, number>();
      for (const { metadata } of await oldFargatePods((await deps.clusterPorts(cluster)).kubernetes, to)) {
        const name = metadata.namespace ?? '';
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      const namespaces = [...counts].map(([name, podCount]) => ({ name, podCount }));
      return { namespaces: namespaces.toSorted((a, b) => a.name.localeCompare(b.name)) };
    },
    async restartFargate({ cluster, namespace, to, restartedAt }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { owners, unmoved } = await ownersOf(port, await oldFargatePods(port, to, namespace));
      const interrupted: string[] = [];
      let restarted = 0;
      for (const { kind, workload, isReady } of owners) {
        const { name } = workload.metadata;
        beat({ kind: 'restarting', workload: titleOf(kind, workload) });
        const why = whyNotRolled(kind, workload) ?? whyNotStarted(isReady || isRestarted(workload, restartedAt));
        if (why !== undefined) unmoved.push({ workload: titleOf(kind, workload), why });
        else if (await restartWorkload(port, { apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name }, workload, restartedAt)) {
          restarted += 1;
          if (stopsFirst(kind, workload)) interrupted.push(titleOf(kind, workload));
        }
      }
      return { restarted, interrupted: interrupted.slice(0, NAMED), unmoved: unmoved.slice(0, NAMED) };
    },
    async awaitFargate({ cluster, timing, namespace, to, restartedAt }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let wrong: string[] = [];
      const result = await waitUntil<true>(
        { timing, timeoutMs: timing.rolloutTimeoutMs, doing: `waiting for the pods of ${namespace} on Fargate at ${to}` },
        async () => {
          wrong = await stillOld(port, { to, namespace, restartedAt });
          return wrong.length === 0 ? { done: true, value: true } : { done: false, note: wrong.slice(0, 3).join('; ') };
        },
      );
      return { timedOut: result.kind === 'timed-out', wrong: wrong.slice(0, NAMED) };
    },
  };
}

/** A rollout waits for its new pods to be Ready, and those of a workload that does not run would never be. undefined: it runs. */
const whyNotStarted = (isReady: boolean): string | undefined =>
  isReady ? undefined : 'none of its pods is Ready: repair it, or delete its pods';

/** What rolls these pods, each once, and what nobody rolls. */
async function ownersOf(port: KubernetesPort, pods: readonly Pod[]): Promise<{ owners: Owner[]; unmoved: Unmoved[] }> {
  const owners = new Map<string, Owner>();
  const unmoved = new Map<string, string>();
  const seen = new Set<string>();
  for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
    const controller = controllerOf(pod);
    const why = whyNobodyRolls(pod);
    if (why !== undefined) unmoved.set(controller === undefined ? `Pod ${nameOf(pod)}` : nameOfController(pod, controller), why);
    const key = ownerKey(pod);
    if (why !== undefined || controller === undefined || seen.has(key)) continue;
    seen.add(key);
    const isReady = pods.some((each) => ownerKey(each) === key && isTrue(each, 'Ready'));
    const found = await workloadOf(port, pod);
    if (found === undefined) {
      unmoved.set(nameOfController(pod, controller), 'it belongs to no Deployment or StatefulSet: delete its pods');
      continue;
    }
    const { kind, namespace, name } = found;
    const workload = await port.get<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name });
    const known = owners.get(`${kind}/${name}`);
    if (workload === undefined) continue;
    owners.set(`${kind}/${name}`, {
      kind,
      workload,
      isReady: isReady || known?.isReady === true,
      controllers: [...(known?.controllers ?? []), key],
    });
  }
  return { owners: [...owners.values()], unmoved: [...unmoved].map(([workload, why]) => ({ workload, why })) };
}

/** Pods that a rollout moves: those on old nodes, and new ones that are not Ready yet. What was not restarted was named, and is not waited for. */
async function stillOld(
  port: KubernetesPort,
  { to, namespace, restartedAt }: { to: string; namespace: string; restartedAt: string | undefined },
): Promise<string[]> {
  const isRolled = (pod: Pod): boolean => whyNobodyRolls(pod) === undefined;
  const isStarting = (pod: Pod): boolean => isLive(pod) && isRolled(pod) && !isTrue(pod, 'Ready');
  const pods = (await oldFargatePods(port, to, namespace)).filter(isRolled);
  const unready = (await fargatePods(port, namespace)).filter(isStarting);
  const stays = new Set(await unrolled(port, [...pods, ...unready], restartedAt));
  const [old, starting] = [pods, unready].map((some) => some.filter((pod) => !stays.has(ownerKey(pod)))) as [Pod[], Pod[]];
  return [...old.map((pod) => `${nameOf(pod)} is still there`), ...starting.map((pod) => `${nameOf(pod)} is not Ready yet`)];
}

/** Controllers of pods whose owner a changed template does not roll, or that was not restarted. */
async function unrolled(port: KubernetesPort, pods: readonly Pod[], restartedAt: string | undefined): Promise<string[]> {
  const { owners } = await ownersOf(port, pods);
  const isLeft = ({ kind, workload }: Owner): boolean =>
    whyNotRolled(kind, workload) !== undefined || (restartedAt !== undefined && !isRestarted(workload, restartedAt));
  return owners.filter(isLeft).flatMap(({ controllers }) => controllers);
}

function ownerKey(pod: Pod): string {
  const owner = controllerOf(pod);
  return `${owner?.kind}/${owner?.name}`;
}

/** A StatefulSet deletes a pod before it starts the next one, and so does a Deployment of strategy Recreate. */
function stopsFirst(kind: Owner['kind'], { spec }: Workload): boolean {
  const replicas = spec?.replicas ?? 1;
  return (kind === 'StatefulSet' && replicas === 1) || spec?.strategy?.type === 'Recreate';
}

function titleOf(kind: string, workload: Workload): string {
  return `${kind} ${nameOf(workload)}`;
}

function nameOfController(pod: Pod, { kind, name }: { kind: string; name: string }): string {
  return `${kind} ${pod.metadata.namespace}/${name}`;
}
