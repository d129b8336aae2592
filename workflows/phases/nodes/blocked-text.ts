/** What people read about nodes that cannot be replaced, and what they may choose. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import type { GateChoice, GateEvidence } from '../../../domain/gates/gate.ts';
import { capital, count } from '../../../domain/core/text.ts';

type Workload = NonNullable<BlockedNode['workload']>;

/** For a gate: everything but its id and step. */
export interface BlockedWords {
  title: string;
  next: string;
  evidence: GateEvidence[];
  undo: string;
  choices: GateChoice[];
}

/** `progress`: "3 nodes replaced, 2 to go". */
export function blockedWords(nodes: readonly [BlockedNode, ...BlockedNode[]], progress: string): BlockedWords {
  const [node, ...more] = nodes;
  return more.length === 0 ? wordsOfOne(node, progress) : wordsOfMany(nodes, progress);
}

function wordsOfOne(node: BlockedNode, progress: string): BlockedWords {
  const how =
    node.gone === true
      ? 'is gone, but a volume is still attached to it'
      : node.leaving === true
        ? 'cannot be drained'
        : 'cannot be replaced';
  return {
    title: `Node ${shortName(node.node)} ${how}: what now?`,
    next: next(node),
    evidence: [{ title: 'Blocked by', lines: lines(node, progress) }],
    undo: undo(node),
    choices: choices(node),
  };
}

/** One question about all of them: each choice is made for every node that is listed. */
function wordsOfMany(nodes: readonly BlockedNode[], progress: string): BlockedWords {
  const workloads = unique(nodes.flatMap(({ workload: w }) => (w === undefined ? [] : [`${w.namespace}/${w.name}`])));
  const pods = nodes.flatMap(({ pod }) => (pod === undefined ? [] : [`${pod.namespace}/${pod.name}`]));
  const scale: GateChoice = {
    id: 'scale',
    label: 'Scale by one and back',
    style: 'primary',
    does: `Scales ${some(workloads)} by one each, so that their budgets allow a disruption, and back afterwards.`,
  };
  const remove: GateChoice = {
    id: 'delete-pod',
    label: 'Delete the pods',
    style: 'danger',
    needsReason: true,
    does: `Deletes ${some(pods)}. Their PodDisruptionBudgets or annotations block eviction; deletion bypasses both.`,
  };
  const skip: GateChoice = {
    id: 'skip-node',
    label: 'Skip the nodes',
    does: 'Leaves these nodes at the old version; validation will name them.',
  };
  return {
    title: `${count(nodes.length, 'node')} cannot be replaced: what now?`,
    next: 'A choice holds for every node of this list. Other nodes are still replaced meanwhile.',
    evidence: [
      { title: 'Blocked by', lines: nodes.map((node) => `${shortName(node.node)}: ${node.reason}${whose(node)}`) },
      { title: 'Progress', lines: [capital(progress)] },
    ],
    undo: [
      ...(workloads.length === 0 ? [] : ['The extra replica is removed once the nodes are replaced.']),
      ...(pods.length === 0 ? [] : ['Deleted pods are started again by their workloads; those without one are gone for good.']),
      'Skipped nodes stay at the old version.',
    ].join(' '),
    choices: [...(workloads.length === 0 ? [] : [scale]), WAIT, ...(pods.length === 0 ? [] : [remove]), skip],
  };
}

const whose = ({ people = [] }: BlockedNode): string => (people.length === 0 ? '' : ` (${people.join(', ')})`);
const unique = (names: readonly string[]): string[] => [...new Set(names)];
const some = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;

function lines(node: BlockedNode, progress: string): string[] {
  const { pod, workload, reason, people = [] } = node;
  const told = (name: string): boolean => reason.includes(name);
  return [
    capital(reason),
    ...(pod === undefined || told(pod.name) ? [] : [`Pod ${pod.namespace}/${pod.name} cannot be evicted`]),
    ...controllerLines(node),
    ...budgetLines(node),
    ...(workload === undefined
      ? []
      : [`${workload.kind} ${workload.namespace}/${workload.name} has ${count(workload.replicas, 'replica')}${scaledBy(workload)}`]),
    ...(people.length === 0 ? [] : [`Whose it is: ${people.join(', ')}`]),
    `Node ${node.node}${node.nodePool === '' ? '' : ` of NodePool ${node.nodePool}`}; ${progress}`,
  ];
}

/** What a deletion would mean: nothing of it where a workload makes the pod anew. */
function controllerLines({ pod }: BlockedNode): string[] {
  const { controller } = pod ?? {};
  if (controller === null) return ['Nothing makes this pod anew: it has no controller'];
  return controller?.kind === 'Job' ? [`It runs to its end for Job ${pod?.namespace ?? ''}/${controller.name}`] : [];
}

