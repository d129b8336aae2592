/** What of this plan is not played, each as a sentence. */
import { someOf } from '../../../core/text.ts';
import type { Snapshot } from '../../../facts/snapshot/format.ts';
import type { UpgradePlan } from '../../model/types.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Surge } from '../types.ts';

export function planLimits(
  snapshot: Snapshot,
  { steps }: UpgradePlan,
  { pools, groups, freeAddresses }: Cluster,
  { cost, unpriced }: Surge,
): string[] {
  const params = steps.map((step) => step.params);
  const wanted = params.flatMap((each) => (each.phase === 'karpenter-drift' ? each.nodePools : []));
  const gone = [...new Set(wanted)].filter((name) => !pools.some((pool) => pool.name === name));
  const groupNames = params.flatMap((each) => (each.phase === 'node-groups' ? each.groups.map(({ name }) => name) : []));
  const goneGroups = [...new Set(groupNames)].filter((name) => groups.every((group) => group.name !== name || group.shape === undefined));
  const isScheduled = pools.some(({ budgets }) => budgets.some(({ schedule }) => schedule !== undefined));
  const fargate = params.some((each) => each.phase === 'other-nodes' && each.fargate !== undefined);
  const machines = params.some((each) => each.phase === 'karpenter-migration' && (each.nodeCount ?? 0) > 0);
  const isUpdated = snapshot.calls.some(({ operation }) => operation === 'DescribeUpdate' || operation === 'ListUpdates');
  return [
    ...sentence(gone.length > 0, `NodePools of the plan that the snapshot does not have are not simulated: ${someOf(gone)}`),
    ...sentence(goneGroups.length > 0, `Node groups of the plan without nodes in the snapshot are not simulated: ${someOf(goneGroups)}`),
    ...sentence(isScheduled, 'Budgets with a schedule are simulated as if the upgrade began when the snapshot was taken'),
    ...sentence(fargate, 'Pods on Fargate are not simulated one by one: their rollouts take as long as reports have it'),
    ...sentence(machines, "Nodes of Karpenter's Machines are not simulated one by one"),
    ...sentence(freeAddresses === undefined, 'Subnets were not read: whether addresses run out is unknown'),
    ...sentence(freeAddresses !== undefined, 'Addresses that the VPC CNI keeps warm come on top of those counted'),
    ...sentence(
      cost === undefined && unpriced.length > 0,
      `What extra nodes cost is unknown: forecast.prices of belay.yaml has no price of ${someOf(unpriced)}`,
    ),
    ...sentence(
      cost !== undefined,
      'Extra nodes cost what forecast.prices of belay.yaml says: spot, savings plans, volumes and traffic are left out',
    ),
    ...sentence(isUpdated, 'EKS does not tell when an update ended: the control plane takes as long as earlier runs or reports have it'),
  ];
}

const sentence = (isTrue: boolean, text: string): string[] => (isTrue ? [text] : []);
