/** Node groups, Auto Mode and Fargate, and what is paused or doubled while nodes are replaced. */
import type { LoneIstiod } from '../../../activities/contract/istio-objects.ts';
import type { Unmoved } from '../../../activities/contract/other-nodes.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';
import type { AutoscalerFact } from '../../../domain/facts/facts.ts';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { alarm, type ChangeRequest, type GateText, info, type Note } from '../note.ts';

export const nodeGroupsMoved = (doneCount: number, totalCount: number, to: string): string =>
  `${doneCount} of ${totalCount} node groups are at ${to}.`;

/** Of a node group that waits for a maintenance window. */
export const nodeGroupsUndo = (): string => 'Node groups that have moved stay; updates under way finish.';

export const applyNodeGroup = (name: string, to: string): ChangeRequest => ({
  ask: { component: 'node-group', name, version: to, managedBy: 'terraform' },
  text: `Please apply the Terraform change \`version = "${to}"\` for node group ${name}. Belay adopts the update as soon as EKS lists it.`,
});

export const autoModeReplaces = (nodeCount: number, to: string): string =>
  `EKS is replacing ${count(nodeCount, 'Auto Mode node')} with nodes at ${to}.`;

/** For a gate about a node, or a status line. */
export const nodesReplaced = (replacedCount: number, remainingCount: number): string =>
  `${count(replacedCount, 'node')} replaced, ${remainingCount} to go`;

const nameOf = ({ namespace, name }: Pick<AutoscalerFact, 'namespace' | 'name'>): string => `${namespace}/${name}`;

export const autoscalerPaused = (autoscaler: Pick<AutoscalerFact, 'namespace' | 'name'>): Note =>
  info(`Cluster Autoscaler ${nameOf(autoscaler)} is paused until the nodes are replaced.`);

export const autoscalerResumed = (autoscaler: Pick<AutoscalerFact, 'namespace' | 'name'>, replicas: number): Note =>
  info(`Cluster Autoscaler ${nameOf(autoscaler)} is back at ${count(replicas, 'replica')}.`);

export const autoscalerScaledByOthers = (replicas: number): string =>
  `somebody else scaled it to ${count(replicas, 'replica')} meanwhile, so it was left alone`;

/** `replicas`: what it has now. */
export const autoscalerLeftAlone = (autoscaler: AutoscalerFact, replicas: number): Note =>
  alarm(
    `ALARM: Cluster Autoscaler ${nameOf(autoscaler)} had ${count(autoscaler.replicas, 'replica')}: ${autoscalerScaledByOthers(replicas)}.`,
  );

export const autoscalerNotResumed = (autoscaler: AutoscalerFact, problem: string): Note =>
  alarm(`ALARM: Cluster Autoscaler ${nameOf(autoscaler)} could not be resumed: ${problem}`);

export const pauseAutoscaler = (autoscaler: AutoscalerFact): ChangeRequest =>
  scaleAutoscaler(
    autoscaler,
    0,
    'to 0 replicas',
    ': it would remove nodes while they are replaced. Belay continues once it has no replicas.',
  );

export const resumeAutoscaler = (autoscaler: AutoscalerFact): ChangeRequest => ({
  ...scaleAutoscaler(
    autoscaler,
    autoscaler.replicas,
    `back to ${count(autoscaler.replicas, 'replica')}`,
    ': until then no node is added for pending pods of its node groups.',
  ),
  lasting: true,
});

function scaleAutoscaler(autoscaler: AutoscalerFact, replicas: number, how: string, end: string): ChangeRequest {
  const { deliveredBy = 'argocd' } = autoscaler;
  const name = nameOf(autoscaler);
  return {
    ask: { component: 'cluster-autoscaler', name, version: count(replicas, 'replica'), managedBy: deliveredBy },
    text: `Please scale Cluster Autoscaler ${name} ${how} at its source (${deliveredBy})${end}`,
  };
}