function undo({ workload, pod, leaving }: BlockedNode): string {
  const back =
    pod?.controller === null
      ? 'A pod without a controller that is deleted is gone for good.'
      : pod?.controller?.kind === 'Job'
        ? 'A deleted pod of a Job begins anew, if the Job tries again at all.'
        : 'A deleted pod is recreated by its workload.';
  return [
    ...(workload === undefined ? [] : ['The extra replica is removed once the nodes are replaced.']),
    ...(pod === undefined ? [] : [back]),
    ...(leaving === true ? [] : ['A skipped node stays at the old version.']),
  ].join(' ');
}

function budgetLines({ pdb, reason }: BlockedNode): string[] {
  if (pdb === undefined) return [];
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = pdb;
  if (currentHealthy !== undefined && desiredHealthy !== undefined) {
    return [
      `PodDisruptionBudget ${pdb.namespace}/${pdb.name}: ${disruptionsAllowed ?? 0} disruptions allowed, ${currentHealthy} pods healthy, at least ${desiredHealthy} wanted`,
    ];
  }
  return reason.includes(pdb.name) ? [] : [`PodDisruptionBudget ${pdb.namespace}/${pdb.name} allows no disruption`];
}

function scaledBy({ autoscaler }: Workload): string {
  return autoscaler === undefined ? '' : `, set by HorizontalPodAutoscaler ${autoscaler}, which may take one more away at once`;
}

/** What the first choice does, in more words than fit on its button. */
function next({ workload, gone, leaving }: BlockedNode): string {
  const meanwhile =
    leaving === true
      ? 'The instance is held until it is empty; Auto Scaling gives up after an hour without progress, and ends the instance after two days.'
      : 'Other nodes are still replaced meanwhile.';
  return workload === undefined || gone === true
    ? `Belay waits, and asks again when the node is still blocked. ${meanwhile}`
    : `Belay starts one more replica of ${workload.kind} ${workload.namespace}/${workload.name}, so that the pod that blocks may move, and removes it once the nodes are replaced. ${meanwhile}`;
}

/** "ip-10-0-1-7": what people call it. */
export function shortName(node: string): string {
  return node.split('.')[0] ?? node;
}

const WAIT: GateChoice = {
  id: 'wait',
  label: 'Wait',
  does: 'Keeps watching; asks again when something changes, or at the next reminder.',
};

const GO_ON: GateChoice = {
  id: 'skip-node',
  label: 'Continue without it',
  does: 'The roll no longer waits for this volume; validation will name it.',
};

const SKIP_NODE: GateChoice = {
  id: 'skip-node',
  label: 'Skip the node',
  does: 'Leaves this node at the old version; validation will name it.',
};

/** It ends by itself, which nothing else here does. */
const waitForJob = (job: string): GateChoice => ({
  ...WAIT,
  style: 'primary',
  does: `Job ${job} runs to its end, and the node goes on then; asks again when it is still blocked.`,
});

function choices(node: BlockedNode): GateChoice[] {
  if (node.gone === true) {
    return [WAIT, GO_ON];
  }
  const { workload, pod } = node;
  return [
    ...(workload === undefined ? [] : [scaleChoice(workload)]),
    pod?.controller?.kind === 'Job' ? waitForJob(pod.controller.name) : WAIT,
    ...(pod === undefined ? [] : [deleteChoice(pod)]),
    ...(node.leaving === true ? [] : [SKIP_NODE]),
  ];
}

function scaleChoice({ kind, namespace, name, replicas, autoscaler }: Workload): GateChoice {
  const undone =
    autoscaler === undefined ? '' : ` HorizontalPodAutoscaler ${autoscaler} may undo it at once: raise its minReplicas instead.`;
  return {
    id: 'scale',
    label: 'Scale by one and back',
    style: 'primary',
    does: `Scales ${kind} ${namespace}/${name} to ${replicas + 1} so that its budget allows a disruption, and back afterwards.${undone}`,
  };
}

function deleteChoice({ namespace, name, controller }: NonNullable<BlockedNode['pod']>): GateChoice {
  const which = `${namespace}/${name}`;
  const refused = 'Its PodDisruptionBudget or annotation blocks eviction; deleting the pod bypasses both';
  const does =
    controller === null
      ? `Deletes ${which} for good: it has no controller, so whoever made it has to make it again. ${refused}.`
      : controller?.kind === 'Job'
        ? `Deletes ${which}: what Job ${controller.name} has done in it is lost, and it begins anew as far as its backoffLimit allows. ${refused}.`
        : `Deletes ${which} itself. ${refused}, and a service with one replica is down until the pod runs elsewhere.`;
  return { id: 'delete-pod', label: 'Delete the pod', style: 'danger', needsReason: true, does };
}
