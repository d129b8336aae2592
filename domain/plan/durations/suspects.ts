/** What to look at when a phase looks stuck: the usual suspects, each with the command that shows it. */
import { type ClusterRef, eksNameOf } from '../../core/cluster-ref.ts';
import type { PhaseId } from '../../core/phases.ts';
import type { StepParams } from '../model/step-params.ts';

type Named = Pick<ClusterRef, 'name' | 'eksName' | 'region'>;

/** `flag`: in which the command takes the cluster's name. With the region: another one may have a cluster of the same name. */
const inEks = (cluster: Named, flag: '--name' | '--cluster-name'): string => `${flag} ${eksNameOf(cluster)} --region ${cluster.region}`;

const PODS = 'pods that do not start: `kubectl get pods -A --field-selector=status.phase=Pending`';
const BUDGETS = 'PodDisruptionBudgets that allow nothing: `kubectl get pdb -A`';
const EVENTS = 'warnings of the last hour: `kubectl get events -A --field-selector=type=Warning`';
const CLAIMS = 'nodes that never join, and claims that wait: `kubectl get nodeclaims`, `kubectl get nodes`';

const insights = (cluster: Named): string[] => [
  `EKS insights that are still being refreshed: \`aws eks list-insights ${inEks(cluster, '--cluster-name')}\``,
  'an API server that answers slowly: `kubectl get --raw /readyz?verbose`',
];
const addOns = (cluster: Named): string[] => [
  `add-ons that are DEGRADED, and why: \`belay check ${cluster.name}\`, \`aws eks describe-addon ${inEks(cluster, '--cluster-name')} --addon-name NAME\``,
  PODS,
];
const updates = (cluster: Named): string =>
  `what EKS says of the update: \`aws eks list-updates ${inEks(cluster, '--name')}\`, then \`aws eks describe-update ${inEks(cluster, '--name')} --update-id ID\``;
const controlPlane = (cluster: Named): string[] => [
  updates(cluster),
  `subnets of the control plane with fewer than five free addresses, or a KMS key that is gone: \`aws ec2 describe-subnets --region ${cluster.region}\``,
  'admission webhooks that fail: `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`',
];

const SUSPECTS: Record<PhaseId, (cluster: Named) => string[]> = {
  'pre-checks': insights,
  'control-plane-logging': (cluster) => [updates(cluster)],
  'karpenter-migration': () => ["Karpenter's controller: `kubectl logs -n kube-system -l app.kubernetes.io/name=karpenter`", CLAIMS],
  'karpenter-controller': () => [
    "the rollout of Karpenter's Deployment: `kubectl get deployments -A -l app.kubernetes.io/name=karpenter`",
    'whoever keeps it as code: a merge or a sync that has not happened',
    PODS,
  ],
  istio: () => ['proxies that do not take the new configuration: `istioctl proxy-status`', BUDGETS, PODS],
  'add-ons-bridge': addOns,
  'freeze-drift': () => ['GitOps that puts the budgets back: `kubectl get nodepools -o yaml`'],
  'control-plane': controlPlane,
  bake: () => [EVENTS],
  'node-groups': (cluster) => [
    BUDGETS,
    `issues of the groups: \`aws eks describe-nodegroup ${inEks(cluster, '--cluster-name')} --nodegroup-name NAME\``,
    PODS,
  ],
  'other-nodes': () => [BUDGETS, 'nodes that are not replaced: `kubectl get nodes -o wide`', PODS],
  'karpenter-drift': () => [
    BUDGETS,
    CLAIMS,
    'pods with karpenter.sh/do-not-disrupt, and volumes that do not detach: `kubectl get volumeattachments`',
  ],
  'add-ons-target': addOns,
  validation: () => [EVENTS, 'nodes that are not Ready: `kubectl get nodes`'],
  'rollback-checks': insights,
  'add-ons-back': addOns,
  'control-plane-back': controlPlane,
  'node-classes-back': () => ['what Karpenter has found: `kubectl get ec2nodeclasses -o yaml`, status.amis and its conditions'],
};

export function suspects({ phase }: StepParams, cluster: Named): string[] {
  return SUSPECTS[phase](cluster);
}