const istiodOf = ({ namespace, deployment }: LoneIstiod): string => `${namespace}/${deployment}`;
const replicasOf = ({ autoscaler }: LoneIstiod): string =>
  autoscaler === undefined ? 'replicas' : `minReplicas of HorizontalPodAutoscaler ${autoscaler}`;

export const raiseIstiod = (istiod: LoneIstiod): ChangeRequest =>
  changeIstiod(
    istiod,
    '2 replicas',
    (at) =>
      `Please set ${replicasOf(istiod)} of istiod ${istiodOf(istiod)} to 2 ${at}: PodDisruptionBudget ${istiod.budget} blocks evicting the only replica, so its node could not drain. Belay continues once the budget allows it.`,
  );

export const lowerIstiod = (istiod: LoneIstiod): ChangeRequest => ({
  ...changeIstiod(istiod, '1 replica', (at) => `Please set istiod ${istiodOf(istiod)} back to 1 replica ${at}. Two do no harm.`),
  lasting: true,
});

function changeIstiod(istiod: LoneIstiod, version: string, text: (at: string) => string): ChangeRequest {
  const { owner } = istiod;
  return {
    ask: { component: 'istiod-replicas', name: istiodOf(istiod), version, managedBy: owner ?? 'manual' },
    text: text(`at its source (${owner === undefined ? 'manual' : KEEPERS[owner]})`),
  };
}

export const istiodRaised = (istiod: LoneIstiod): Note =>
  info(`istiod ${istiodOf(istiod)} runs with two replicas until the nodes are replaced (${replicasOf(istiod)} 1 → 2).`);

export const istiodLowered = (istiod: LoneIstiod): Note => info(`istiod ${istiodOf(istiod)} is back at one replica.`);

export const replicasChangedByOthers = (): string => 'somebody else changed them meanwhile, so they were left alone';

export const istiodLeftAlone = (istiod: LoneIstiod): Note =>
  alarm(`ALARM: Replicas of istiod ${istiodOf(istiod)}: ${replicasChangedByOthers()}.`);

export const istiodNotLowered = (istiod: LoneIstiod, problem: string): Note =>
  alarm(`ALARM: Replicas of istiod ${istiodOf(istiod)} could not be restored: ${problem}`);

export const restartingOnFargate = (namespace: string, podCount: number): string =>
  `Restarting the owners of ${count(podCount, 'pod')} in namespace ${namespace} on Fargate.`;

/** `interrupted`: what has no pod until its next one starts. */
export const restartedOnFargate = (namespace: string, restartedCount: number, interrupted: readonly string[]): Note =>
  info(
    `Fargate, namespace ${namespace}: ${count(restartedCount, 'workload')} restarted.${interrupted.length === 0 ? '' : ` ${someOf(interrupted)} ${agree(interrupted.length, 'stops before its next pod starts', 'stop before their next pods start')}.`}`,
  );

const workloads = (unmoved: readonly Unmoved[]): string => someOf(unmoved.map(({ workload }) => workload));

export const fargateGate = (unmoved: readonly Unmoved[], to: string): GateText => ({
  title: `No rollout replaces ${agree(unmoved.length, 'this pod', 'these pods')} on Fargate: what now?`,
  next: `Belay deletes none of them. They keep their old kubelet until somebody recreates them; Kubernetes supports one up to three minors older than ${to}.`,
  evidence: [{ title: 'Not moved', lines: unmoved.slice(0, 5).map(({ workload, why }) => `${workload}: ${why}`) }],
  undo: 'Neither choice changes anything.',
  choices: [
    { id: 'leave', label: 'Leave them', does: 'Continues; validation names them as nodes that are not at the target.' },
    { id: 'look-again', label: 'Look again', style: 'primary', does: 'Checks again, after you have recreated them.' },
  ],
});

export const leftOnFargate = (unmoved: readonly Unmoved[]): string => `Left as they are on Fargate: ${workloads(unmoved)}.`;

export const checkingFargateAgain = (): string => 'Checking the pods on Fargate again.';
