/** What the twin does not play of a recorded cluster, in sentences: whatever a rehearsal of it shows rests on these. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import { knowsMinor } from '../../aws/eks/catalogue.ts';
import { isUnknownType } from './aws/images.ts';
import { all, each, record, records, text } from './aws/calls.ts';
import { definitionsOf } from './kubernetes/lists.ts';
import { named } from './named.ts';

/** Controllers that the twin plays itself. */
const PLAYED_GROUPS = /(^|\.)(karpenter\.sh|karpenter\.k8s\.aws|istio\.io|gateway\.networking\.k8s\.io|k8s\.io)$/;
const PLAYED_WEBHOOKS = /^(istio|istiod|karpenter|.*\.karpenter\.|vpc-resource-|pod-identity-webhook|eks-)/;
/** Programs that act when nodes come or go. */
const WATCHES_NODES =
  /^(cluster-autoscaler|descheduler|aws-node-termination-handler|kured|spot-ocean|keda-operator|goldpinger|node-problem-detector)/;
const GPUS = ['nvidia.com/gpu', 'amd.com/gpu', 'aws.amazon.com/neuron', 'aws.amazon.com/neuroncore'];

export function limitsOf(snapshot: Snapshot): string[] {
  return [
    ...unread(snapshot),
    ...admission(snapshot),
    ...operators(snapshot),
    ...workloads(snapshot),
    ...nodes(snapshot),
    ...offers(snapshot),
    'The scheduler honours requests, taints, required affinity, spread with DoNotSchedule, zones of volumes and limits of NodePools. Preferences and preemption are not played.',
    'Karpenter replaces nodes for drift and launches what pending pods need, of the kinds of instances that the cluster has. Consolidation and prices are not played.',
    'Containers start and end; what they do in between is not played, so health comes from readiness alone.',
  ];
}

const list = (snapshot: Snapshot, apiVersion: string, plural: string): SnapshotKubeObject[] =>
  objectsOf(snapshot, apiVersion, plural) ?? [];
