/** What is wrong at one look at a cluster, grouped by whose it is: pods, nodes, node claims, workloads, and the events about them. */
import type { Sighting, TroubleKindName } from './cluster-trouble.ts';
import { agree, count, duration, someOf } from '../core/text.ts';

/** A pod that should run and is not Ready. */
export interface UnwellPod {
  namespace: string;
  name: string;
  /** "Deployment shop/web" */
  owner: string;
  /** Where it is to run. */
  node?: string;
  /** Pending: it has not started. */
  pending: boolean;
  sinceMs: number;
  /** Why a container waits: CrashLoopBackOff, ImagePullBackOff. */
  waiting?: string;
}

export interface SeenEvent {
  reason: string;
  message: string;
  kind: string;
  namespace?: string;
  name: string;
  firstMs: number;
  lastMs: number;
}

/** A node that is not Ready, or a claim whose node has not joined. `group`: "NodePool default", "node group web". */
export interface UnwellNode {
  name: string;
  group: string;
  sinceMs: number;
}

export interface ShortWorkload {
  /** "Deployment shop/web" */
  owner: string;
  wanted: number;
  available: number;
}

export interface LookFacts {
  pods: UnwellPod[];
  events: SeenEvent[];
  nodes: UnwellNode[];
  claims: UnwellNode[];
  workloads: ShortWorkload[];
  /** Groups of all nodes by the names of nodes and claims. */
  groups: ReadonlyMap<string, string>;
  nowMs: number;
}

/** An event about a node that has not been repeated for so long is history. */
const CURRENT_MS = 5 * 60_000;
/** Fewer than this share of a workload's replicas is more than a roll one by one. */
const ENOUGH_SHARE = 0.75;

const WORDS: Record<TroubleKindName, string> = {
  'multi-attach': 'a volume is still attached to another node (Multi-Attach)',
  attach: 'a volume cannot be attached',
  mount: 'a volume cannot be mounted',
  sandbox: 'pods get no sandbox (network, runtime)',
  image: 'an image cannot be pulled',
  'crash-loop': 'containers crash again and again (CrashLoopBackOff)',
  scheduling: 'pods find no node',
  pending: 'pods are Pending',
  unhealthy: 'pods run and are not Ready',
  'node-not-ready': 'nodes are not Ready',
  'node-never-joined': 'nodes were launched and have not joined',
  draining: 'cannot be drained',
  blocked: 'may not be replaced',
  below: 'is below its replicas',
  many: 'more is wrong than is told apart',
};

/** Pods of a node that is not Ready, and what their workloads lack, are that node's trouble. */
export function sightingsIn(facts: LookFacts): Sighting[] {
  const sick = new Set(facts.nodes.map(({ name }) => name));
  const isOnSick = ({ node }: UnwellPod): boolean => node !== undefined && sick.has(node);
  const onSick = facts.pods.filter(isOnSick);
  const pods = facts.pods.filter((pod) => !isOnSick(pod));
  const workloads = facts.workloads.map((workload) => ({
    ...workload,
    available: workload.available + onSick.filter(({ owner }) => owner === workload.owner).length,
  }));
  return [...ofPods({ ...facts, pods }), ...ofNodes(facts), ...ofNodeEvents(facts), ...ofWorkloads(workloads)];
}

/** What an event says of a pod that does not run; undefined: nothing that counts. */
function kindOfPodEvent({ reason, message }: Pick<SeenEvent, 'reason' | 'message'>): TroubleKindName | undefined {
  switch (reason) {
    case 'FailedAttachVolume':
      return message.includes('Multi-Attach') ? 'multi-attach' : 'attach';
    case 'FailedMount':
      return 'mount';
    case 'FailedCreatePodSandBox':
      return 'sandbox';
    case 'Failed':
    case 'BackOff':
      return /ErrImagePull|ImagePullBackOff|pull(ing)? image/.test(message) ? 'image' : undefined;
    case 'FailedScheduling':
      return 'scheduling';
    case 'Unhealthy':
      return 'unhealthy';
    default:
      return undefined;
  }
}

/** Before all that explains a pod's state less. */
const RANKED = ['multi-attach', 'attach', 'mount', 'image', 'crash-loop', 'sandbox', 'scheduling', 'pending', 'unhealthy'] as const;

