/** Finds what a run has left behind, by its marks on the objects themselves: Temporal is not asked. */
import type { Leftover, Unseen } from '../../../domain/run/leftovers.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { LeftoverActivities } from '../../contract/belay-activities.ts';
import { ISTIO_BEFORE } from '../../istio/mesh/namespace-labels.ts';
import { MIN_BEFORE } from '../../istio/mesh/lone-istiod.ts';
import { CANARY_OF } from '../../karpenter/controller/canary-node.ts';
import { AMI_MOVE } from '../../karpenter/amis/change-amis.ts';
import { BEFORE, GUARD } from '../../karpenter/freeze/before-image.ts';
import { AMI_BEFORE } from '../../karpenter/amis/hold-amis.ts';
import { heldFor } from '../../karpenter/objects/node-annotations.ts';
import { CLASS_BEFORE } from '../../karpenter/amis/switch-node-class.ts';
import { listServed, NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import type { Autoscaler, ClusterNode, NodePool, Workload } from '../../clients/kubernetes/objects.ts';
import { CORDONED } from '../../kubernetes/objects/cordon-node.ts';
import { REPLICAS_BEFORE } from '../../kubernetes/objects/scale-workloads.ts';
import { markedOnFargate } from '../../eks/fargate/stop-fargate.ts';
import { LEGACY_TAINT } from '../../karpenter/migration/old-objects.ts';
import { listStored } from '../../karpenter/migration/stored-version.ts';
import { findMerges, judgeMerges } from '../../kubernetes/gitops/merge-state.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import { hasHook } from '../../eks/auto-scaling/lifecycle-hook.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { type ClusterRef, eksNameOf } from '../../../domain/core/cluster-ref.ts';
import { readAutoScalingGroups } from '../../eks/auto-scaling/list-groups.ts';

/** It goes into a history. */
const MERGE_WHY = 400;

export interface LeftoverDeps extends KubernetesDeps {
  store: RecordStore;
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
        ['what runs on Fargate', () => stopped(kubernetes)],
        ['HorizontalPodAutoscalers', () => raised(kubernetes)],
        ['marks on other objects', () => otherMarks(kubernetes)],
        ['lifecycle hooks', () => hooks(deps.account(cluster), eksNameOf(cluster))],
      ];
      for (const [what, look] of looks) {
        try {
          leftovers.push(...(await look()));
        } catch (error) {
          unseen.push({ what, why: messageOf(error) });
        }
      }
      try {
        const merges = await findMerges(deps.store, kubernetes, cluster);
        return { leftovers, unseen, ...(merges.length === 0 ? {} : { merges }) };
      } catch (error) {
        return { leftovers, unseen: [...unseen, { what: 'records of earlier runs', why: messageOf(error) }] };
      }
    },
    async lookAtMerges({ cluster, changed }) {
      const merges = await judgeMerges((await deps.clusterPorts(cluster)).kubernetes, changed);
      return { merges: merges.map((each) => ({ ...each, why: each.why.slice(0, MERGE_WHY) })) };
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
    ...nodes
      .filter((node) => markOf(node, CORDONED) !== undefined)
      .map(({ metadata }): Leftover => ({ kind: 'cordoned-node', node: metadata.name })),
    // Whoever took the guard's name off has to say whose it was.
    ...pools.filter((pool) => markOf(pool, BEFORE) !== undefined && markOf(pool, GUARD) === undefined).map(forPeople('nodepools', BEFORE)),
    ...pools.filter((pool) => markOf(pool, CLASS_BEFORE) !== undefined).map(forPeople('nodepools', CLASS_BEFORE)),
  ];
}

async function nodeClasses(port: KubernetesPort): Promise<Leftover[]> {
  const classes = (await listStored(port, 'ec2nodeclasses.karpenter.k8s.aws'))?.objects ?? [];
  return [
    ...classes
      .filter((each) => markOf(each, AMI_BEFORE) !== undefined)
      .map(({ metadata }): Leftover => ({ kind: 'ami-hold', nodeClass: metadata.name })),
    ...classes.filter((each) => markOf(each, AMI_MOVE) !== undefined).map(forPeople('ec2nodeclasses', AMI_MOVE)),
  ];
}

/** What a wave of Istio has moved, a canary or a taint of Karpenter's: only the plan knows which way they were to go. */
async function otherMarks(port: KubernetesPort): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const query of MOVED_BY_WAVES) {
    const all = await listServed(port, { ...query, metadataOnly: true });
    found.push(...all.filter((each) => markOf(each, ISTIO_BEFORE) !== undefined).map(forPeople(query.plural, ISTIO_BEFORE)));
  }
  for (const [definition, mark] of MARKED_CUSTOM_RESOURCES) {
    const all = (await listStored(port, definition))?.objects ?? [];
    found.push(...all.filter((each) => markOf(each, mark) !== undefined).map(forPeople(definition.split('.')[0] ?? definition, mark)));
  }
  return found;
}

const MOVED_BY_WAVES = [
  { apiVersion: 'v1', plural: 'namespaces' },
  { apiVersion: 'apps/v1', plural: 'deployments' },
  { apiVersion: 'apps/v1', plural: 'daemonsets' },
  { apiVersion: 'admissionregistration.k8s.io/v1', plural: 'mutatingwebhookconfigurations' },
];

const MARKED_CUSTOM_RESOURCES = [
  ['gateways.gateway.networking.k8s.io', ISTIO_BEFORE],
  ['nodeclaims.karpenter.sh', CANARY_OF],
  ['provisioners.karpenter.sh', LEGACY_TAINT],
] as const;

const forPeople =
  (plural: string, mark: string) =>
  ({ metadata: { namespace, name } }: KubeObject): Leftover => ({
    kind: 'for-people',
    resource: [plural, ...(namespace === undefined ? [] : [namespace]), name].join('/'),
    mark,
  });

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

async function stopped(port: KubernetesPort): Promise<Leftover[]> {
  const workloads = (await markedOnFargate(port)).map(objectTitle);
  return workloads.length === 0 ? [] : [{ kind: 'fargate', workloads }];
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
async function hooks(account: AccountClients, eksName: string): Promise<Leftover[]> {
  const groups = (await readAutoScalingGroups(account, eksName)).filter(({ managed }) => !managed);
  const found: Leftover[] = [];
  for (const { name } of groups) if (await hasHook(account, name)) found.push({ kind: 'lifecycle-hook', group: name });
  return found;
}
