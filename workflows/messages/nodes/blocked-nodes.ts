/** Nodes that cannot be replaced: what blocks them, what you may choose, and how that ends. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { agree, capital, count, someOf, utcMinute } from '../../../domain/core/text.ts';
import { takesNewPods } from '../../../domain/facts/disruption/new-pods.ts';
import { alarm, type GateText, type Note } from '../note.ts';
import { choicesAbout, WAIT } from './blocked-choices.ts';

type Workload = NonNullable<BlockedNode['workload']>;

type Choice = GateText['choices'][number];
type Nodes = readonly [BlockedNode, ...BlockedNode[]];

/** What a gate says stays as it was opened, while other nodes are replaced and the board counts on: so the gate says as of when it counts. */
export interface CountedAt {
  /** "3 nodes replaced, 2 to go" */
  progress: string;
  /** ISO 8601 */
  at: string;
}

/** What one replica more of would let the pod go. */
const scalable = ({ workload, noUseScaling }: BlockedNode): Workload | undefined => (noUseScaling === true ? undefined : workload);

const asOf = ({ progress, at }: CountedAt): string => `As of ${utcMinute(at)}: ${progress}`;

export function blockedNodesGate(nodes: Nodes, counted: CountedAt): GateText {
  const [node, ...more] = nodes;
  return more.length === 0 ? gateOfOne(node, counted) : gateOfMany(nodes, counted);
}

function gateOfOne(node: BlockedNode, counted: CountedAt): GateText {
  const how =
    node.gone === true
      ? 'is gone, but a volume is still attached to it'
      : node.leaving === true
        ? 'cannot be drained'
        : 'cannot be replaced';
  return {
    title: `Node ${shortName(node.node)} ${how}: what now?`,
    next: next(node),
    evidence: [{ title: 'Blocked by', lines: lines(node, counted) }],
    undo: undo(node),
    choices: choicesAbout(node, scalable(node)),
  };
}

/** One question about all of them: each choice is made for every node that is listed. */
function gateOfMany(nodes: Nodes, counted: CountedAt): GateText {
  const areLeaving = nodes.every(({ leaving }) => leaving === true);
  const workloads = unique(
    nodes.flatMap((node) => {
      const workload = scalable(node);
      return workload === undefined ? [] : [`${workload.namespace}/${workload.name}`];
    }),
  );
  const isCordoned = nodes.some(takesNewPods);
  const pods = nodes.flatMap(({ pod }) => (pod === undefined ? [] : [`${pod.namespace}/${pod.name}`]));
  const scale: Choice = {
    id: 'scale',
    label: 'Scale by one and back',
    style: 'primary',
    does: `Scales ${someOf(workloads)} by one each, so that their budgets allow a disruption, and back afterwards.`,
  };
  const remove: Choice = {
    id: 'delete-pod',
    label: 'Delete the pods',
    style: 'danger',
    needsReason: true,
    does: `${isCordoned ? 'Cordons the nodes and deletes' : 'Deletes'} ${someOf(pods)}. Their PodDisruptionBudgets or annotations block eviction; deletion bypasses both.`,
  };
  const skip: Choice = {
    id: 'skip-node',
    label: 'Skip the nodes',
    does: `Leaves these nodes at the old version${goneAnyway(nodes)}; validation names them, with who skipped them, and accepts them.`,
  };
  return {
    title: `${count(nodes.length, 'node')} cannot be ${areLeaving ? 'drained' : 'replaced'}: what now?`,
    next: `A choice applies to every node listed. ${meanwhile(nodes)}`,
    evidence: [
      { title: 'Blocked by', lines: nodes.map(lineOf) },
      { title: 'Progress', lines: [asOf(counted)] },
    ],
    undo: undoOf([
      ...(workloads.length === 0 ? [] : ['The extra replica is removed once the nodes are replaced.']),
      ...(pods.length === 0 ? [] : ['Deleted pods are recreated by their workloads; those without one are gone for good.']),
      ...(pods.length > 0 && isCordoned ? ['Nodes that stay are uncordoned.'] : []),
      ...(areLeaving ? [] : ['Skipped nodes stay at the old version.']),
    ]),
    choices: [...(workloads.length === 0 ? [] : [scale]), WAIT, ...(pods.length === 0 ? [] : [remove]), ...(areLeaving ? [] : [skip])],
  };
}

/** What skipping does not keep. */
function goneAnyway(nodes: Nodes): string {
  const names = nodes.filter(({ removing }) => removing !== undefined).map(({ node }) => shortName(node));
  return names.length === 0 ? '' : `, but for ${someOf(names)}, which Karpenter still removes`;
}

/** Of a node that is going already. */
function removingLines({ removing }: BlockedNode): string[] {
  if (removing === undefined) return [];
  const { forcedAt } = removing;
  const end =
    forcedAt === undefined ? '' : `, and deletes what is left by force at ${utcMinute(forcedAt)}, whatever budgets and annotations say`;
  return [`Karpenter is removing this node already${end}`];
}

const lineOf = (node: BlockedNode): string =>
  `${shortName(node.node)}: ${[node.reason + whose(node), ...removingLines(node), ...uselessLines(node)].join('. ')}`;

const whose = ({ people = [] }: BlockedNode): string => (people.length === 0 ? '' : ` (${people.join(', ')})`);
const unique = (names: readonly string[]): string[] => [...new Set(names)];

