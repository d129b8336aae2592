/** What owns pods on Fargate stands still while a control plane goes back, and is started again: the replicas before stand in an annotation on each. */
import { messageOf } from '../../../domain/core/unknown.ts';
import { beat } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { isPermanent } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { PLURALS, rolloutLack } from '../../kubernetes/objects/rollout.ts';
import { controllerOf, nameOf, type Workload } from '../../clients/kubernetes/objects.ts';
import { refOf, type Scalable } from '../../kubernetes/objects/scale-workloads.ts';
import type { OtherNodeActivities, Unmoved } from '../../contract/other-nodes.ts';
import { isDns, readFargateBack } from './workload-owners.ts';
import { newerFargateNodes, newerFargatePods } from './fargate-pods.ts';
import { objectTitle } from '../../../domain/core/text.ts';

/** On the workload's own metadata, so that nothing is rolled out. The number of replicas before. */
export const FARGATE_BEFORE = 'belay.dev/fargate-replicas-before';

type FargateStop = Pick<
  OtherNodeActivities,
  'readFargateBack' | 'stopFargate' | 'awaitFargateStopped' | 'startFargate' | 'awaitFargateStarted'
>;

/** Results are small: so many are named. */
const NAMED = 20;

export function createFargateStopActivities(deps: KubernetesDeps): FargateStop {
  return {
    async readFargateBack({ cluster, to, placed = false }) {
      return await readFargateBack((await deps.clusterPorts(cluster)).kubernetes, to, placed);
    },
    async stopFargate({ cluster, to, dns }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { workloads, stuck, dns: withDns } = await readFargateBack(port, to);
      const left =
        withDns && !dns ? [...stuck, { workload: 'Deployment kube-system/coredns', why: 'The plan does not stop cluster DNS' }] : stuck;
      if (left.length > 0) return { stopped: [], stoppedCount: 0, stuck: left.slice(0, NAMED) };
      // What needs names resolved for its own end goes before what resolves them.
      for (const which of workloads.toSorted((a, b) => Number(isDns(a)) - Number(isDns(b)))) {
        beat({ kind: 'stopping', workload: objectTitle(which) });
        await lookThenPatch<Workload>(port, refOf(which), stopOperations);
      }
      const all = (await markedOnFargate(port)).map(objectTitle);
      return { stopped: all.slice(0, NAMED), stoppedCount: all.length, stuck: [] };
    },
    async awaitFargateStopped({ cluster, timing, to }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let left: string[] = [];
      const end = await waitUntil<true>(
        { timing, timeoutMs: timing.rolloutTimeoutMs, doing: `waiting until nothing on Fargate is newer than ${to}` },
        async () => {
          left = await newer(port, to);
          return left.length === 0 ? { done: true, value: true } : { done: false, note: left.slice(0, 3).join('; ') };
        },
      );
      return { timedOut: end.kind === 'timed-out', left: left.slice(0, NAMED) };
    },
    async startFargate({ cluster, forget = false }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const changedByOthers: string[] = [];
      const failed: Unmoved[] = [];
      let startedCount = 0;
      let passing: unknown;
      for (const which of await markedOnFargate(port)) {
        beat({ kind: 'starting', workload: objectTitle(which) });
        try {
          const how = await start(port, which, forget);
          if (how === 'started') startedCount += 1;
          else if (how === 'changed') changedByOthers.push(objectTitle(which));
          else if (how !== 'gone') failed.push({ workload: objectTitle(which), why: how.why });
        } catch (error) {
          if (!isPermanent(error)) passing ??= error;
          failed.push({ workload: objectTitle(which), why: messageOf(error) });
        }
      }
      // A transient failure of one of them makes the call fail, to be tried again, only after the others have been started.
      if (passing !== undefined) throw passing;
      return { startedCount, changedByOthers: changedByOthers.slice(0, NAMED), failed: failed.slice(0, NAMED) };
    },
    async awaitFargateStarted({ cluster, timing }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const waited = await markedOnFargate(port);
      let left: string[] = [];
      const end = await waitUntil<true>(
        { timing, timeoutMs: timing.rolloutTimeoutMs, doing: 'waiting for what runs on Fargate to be Ready again' },
        async () => {
          left = await notReady(port, waited);
          return left.length === 0 ? { done: true, value: true } : { done: false, note: left.slice(0, 3).join('; ') };
        },
      );
      // Nothing is owed any more: what does not become Ready has another reason.
      for (const which of waited) await lookThenPatch<Workload>(port, refOf(which), forgetOperations);
      return { timedOut: end.kind === 'timed-out', left: left.slice(0, NAMED) };
    },
  };
}

