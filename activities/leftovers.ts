/** Finds what a run has left behind, by its marks on the objects themselves: Temporal is not asked. */
import type { ClusterRef } from '../domain/facts.ts';
import type { Leftover, Unseen } from '../domain/reconcile.ts';
import { messageOf } from '../domain/unknown.ts';
import type { AccountClients } from './clients/aws-account.ts';
import type { LeftoverActivities } from './contract.ts';
import { ISTIO_BEFORE } from './kubernetes/istio/namespace-labels.ts';
import { MIN_BEFORE } from './kubernetes/istio/lone-istiod.ts';
import { AMI_MOVE } from './kubernetes/karpenter/ami-moves.ts';
import { BEFORE, GUARD } from './kubernetes/karpenter/freeze-image.ts';
import { AMI_BEFORE } from './kubernetes/karpenter/hold-amis.ts';
import { heldFor } from './kubernetes/karpenter/hold-node.ts';
import { EC2_NODE_CLASSES } from './kubernetes/karpenter/pools.ts';
import { CLASS_BEFORE } from './kubernetes/karpenter/switch-node-class.ts';
import { listServed, NODES, slimNode } from './kubernetes/lists.ts';
import type { Autoscaler, ClusterNode, NodePool, Workload } from './kubernetes/shapes.ts';
import { REPLICAS_BEFORE } from './kubernetes/workloads.ts';
import { listStored } from './migrations/stored-version.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort } from './ports.ts';
import { readAutoScalingGroups } from './readiness/account.ts';
import { hasHook } from './self-managed/hook.ts';

export interface LeftoverDeps extends KubernetesDeps {
  account(cluster: ClusterRef): AccountClients;
}

export function createLeftoverActivities(deps: LeftoverDeps): LeftoverActivities {
  return {
    async findLeftovers({ cluster }) {
      const { kubernetes } = await deps.clusterPorts(cluster);
      const leftovers: Leftover[] = [];
      const unseen: Unseen[] = [];
      const looks: [string, () => Promise<Leftover[]>][] = [
        ['NodePools and Nodes', () => heldNodes(kubernetes)],
        ['EC2NodeClasses', () => nodeClasses(kubernetes)],
        ['Deployments and StatefulSets', () => scaled(kubernetes)],
        ['HorizontalPodAutoscalers', () => raised(kubernetes)],
        ['Namespaces', () => namespaces(kubernetes)],
        ['lifecycle hooks', () => hooks(deps.account(cluster), cluster.name)],
      ];
      for (const [what, look] of looks) {
        try {
          leftovers.push(...(await look()));
        } catch (error) {
          unseen.push({ what, why: messageOf(error) });
        }
      }
      return { leftovers, unseen };
    },
  };
}

const markOf = ({ metadata }: KubeObject, mark: string): string | undefined => metadata.annotations?.[mark];

async function heldNodes(port: KubernetesPort): Promise<Leftover[]> {
  const pools = (await listStored<NodePool>(port, 'nodepools.karpenter.sh'))?.objects ?? [];
  const nodes = await listServed<ClusterNode>(port, NODES, slimNode);
  const guards = new Map<string, { pools: string[]; nodeCount: number }>();
  const of = (guard: string) => {
    const known = guards.get(guard) ?? { pools: [], nodeCount: 0 };
    guards.set(guard, known);
    return known;
  };
  for (const pool of pools) {
    const guard = markOf(pool, GUARD);
    if (guard !== undefined) of(guard).pools.push(pool.metadata.name);
  }
  for (const node of nodes) {
    const guard = heldFor(node, 'freeze');
    if (guard !== undefined) of(guard).nodeCount += 1;
  }
  const inWaves = nodes.filter((node) => heldFor(node, 'wave') !== undefined);
  const skipped = nodes.filter((node) => heldFor(node, 'skipped') !== undefined);
  return [
    ...[...guards].map(([guard, held]): Leftover => ({ kind: 'freeze', guard, ...held })),
    ...(inWaves.length === 0 ? [] : [{ kind: 'waves' as const, nodeCount: inWaves.length }]),
    ...skipped.map(({ metadata }): Leftover => ({ kind: 'skipped-node', node: metadata.name })),
    // Whoever took the guard's name off has to say whose it was.
    ...pools.filter((pool) => markOf(pool, BEFORE) !== undefined && markOf(pool, GUARD) === undefined).map(forPeople('nodepools', BEFORE)),
    ...pools.filter((pool) => markOf(pool, CLASS_BEFORE) !== undefined).map(forPeople('nodepools', CLASS_BEFORE)),
  ];
}

async function nodeClasses(port: KubernetesPort): Promise<Leftover[]> {
  const classes = (await port.list(EC2_NODE_CLASSES)) ?? [];
  return [
    ...classes
      .filter((each) => markOf(each, AMI_BEFORE) !== undefined)
      .map(({ metadata }): Leftover => ({ kind: 'ami-hold', nodeClass: metadata.name })),
    ...classes.filter((each) => markOf(each, AMI_MOVE) !== undefined).map(forPeople('ec2nodeclasses', AMI_MOVE)),
  ];
}

/** Namespaces that a wave of Istio has moved: only the plan knows which way. */
async function namespaces(port: KubernetesPort): Promise<Leftover[]> {
  const all = await listServed(port, { apiVersion: 'v1', plural: 'namespaces' });
  return all.filter((each) => markOf(each, ISTIO_BEFORE) !== undefined).map(forPeople('namespaces', ISTIO_BEFORE));
}

const forPeople =
  (plural: string, mark: string) =>
  ({ metadata }: KubeObject): Leftover => ({ kind: 'for-people', resource: `${plural}/${metadata.name}`, mark });

async function scaled(port: KubernetesPort): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const [plural, workload] of [
    ['deployments', 'Deployment'],
    ['statefulsets', 'StatefulSet'],
  ] as const) {
    const all = await listServed(port, { apiVersion: 'apps/v1', plural, metadataOnly: true });
    for (const object of all) {
      const before = markOf(object, REPLICAS_BEFORE);
      if (before === undefined) continue;
      const { name, namespace = '' } = object.metadata;
      const now = await port.get<Workload>({ apiVersion: 'apps/v1', plural, namespace, name });
      // Only a pause ends at none: whatever else is scaled gets one more.
      const paused = workload === 'Deployment' && now?.spec?.replicas === 0;
      found.push(paused ? { kind: 'autoscaler', namespace, name, before } : { kind: 'scaled', workload, namespace, name, before });
    }
  }
  return found;
}

async function raised(port: KubernetesPort): Promise<Leftover[]> {
  const all = (await port.list<Autoscaler>({ apiVersion: 'autoscaling/v2', plural: 'horizontalpodautoscalers' })) ?? [];
  return all.flatMap((scaler): Leftover[] => {
    const before = markOf(scaler, MIN_BEFORE);
    const { name, namespace = '' } = scaler.metadata;
    const deployment = scaler.spec?.scaleTargetRef?.name ?? name;
    return before === undefined ? [] : [{ kind: 'istiod', namespace, autoscaler: name, deployment, before }];
  });
}

/** Of the groups that belong to the cluster and not to EKS: those that Belay may have refreshed. */
async function hooks(account: AccountClients, cluster: string): Promise<Leftover[]> {
  const groups = (await readAutoScalingGroups(account, cluster)).filter(({ managed }) => !managed);
  const found: Leftover[] = [];
  for (const { name } of groups) if (await hasHook(account, name)) found.push({ kind: 'lifecycle-hook', group: name });
  return found;
}