function ofPods({ pods, events, nowMs }: LookFacts): Sighting[] {
  const about = new Map<string, SeenEvent[]>();
  for (const event of events)
    if (event.kind === 'Pod') {
      const key = `${event.namespace ?? ''}/${event.name}`;
      about.set(key, [...(about.get(key) ?? []), event]);
    }
  const causes = pods.map((pod) => ({ pod, ...causeOf(pod, about.get(`${pod.namespace}/${pod.name}`) ?? []) }));
  return grouped(causes, ({ pod, kind }) => `${kind} ${pod.owner}`).map(([first, ...others]) => {
    const all = [first, ...others];
    const { kind, pod, event } = first;
    const sinceMs = Math.min(...all.map((one) => one.event?.firstMs ?? one.pod.sinceMs));
    const names = someOf(
      all.map((one) => one.pod.name),
      3,
    );
    const detail = event === undefined ? '' : `: ${short(event.message)}`;
    const title = `${pod.owner}: ${WORDS[kind]}`;
    return { kind, owner: pod.owner, title, sinceMs, line: `${title} for ${duration(nowMs - sinceMs)} (${names})${detail}` };
  });
}

function causeOf(pod: UnwellPod, events: readonly SeenEvent[]): { kind: TroubleKindName; event?: SeenEvent } {
  if (pod.waiting === 'CrashLoopBackOff') return { kind: 'crash-loop' };
  const said = events.flatMap((event) => {
    const kind = kindOfPodEvent(event);
    // A pod that has a node has been scheduled, and one that runs has its volumes: what was said before is over.
    const isOver = kind === undefined || (!pod.pending && kind !== 'unhealthy') || (pod.pending && kind === 'unhealthy');
    return isOver ? [] : [{ kind, event }];
  });
  const rank = ({ kind }: { kind: TroubleKindName }): number => RANKED.findIndex((one) => one === kind);
  // Of one kind the newest: it says how things are now.
  const [best] = said.toSorted((a, b) => rank(a) - rank(b) || b.event.lastMs - a.event.lastMs);
  if (pod.waiting !== undefined && /Image/.test(pod.waiting)) return best?.kind === 'image' ? best : { kind: 'image' };
  return best ?? { kind: pod.pending ? 'pending' : 'unhealthy' };
}

function ofNodes({ nodes, claims, nowMs }: LookFacts): Sighting[] {
  const of = (kind: 'node-not-ready' | 'node-never-joined', all: readonly UnwellNode[]): Sighting[] =>
    grouped(all, ({ group }) => group).map((members) => {
      const sinceMs = Math.min(...members.map((member) => member.sinceMs));
      const names = someOf(members.map(({ name }) => name));
      const title = `${members[0].group}: ${WORDS[kind]}`;
      return { kind, owner: members[0].group, title, sinceMs, line: `${title} for ${duration(nowMs - sinceMs)} (${names})` };
    });
  return [...of('node-not-ready', nodes), ...of('node-never-joined', claims)];
}

/** Of a NodePool as a whole such events only say that its budgets hold, which is what a freeze is for. Node by node: in a roll they wait in turn. */
function ofNodeEvents({ events, groups, nowMs }: LookFacts): Sighting[] {
  const current = events.flatMap((event) => {
    const group = event.kind === 'Node' ? groups.get(event.name) : undefined;
    const kind = event.reason === 'FailedDraining' ? 'draining' : event.reason === 'DisruptionBlocked' ? 'blocked' : undefined;
    const passes = /nominated|initialized|budget/i.test(event.message) && !/pdb|disruptionbudget/i.test(event.message);
    if (group === undefined || kind === undefined || passes || nowMs - event.lastMs > CURRENT_MS) return [];
    return [{ event, owner: `${group}, node ${event.name}`, kind } as const];
  });
  return grouped(current, ({ kind, owner }) => `${kind} ${owner}`).map(([{ kind, owner, event }]) => {
    const title = `${owner}: ${WORDS[kind]}`;
    // Since the first look: an event that is counted up may have been away in between.
    return { kind, owner, title, line: `${title}: ${short(event.message)}` };
  });
}

function ofWorkloads(workloads: readonly ShortWorkload[]): Sighting[] {
  return workloads
    .filter(({ wanted, available }) => available <= wanted * ENOUGH_SHARE && available < wanted)
    .map(({ owner, wanted, available }) => {
      const title = `${owner} ${WORDS.below}`;
      return { kind: 'below', owner, title, line: `${title}: ${available} of ${wanted} ${agree(wanted, 'is', 'are')} available` };
    });
}

/** One line of a message that may be a page. */
function short(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Lines for one message: as many as are read. */
export function troubleLines(lines: readonly string[], limit = 12): string {
  const rest = lines.length - limit;
  return [...lines.slice(0, limit), ...(rest > 0 ? [`and ${count(rest, 'thing')} more`] : [])].map((line) => `• ${line}`).join('\n');
}