const namesOf = (objects: readonly SnapshotKubeObject[]): string =>
  named(objects.map(({ metadata }) => (metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`)));

function unread({ lists, gaps }: Snapshot): string[] {
  const missing = lists.flatMap(({ apiVersion, plural, outcome, why }) =>
    outcome === 'unread'
      ? [
          `Not in the snapshot: ${plural} (${apiVersion}): ${why ?? 'no reason given'}. The twin has none of them${CONSEQUENCES[plural] ?? ''}.`,
        ]
      : [],
  );
  return [...missing, ...gaps.map(({ what, why }) => `Not in the snapshot: ${what}: ${why}. The twin answers with its own.`)];
}

/** What the rehearsal then does not show. */
const CONSEQUENCES: Record<string, string> = {
  poddisruptionbudgets: ', so no drain is held that they would hold',
  persistentvolumes: ', so no pod is bound to the zone of its volume',
  persistentvolumeclaims: ', so no pod is bound to the zone of its volume',
  replicasets: '; those of running pods are rebuilt from their Deployments',
  nodepools: ', so Karpenter replaces no node',
  nodeclaims: ', so Karpenter replaces no node',
  daemonsets: ', so new nodes have none of their pods',
};

function admission(snapshot: Snapshot): string[] {
  const unknown = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']
    .flatMap((plural) => list(snapshot, 'admissionregistration.k8s.io/v1', plural))
    .filter(({ metadata }) => !PLAYED_WEBHOOKS.test(metadata.name));
  if (unknown.length === 0) return [];
  return [`These webhook configurations neither refuse nor change anything here: ${namesOf(unknown)}.`];
}

function operators(snapshot: Snapshot): string[] {
  const groups = new Set(definitionsOf(snapshot).map((definition) => text(record(definition['spec'])['group']) ?? ''));
  const inert = [...groups].filter((group) => group !== '' && !PLAYED_GROUPS.test(group)).toSorted();
  const watchers = list(snapshot, 'apps/v1', 'deployments').filter(({ metadata }) => WATCHES_NODES.test(metadata.name));
  return [
    ...(inert.length === 0
      ? []
      : [`Controllers of these API groups do nothing here, and their objects are only those in the snapshot: ${named(inert)}.`]),
    ...(watchers.length === 0 ? [] : [`What acts when nodes come and go does nothing here: ${namesOf(watchers)}.`]),
  ];
}

function workloads(snapshot: Snapshot): string[] {
  const jobs = [...list(snapshot, 'batch/v1', 'jobs'), ...list(snapshot, 'batch/v1', 'cronjobs')];
  const scalers = list(snapshot, 'autoscaling/v2', 'horizontalpodautoscalers');
  const pods = list(snapshot, 'v1', 'pods');
  const uids = new Set([...snapshot.objects.values()].flatMap((objects) => objects.map(({ metadata }) => metadata.uid)));
  const orphans = pods.filter(({ metadata }) =>
    metadata.ownerReferences?.some((owner) => owner.controller === true && !uids.has(owner.uid)),
  );
  const read = objectsOf(snapshot, 'apps/v1', 'replicasets') !== undefined;
  const lost = orphans.filter(({ metadata }) => read || metadata.ownerReferences?.every(({ kind }) => kind !== 'ReplicaSet') === true);
  const local = list(snapshot, 'v1', 'persistentvolumes').filter((volume) => {
    const spec = record(volume['spec']);
    return spec['local'] !== undefined || spec['hostPath'] !== undefined;
  });
  const daemons = list(snapshot, 'apps/v1', 'daemonsets').filter((set) => holdsDrain(set));
  return [
    ...(jobs.length === 0
      ? []
      : [`Jobs and CronJobs start no pods here, and pods of theirs that are evicted do not come back: ${namesOf(jobs)}.`]),
    ...(scalers.length === 0 ? [] : [`HorizontalPodAutoscalers do not scale here: ${namesOf(scalers)}.`]),
    ...(lost.length === 0 ? [] : [`Nothing creates these pods again, as their controllers are not in the snapshot: ${namesOf(lost)}.`]),
    ...(local.length === 0 ? [] : [`Data on local volumes is not lost here when their nodes go: ${namesOf(local)}.`]),
    ...(daemons.length === 0 ? [] : [`DaemonSets never hold a drain here. These might: ${namesOf(daemons)}.`]),
  ];
}

/** By its pods' own wish. */
function holdsDrain(set: SnapshotKubeObject): boolean {
  const annotations = record(record(record(record(set['spec'])['template'])['metadata'])['annotations']);
  return (
    annotations['karpenter.sh/do-not-disrupt'] !== undefined || annotations['cluster-autoscaler.kubernetes.io/safe-to-evict'] === 'false'
  );
}

function nodes(snapshot: Snapshot): string[] {
  const machines = list(snapshot, 'v1', 'nodes');
  const gpus = machines.filter((node) => GPUS.some((name) => Number(record(record(node['status'])['capacity'])[name] ?? 0) > 0));
  const windows = machines.filter(({ metadata }) => metadata.labels?.['kubernetes.io/os'] === 'windows');
  const hybrid = machines.filter(({ metadata }) => metadata.labels?.['eks.amazonaws.com/compute-type'] === 'hybrid');
  const groups = each(snapshot, 'DescribeNodegroup', 'nodegroup').filter(({ amiType }) => isUnknownType(text(amiType) ?? ''));
  const own = each(snapshot, 'DescribeNodegroup', 'nodegroup').filter(({ amiType }) => amiType === 'CUSTOM');
  const blind = list(snapshot, 'karpenter.k8s.aws/v1', 'ec2nodeclasses').filter((one) =>
    records(record(one['spec'])['amiSelectorTerms']).every(({ alias, id, name }) => (alias ?? id ?? name) === undefined),
  );
  return [
    ...(gpus.length === 0 ? [] : [`GPUs are counted; their drivers and device plugins are not played: ${namesOf(gpus)}.`]),
    ...(windows.length === 0 ? [] : [`Windows nodes are replaced by Linux nodes here: ${namesOf(windows)}.`]),
    ...(hybrid.length === 0 ? [] : [`Hybrid nodes stay as they are: ${namesOf(hybrid)}.`]),
    ...(groups.length === 0
      ? []
      : [`Node groups with images that the twin does not have get Amazon Linux 2023: ${named(groups.map(nameOfGroup))}.`]),
    ...(own.length === 0
      ? []
      : [
          `Images of your own launch templates are not in the snapshot: node groups ${named(own.map(nameOfGroup))} get Amazon Linux 2023 here.`,
        ]),
    ...(blind.length === 0
      ? []
      : [
          `New images that these EC2NodeClasses select by tags or parameters are not known, so their nodes do not drift: ${namesOf(blind)}.`,
        ]),
  ];
}

const nameOfGroup = (group: Record<string, unknown>): string => text(group['nodegroupName']) ?? 'unnamed';

function offers(snapshot: Snapshot): string[] {
  const unknown = all(snapshot, 'DescribeClusterVersions', 'clusterVersions')
    .flatMap(({ clusterVersion }) => text(clusterVersion) ?? [])
    .filter((version) => !knowsMinor(version));
  return unknown.length === 0 ? [] : [`The twin does not know Kubernetes ${named([...new Set(unknown)])}, which EKS offers.`];
}