/** A second look, after somebody has scaled it up meanwhile, does not forget the number before. */
function stopOperations(workload: Workload): JsonOperation[] {
  const replicas = workload.spec?.replicas ?? 1;
  if (replicas === 0) return [];
  const remember =
    workload.metadata.annotations?.[FARGATE_BEFORE] === undefined ? annotate(workload, { [FARGATE_BEFORE]: String(replicas) }) : [];
  return [...remember, { op: 'add', path: '/spec/replicas', value: 0 }];
}

/** The mark stays until all of it is Ready (`forgets` false), so that it is found whatever dies meanwhile. */
async function start(port: KubernetesPort, which: Scalable, forgets: boolean): Promise<'started' | 'changed' | 'gone' | { why: string }> {
  const result = await lookThenPatch<Workload>(port, refOf(which), (workload) => startOperations(workload, forgets));
  if (result.kind === 'gone') return 'gone';
  const { seen } = result;
  const text = seen.metadata.annotations?.[FARGATE_BEFORE];
  const before = beforeOf(seen);
  // Somebody has taken the mark off in between.
  if (text === undefined) return 'gone';
  if (before === undefined) return { why: `its annotation ${FARGATE_BEFORE} says "${text}", which is no number of replicas` };
  const replicas = seen.spec?.replicas ?? 1;
  return replicas === 0 || replicas === before ? 'started' : 'changed';
}

function startOperations(workload: Workload, forgets: boolean): JsonOperation[] {
  const before = beforeOf(workload);
  if (before === undefined) return [];
  const cleaned = forgets ? annotate(workload, { [FARGATE_BEFORE]: null }) : [];
  return workload.spec?.replicas === 0 ? [...cleaned, { op: 'add', path: '/spec/replicas', value: before }] : cleaned;
}

/** What still stands at 0 is still owed. */
const forgetOperations = (workload: Workload): JsonOperation[] =>
  workload.spec?.replicas === 0 ? [] : annotate(workload, { [FARGATE_BEFORE]: null });

function beforeOf({ metadata }: Workload): number | undefined {
  const text = metadata.annotations?.[FARGATE_BEFORE] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** What bears the before-image, CoreDNS first: the others find nobody without it. */
export async function markedOnFargate(port: KubernetesPort): Promise<Scalable[]> {
  const found: Scalable[] = [];
  for (const kind of ['Deployment', 'StatefulSet'] as const) {
    const all = await listServed(port, { apiVersion: 'apps/v1', plural: PLURALS[kind], metadataOnly: true });
    for (const { metadata } of all) {
      const { namespace = '', name, annotations } = metadata;
      if (annotations?.[FARGATE_BEFORE] !== undefined) found.push({ kind, namespace, name });
    }
  }
  return found.toSorted((a, b) => Number(isDns(b)) - Number(isDns(a)));
}

async function newer(port: KubernetesPort, to: string): Promise<string[]> {
  const pods = await newerFargatePods(port, to);
  const owners = pods.map((pod) => {
    const owner = controllerOf(pod);
    return `Pod ${nameOf(pod)}${owner === undefined ? '' : ` of ${owner.kind} ${owner.name}`}`;
  });
  if (owners.length > 0) return owners;
  return (await newerFargateNodes(port, to)).map((name) => `Node ${name}`);
}

async function notReady(port: KubernetesPort, waited: readonly Scalable[]): Promise<string[]> {
  const left: string[] = [];
  for (const which of waited) {
    const workload = await port.get<Workload>(refOf(which));
    const lack = workload === undefined ? undefined : rolloutLack(which.kind, workload);
    if (lack !== undefined) left.push(`${objectTitle(which)}: ${lack}`);
  }
  return left;
}
