/** Nodes of Auto Scaling groups of one's own that are newer than the minor to go back to: refreshed by Belay where belay.yaml lets it. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { PhaseId } from '../../core/phases.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { count, someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import { pauseWords } from '../steps/autoscaler.ts';
import { spareWords } from '../steps/istiod.ts';
import { refreshOf } from '../steps/other-nodes.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedStep } from '../model/types.ts';
import { nodesAhead } from './nodes.ts';
import type { RollbackStepsInput } from './step-input.ts';

/** Whether a step of the plan takes them back: for groups that are known. */
export function refreshesBack(facts: ClusterFacts, policy: Pick<UpgradePolicy, 'nodeGroups'>): boolean {
  return policy.nodeGroups.selfManaged === 'refresh' && (facts.selfManagedGroups ?? []).length > 0;
}

export function refreshed(
  facts: ClusterFacts,
  { words, minor, later }: { words: string; minor: string; later: readonly PhaseId[] },
): Pick<FindingInput, 'severity' | 'message' | 'resources' | 'remediation'> {
  const names = (facts.selfManagedGroups ?? []).map(({ name }) => name);
  const planned = later.includes('other-nodes');
  return {
    severity: planned ? 'recommended' : 'required',
    message: `${words} Auto Scaling groups: ${someOf(names)}.`,
    resources: names,
    remediation: planned
      ? `They are refreshed to images of ${minor} first, or their owners are asked to.`
      : `Point the launch templates of these groups at an image of ${minor} and refresh the instances; then retry, or request the rollback again.`,
  };
}

/** None where no such node is newer, or people take them back before the plan. */
export function selfManagedSteps({ hop, facts, policy, window: { at, backTo } }: RollbackStepsInput): PlannedStep[] {
  const nodeCount = nodesAhead(facts, hop.to).find(({ owner }) => owner === 'self-managed')?.count ?? 0;
  const refresh = refreshesBack(facts, policy) ? refreshOf(facts, policy) : undefined;
  if (nodeCount === 0 || refresh === undefined) return [];
  const groups = facts.selfManagedGroups ?? [];
  const nodes = `${count(nodeCount, 'self-managed node')} of ${someOf(groups.map(({ name }) => name))}`;
  const step = plannedStep(
    hop,
    { phase: 'other-nodes', to: backTo, back: true, selfManaged: { nodeCount, groups, refresh } },
    {
      title: `${count(nodeCount, 'self-managed node')} back to ${backTo}`,
      why: `No kubelet may be newer than the control plane, and EKS moves neither the ${nodes} nor their AMI: they go back before it.`,
      gate: {
        title: `Replace the ${nodes} by ${backTo}?`,
        next: `Belay shows for each group how it is replaced by an instance refresh, to the image of ${backTo} that its launch template had before where that is still there, and asks before each; groups that are kept as code are asked for.${pauseWords(refresh.autoscaler)}${spareWords(facts)}`,
        why: `Nodes at ${backTo} run well under a control plane at ${at}, too: people may still stop after this step.`,
      },
      rollback: {
        what: `${count(nodeCount, 'self-managed node')}, up to ${at} again`,
        how: 'an instance refresh to the version before of the launch template, which stays',
        until: `the control plane is back at ${backTo}`,
        cost: `${count(nodeCount, 'node')} replaced once more`,
      },
    },
    policy,
  );
  return [step];
}
