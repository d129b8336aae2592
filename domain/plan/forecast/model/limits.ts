/** What a forecast does not know or does not play, each as a sentence. What was not read comes first: nothing of it is taken for "there is none". */
import { agree, count, someOf } from '../../../core/text.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import type { Cluster } from './cluster.ts';
import { nameOf, read, type WorkloadObject } from './objects.ts';
import type { Terms } from './terms.ts';

/** Lists that a forecast stands on, and what it does not know without them. */
const NEEDED: [apiVersion: string, plural: string, costs: string][] = [
  [
    'policy/v1',
    'poddisruptionbudgets',
    'PodDisruptionBudgets were not read: which pods block a drain is unknown, and every eviction is simulated as allowed',
  ],
  ['v1', 'pods', 'Pods were not read: evictions, downtime and blocked nodes are unknown, and nodes are simulated as empty'],
  ['v1', 'nodes', 'Nodes were not read: how many are replaced, and how long that takes, is unknown'],
  ['karpenter.sh/v1', 'nodepools', 'NodePools were not read: their budgets and limits are unknown'],
  ['karpenter.sh/v1', 'nodeclaims', 'NodeClaims were not read: how long nodes take to come is taken from other clusters'],
  ['apps/v1', 'replicasets', 'ReplicaSets were not read: pods are counted by ReplicaSet instead of by Deployment'],
  ['apps/v1', 'deployments', 'Deployments were not read: replicas are as many as there are pods'],
  ['apps/v1', 'statefulsets', 'StatefulSets were not read: their pods are simulated as if they started one after the other'],
  ['v1', 'persistentvolumes', 'PersistentVolumes were not read: zones that pods are bound to are unknown'],
  ['v1', 'persistentvolumeclaims', 'PersistentVolumeClaims were not read: zones that pods are bound to are unknown'],
];
/** An API server without Karpenter serves none. */
const MAY_BE_ABSENT = ['karpenter.sh/v1'];

interface Seen {
  terms: Terms;
  /** Budgets whose recorded status is another than the one that is played. */
  differences: string[];
}

export function limitsOf(snapshot: Snapshot, cluster: Cluster, { terms, differences }: Seen): string[] {
  const { pods, workloads, nodes, classes, pools } = cluster;
  const bare = workloads.filter(({ recreates }) => !recreates).map(({ ref }) => `${ref.namespace}/${ref.name}`);
  const sick = pods.filter(({ ready, node }) => !ready && node >= 0).length;
  const waiting = pods.filter(({ node }) => node < 0).length;
  const bound = pods.filter((pod) => classes[pod.class]?.hostBound === true).map(({ namespace, name }) => `${namespace}/${name}`);
  const scalers = (read<WorkloadObject>(snapshot, 'autoscaling/v2', 'horizontalpodautoscalers') ?? []).map(nameOf);
  const noMinor = nodes.filter(({ minor }) => minor === undefined).length;
  return [
    ...unread(snapshot),
    ...snapshot.gaps.map(({ what, why }) => `Not read: ${what} (${why})`),
    ...sentence(noMinor > 0, `${count(noMinor, 'node')} without a kubelet version ${agree(noMinor, 'is', 'are')} taken for old`),
    ...sentence(
      differences.length > 0,
      `PodDisruptionBudgets differ from their recorded status, and are simulated by their pods: ${someOf(differences, 3)}`,
    ),
    ...sentence(sick > 0, `${count(sick, 'pod')} not Ready in the snapshot ${agree(sick, 'is', 'are')} simulated as never becoming Ready`),
    ...sentence(waiting > 0, `${count(waiting, 'pod')} pending in the snapshot ${agree(waiting, 'gets', 'get')} no new node`),
    ...sentence(bare.length > 0, `Pods without a controller are gone once their node is replaced: ${someOf(bare)}`),
    ...sentence(bound.length > 0, `Pods on volumes of their own node cannot run anywhere else: ${someOf(bound)}`),
    ...sentence(scalers.length > 0, `HorizontalPodAutoscalers keep today's replicas in the forecast: ${someOf(scalers)}`),
    ...sentence(
      terms.strange.size > 0,
      `Affinity and spread by ${someOf([...terms.strange])} are ignored; only host name and zone are simulated`,
    ),
    ...sentence(terms.wide, 'Affinity to namespaces by label counts the pods of all namespaces'),
    ...sentence(
      pools.some(({ shapes, nodeCount }) => nodeCount > 0 && shapes.length > 0),
      'New nodes are of the instance types that each NodePool has today, the smallest that fits first; EC2 is simulated as having capacity',
    ),
    'Karpenter’s consolidation, preferred affinity, priorities that preempt, and what applications and admission webhooks do are not simulated',
    'Waits for maintenance windows, pauses, retries and failures of AWS are not part of any length',
  ];
}

const sentence = (isTrue: boolean, text: string): string[] => (isTrue ? [text] : []);

function unread({ lists, objects }: Snapshot): string[] {
  return NEEDED.flatMap(([apiVersion, plural, costs]) => {
    const list = lists.find((each) => each.apiVersion === apiVersion && each.plural === plural);
    if (list?.outcome === 'read' || objects.has(`${apiVersion} ${plural}`)) return [];
    if (list?.outcome === 'absent' && MAY_BE_ABSENT.includes(apiVersion)) return [];
    if (list === undefined && MAY_BE_ABSENT.includes(apiVersion)) return [];
    const why = list?.why ?? (list === undefined ? 'the snapshot does not have them' : 'the API server serves no such type');
    return [`${costs} (${list?.denied === true ? `not permitted: ${why}` : why})`];
  });
}