function lines(node: BlockedNode, counted: CountedAt): string[] {
  const { pod, workload, reason, people = [] } = node;
  const told = (name: string): boolean => reason.includes(name);
  return [
    capital(reason),
    ...removingLines(node),
    ...(pod === undefined || told(pod.name) ? [] : [`Pod ${pod.namespace}/${pod.name} cannot be evicted`]),
    ...controllerLines(node),
    ...budgetLines(node),
    ...(workload === undefined
      ? []
      : [`${workload.kind} ${workload.namespace}/${workload.name} has ${count(workload.replicas, 'replica')}${scaledBy(workload)}`]),
    ...uselessLines(node),
    ...(people.length === 0 ? [] : [`Owner: ${people.join(', ')}`]),
    `Node ${node.node}${node.nodePool === '' ? '' : ` of NodePool ${node.nodePool}`}`,
    asOf(counted),
  ];
}

/** What deleting the pod would mean; nothing where a workload recreates it. */
function controllerLines({ pod }: BlockedNode): string[] {
  const { controller } = pod ?? {};
  if (controller === null) return ['No controller will recreate this pod'];
  return controller?.kind === 'Job' ? [`It belongs to Job ${pod?.namespace ?? ''}/${controller.name}, which runs to completion`] : [];
}

/** Where somebody might think of scaling by hand. */
function uselessLines({ workload, pdb, noUseScaling }: BlockedNode): string[] {
  if (workload === undefined || noUseScaling !== true) return [];
  const change = pdb === undefined ? '' : ': the budget has to change, for example to maxUnavailable: 1';
  return [`One more replica would not help${change}`];
}

function undo(node: BlockedNode): string {
  const { pod, leaving } = node;
  const back =
    pod?.controller === null
      ? 'A deleted pod without a controller is gone for good.'
      : pod?.controller?.kind === 'Job'
        ? 'A deleted pod of a Job starts over, if the Job retries at all.'
        : 'A deleted pod is recreated by its workload.';
  return undoOf([
    ...(scalable(node) === undefined ? [] : ['The extra replica is removed once the nodes are replaced.']),
    ...(pod === undefined ? [] : [back]),
    ...(pod !== undefined && takesNewPods(node) ? ['A cordoned node that stays is uncordoned.'] : []),
    ...(leaving === true ? [] : [node.removing === undefined ? 'A skipped node stays at the old version.' : 'The node goes either way.']),
  ]);
}

/** Where waiting is all that is offered there is nothing to undo. */
const undoOf = (lines: readonly string[]): string => (lines.length === 0 ? 'Waiting changes nothing.' : lines.join(' '));

function budgetLines({ pdb, reason }: BlockedNode): string[] {
  if (pdb === undefined) return [];
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = pdb;
  if (currentHealthy !== undefined && desiredHealthy !== undefined) {
    return [
      `PodDisruptionBudget ${pdb.namespace}/${pdb.name}: ${disruptionsAllowed ?? 0} disruptions allowed, ${count(currentHealthy, 'pod')} healthy, at least ${desiredHealthy} required`,
    ];
  }
  return reason.includes(pdb.name) ? [] : [`PodDisruptionBudget ${pdb.namespace}/${pdb.name} allows no disruption`];
}

function scaledBy({ autoscaler }: Workload): string {
  return autoscaler === undefined ? '' : `, set by HorizontalPodAutoscaler ${autoscaler}, which may remove an extra one at once`;
}

/** What the first choice does, in more words than fit on its button. */
function next(node: BlockedNode): string {
  const workload = scalable(node);
  return workload === undefined || node.gone === true
    ? `Belay waits, and asks again if the node is still blocked. ${meanwhile([node])}`
    : `Belay starts one more replica of ${workload.kind} ${workload.namespace}/${workload.name}, so that the blocking pod can be evicted, and removes it once the nodes are replaced. ${meanwhile([node])}`;
}

function meanwhile(nodes: Nodes): string {
  if (!nodes.every(({ leaving }) => leaving === true)) return 'Other nodes are still replaced meanwhile.';
  const which = agree(nodes.length, 'The instance is held until it is empty', 'The instances are held until they are empty');
  return `${which}; Auto Scaling gives up after an hour without progress, and terminates ${agree(nodes.length, 'the instance', 'an instance')} after two days.`;
}

/** "ip-10-0-1-7" */
const shortName = (node: string): string => node.split('.')[0] ?? node;

/** What was chosen at that gate. */
export const blockedNodesDecided = (nodes: Nodes, choice: string, progress: string): string =>
  `${nodes.length === 1 ? `Node ${nodes[0].node}` : count(nodes.length, 'node')}: ${choice}. ${capital(progress)}.`;

/** Why that gate closes: another one asks about these. */
export const blockedNodesChanged = (nodes: readonly string[]): string =>
  `the list of blocked nodes has changed: ${nodes.map(shortName).join(', ')}`;

/** Why that gate closes: nothing blocks them any more. */
export const noLongerBlocked = (nodes: readonly string[]): string =>
  `${nodes.map(shortName).join(', ')} ${agree(nodes.length, 'is', 'are')} no longer blocked`;

export const rollContinues = (nodes: readonly string[]): string =>
  `${agree(nodes.length, 'Node', 'Nodes')} ${noLongerBlocked(nodes)}; the roll continues.`;

/** `what`: "replicas of Deployment shop/web". */
export const nodeChangeNotRestored = (what: string, problem: string): Note => alarm(`ALARM: ${what} could not be restored: ${problem}`);
