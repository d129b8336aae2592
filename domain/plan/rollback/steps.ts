/** Steps of a way back, in their order: look, Karpenter's nodes, node groups, add-ons, control plane, what held Karpenter, look. */
import { about, count, everyOne, someOf, utcMinute } from '../../core/text.ts';
import { expectedMs } from '../durations/defaults.ts';
import { autoscalerToPause, pauseWords } from '../steps/autoscaler.ts';
import { sparing, spareWords } from '../steps/istiod.ts';
import { NOTHING_TO_UNDO, plannedStep } from '../steps/step.ts';
import type { PlannedStep } from '../model/types.ts';
import { karpenterSteps, nodeClassesStep } from './karpenter-steps.ts';
import { selfManagedSteps } from './self-managed.ts';
import { autoModeBack, autoModeWords } from './auto-mode.ts';
import { fargateWords } from './fargate.ts';
import type { RollbackStepsInput } from './step-input.ts';
import { defined } from '../../core/defined.ts';

export function backSteps(input: RollbackStepsInput): PlannedStep[] {
  return [
    checksStep(input),
    ...karpenterSteps(input),
    ...(input.groups.length === 0 ? [] : [groupsStep(input)]),
    ...selfManagedSteps(input),
    ...(input.changes.length === 0 ? [] : [addOnsStep(input)]),
    controlPlaneStep(input),
    ...nodeClassesStep(input),
    plannedStep(
      input.hop,
      { phase: 'validation', to: input.window.backTo, back: true },
      {
        title: `Validate ${input.window.backTo}`,
        why: `The control plane, every node and every add-on are looked at once more at ${input.window.backTo}.`,
        rollback: NOTHING_TO_UNDO,
      },
      input.policy,
    ),
  ];
}

function checksStep(input: RollbackStepsInput): PlannedStep {
  const { hop, facts, policy, window, groups, changes, karpenter } = input;
  const { at, backTo, closesAt } = window;
  const before = [
    ...(karpenter === undefined || karpenter.rollCount === 0 ? [] : [`${count(karpenter.rollCount, 'node')} of Karpenter`]),
    ...(groups.length === 0 ? [] : [count(groups.length, 'node group')]),
    ...selfManagedSteps(input).flatMap(({ params }) =>
      params.phase === 'other-nodes' ? [count(params.selfManaged?.nodeCount ?? 0, 'self-managed node')] : [],
    ),
    ...(changes.length === 0 ? [] : [count(changes.length, 'add-on')]),
  ];
  return plannedStep(
    hop,
    { phase: 'rollback-checks', from: at, to: backTo },
    {
      title: `Checks for the rollback to ${backTo}`,
      why: `Does EKS take ${facts.cluster.name} back, and does everything in it bear ${backTo} again: nodes, add-ons, Karpenter, Istio, EKS's own insights.`,
      gate: {
        title: `Roll ${facts.cluster.name} back to ${backTo}?`,
        next: `The rollback from ${at} to ${backTo} begins with checks${before.length === 0 ? '' : `, then rolls back ${everyOne(before)}`}. The control plane has its own gate.`,
        why: `EKS can roll it back until ${utcMinute(closesAt)}, by this one minor only.`,
      },
      rollback: NOTHING_TO_UNDO,
    },
    policy,
  );
}

function groupsStep({ hop, facts, policy, window, groups }: RollbackStepsInput): PlannedStep {
  const { backTo } = window;
  const moves = groups.map(({ name, version, desiredCount }) => ({ name, from: version, count: desiredCount }));
  const nodes = count(
    moves.reduce((sum, move) => sum + move.count, 0),
    'node',
  );
  const names = someOf(moves.map(({ name }) => name));
  const autoscaler = autoscalerToPause(facts, policy);
  return plannedStep(
    hop,
    {
      phase: 'node-groups',
      to: backTo,
      groups: moves,
      managedBy: policy.managedBy.nodeGroups,
      back: true,
      ...defined({ autoscaler }),
      ...sparing(facts),
    },
    {
      title: `Node groups back to ${backTo}`,
      why: `No kubelet may be newer than the control plane, so ${count(moves.length, 'node group')} (${names}) with ${nodes} go back before it, side by side.`,
      gate: {
        title: `Replace the ${nodes} of ${moves.length === 1 ? `node group ${names}` : count(moves.length, 'node group')} by ${backTo}?`,
        next: `EKS drains and replaces ${nodes} of ${names}.${pauseWords(autoscaler)}${spareWords(facts)}`,
        why: `Nodes at ${backTo} run well under a control plane at ${window.at}, too: people may still stop after this step.`,
      },
      rollback: {
        what: `the node groups, up to ${window.at} again`,
        how: `UpdateNodegroupVersion with ${window.at}, as a step of the next upgrade does`,
        until: `the control plane is back at ${backTo}`,
        cost: `${nodes} replaced once more`,
      },
    },
    policy,
  );
}

function addOnsStep({ hop, policy, window, changes }: RollbackStepsInput): PlannedStep {
  const { at, backTo } = window;
  return plannedStep(
    hop,
    { phase: 'add-ons-back', to: backTo, changes, managedBy: policy.managedBy.addOns },
    {
      title: `Add-ons back for ${backTo}`,
      why: `${someOf(changes.map(({ name, from, to }) => `${name} ${from} → ${to}`))}: the installed versions do not run on ${backTo}; these run on ${at} as well, so they go first.`,
      rollback: {
        what: 'each add-on, up to its earlier version',
        how: 'UpdateAddon',
        until: `the control plane is back at ${backTo}`,
        cost: 'about 2 minutes each',
      },
    },
    policy,
  );
}

function controlPlaneStep({ hop, facts, policy, window, fargate }: RollbackStepsInput): PlannedStep {
  const { at, backTo, closesAt } = window;
  const { controlPlane } = policy.managedBy;
  const autoMode = autoModeBack(facts, hop.to, policy.timing);
  const params = {
    phase: 'control-plane-back' as const,
    from: at,
    to: backTo,
    managedBy: controlPlane,
    ...defined({ autoMode, fargate }),
  };
  const takes = about(expectedMs(params, policy.timing));
  const first = autoMode === undefined ? '' : autoModeWords(autoMode);
  const down = fargate === undefined ? '' : fargateWords(fargate, backTo);
  const ask = controlPlane === 'terraform' ? ' Terraform is asked for the change, and Belay adopts the update that its apply starts.' : '';
  return plannedStep(
    hop,
    params,
    {
      title: `Control plane back ${at} → ${backTo}`,
      why: `EKS's version rollback keeps etcd and workloads, and rolls back ${autoMode === undefined ? 'only the control plane' : 'its Auto Mode nodes, then the control plane'}.${down}${ask}`,
      gate: {
        title: `Roll the control plane back to ${backTo}?`,
        next: `Belay asks EKS again whether anything blocks it; then the control plane of ${facts.cluster.name} goes from ${at} to ${backTo}. It takes ${takes} and cannot be stopped${autoMode === undefined ? '' : ' once it moves'}.${first}${down}${ask}`,
        why: `Objects of APIs that only ${at} serves cannot be read at ${backTo}. The window closes ${utcMinute(closesAt)}.`,
      },
      rollback: {
        what: `the control plane, up to ${at} again`,
        how: 'an ordinary upgrade',
        until: `EKS offers ${at}`,
        cost: `${takes}, and seven new days in which to roll back`,
      },
    },
    policy,
  );
}
