/**
 * istiod with one replica under its chart's budget (minAvailable 1, before Istio 1.28 whatever the replicas): no node that it runs on could drain.
 * It gets a second replica while nodes move, through its autoscaler where it has one, with the number before as an annotation.
 */
import { matches } from '../../../domain/core/label-selectors.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { Autoscaler, DisruptionBudget, Workload } from '../../clients/kubernetes/objects.ts';
import { findIstiods } from './inventory.ts';
import { REPLICAS_BEFORE } from '../../kubernetes/objects/scale-workloads.ts';
import type { LoneIstiod } from '../../contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

/** On the HorizontalPodAutoscaler: its minReplicas before. */
export const MIN_BEFORE = 'belay.dev/min-replicas-before';
const SPARED = 2;

/** What is raised: replicas of the Deployment, or minReplicas of its autoscaler. */
type Scalable = Workload | Autoscaler;

interface Lever {
  ref: ResourceRef;
  mark: string;
  path: '/spec/replicas' | '/spec/minReplicas';
  read(object: Scalable): number;
}

type LoneIstiodActivities = Pick<IstioActivities, 'findLoneIstiods' | 'raiseIstiod' | 'awaitIstiodFree' | 'lowerIstiod'>;

export function createLoneIstiodActivities(deps: KubernetesDeps): LoneIstiodActivities {
  return {
    findLoneIstiods: async ({ cluster }) => ({ lone: await findLoneIstiods((await deps.clusterPorts(cluster)).kubernetes) }),
    async raiseIstiod({ cluster, istiod }) {
      const lever = leverOf(istiod);
      await lookThenPatch<Scalable>((await deps.clusterPorts(cluster)).kubernetes, lever.ref, (object) => raise(object, lever));
    },
    async awaitIstiodFree({ cluster, timing, istiod, timeoutMs }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { namespace, budget } = istiod;
      const end = await waitUntil<true>(
        { timing, timeoutMs, doing: `waiting until ${namespace}/${budget} lets an istiod go` },
        async () => {
          const found = (await budgetsIn(port, namespace)).find(({ metadata }) => metadata.name === budget);
          // Without its budget nothing holds it.
          const free = found === undefined || (found.status?.disruptionsAllowed ?? 0) > 0;
          return free
            ? { done: true, value: true }
            : { done: false, note: `${found.status?.currentHealthy ?? 0} of ${SPARED} istiods are healthy` };
        },
      );
      return { free: end.kind === 'done', ...(end.kind === 'timed-out' ? { why: end.lastNote ?? 'not in time' } : {}) };
    },
    async lowerIstiod({ cluster, istiod }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const lever = leverOf(istiod);
      const result = await lookThenPatch<Scalable>(port, lever.ref, (object) => lower(object, lever));
      return { changedByOthers: result.kind === 'there' && isChangedByOthers(result.seen, lever) };
    },
  };
}

/** Those that Belay has raised already, and not put back, are among them. One whose autoscaler may not go to two is not: people have to. */
export async function findLoneIstiods(port: KubernetesPort): Promise<LoneIstiod[]> {
  const deployments = await findIstiods(port);
  const found: LoneIstiod[] = [];
  for (const deployment of deployments) {
    const { name, namespace = '' } = deployment.metadata;
    const budget = (await budgetsIn(port, namespace)).find(({ spec }) =>
      matches(spec?.selector, deployment.spec?.template?.metadata?.labels),
    );
    const scaler = await scalerOf(port, namespace, name);
    if (budget === undefined || (scaler?.spec?.maxReplicas ?? SPARED) < SPARED) continue;
    const owner = keeperOf(scaler ?? deployment);
    const istiod: LoneIstiod = {
      namespace,
      deployment: name,
      budget: budget.metadata.name,
      ...(scaler === undefined ? {} : { autoscaler: scaler.metadata.name }),
      ...defined({ owner }),
    };
    const isRaised = readBefore(scaler ?? deployment, leverOf(istiod)) !== undefined;
    const isLone = (deployment.spec?.replicas ?? 1) === 1 && (budget.status?.disruptionsAllowed ?? 0) === 0;
    if (isRaised || isLone) found.push(istiod);
  }
  return found;
}

async function budgetsIn(port: KubernetesPort, namespace: string): Promise<DisruptionBudget[]> {
  return (await port.list<DisruptionBudget>({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace })) ?? [];
}

async function scalerOf(port: KubernetesPort, namespace: string, deployment: string): Promise<Autoscaler | undefined> {
  const scalers = (await port.list<Autoscaler>({ apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace })) ?? [];
  return scalers.find(({ spec }) => spec?.scaleTargetRef?.kind === 'Deployment' && spec.scaleTargetRef.name === deployment);
}

function leverOf({ namespace, deployment, autoscaler }: LoneIstiod): Lever {
  if (autoscaler !== undefined) {
    const ref = { apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers', namespace, name: autoscaler };
    return {
      ref,
      mark: MIN_BEFORE,
      path: '/spec/minReplicas',
      read: ({ spec }) => (spec !== undefined && 'minReplicas' in spec ? (spec.minReplicas ?? 1) : 1),
    };
  }
  const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace, name: deployment };
  return {
    ref,
    mark: REPLICAS_BEFORE,
    path: '/spec/replicas',
    read: ({ spec }) => (spec !== undefined && 'replicas' in spec ? (spec.replicas ?? 1) : 1),
  };
}

function readBefore({ metadata }: Scalable, { mark }: Lever): number | undefined {
  const text = metadata.annotations?.[mark] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function raise(object: Scalable, lever: Lever): JsonOperation[] {
  const now = lever.read(object);
  if (now >= SPARED) return [];
  const remember = readBefore(object, lever) === undefined ? annotate(object, { [lever.mark]: String(now) }) : [];
  return [...remember, { op: 'add', path: lever.path, value: SPARED }];
}

function lower(object: Scalable, lever: Lever): JsonOperation[] {
  const before = readBefore(object, lever);
  const cleaned = annotate(object, { [lever.mark]: null });
  const isOurs = before !== undefined && lever.read(object) === SPARED;
  return isOurs ? [...cleaned, { op: 'add', path: lever.path, value: before }] : cleaned;
}

/** Somebody set it to another number meanwhile: that is left as it is. */
function isChangedByOthers(object: Scalable, lever: Lever): boolean {
  const before = readBefore(object, lever);
  const now = lever.read(object);
  return before !== undefined && now !== SPARED && now !== before;
}
