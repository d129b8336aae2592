/** Drift: claims whose image their class no longer selects are marked, then replaced one command at a time as budgets allow. */
import { conditionOf, isReady, isTerminating } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import { liesAbout } from '../../world/faults/lies.ts';
import type { World } from '../../world/world.ts';
import { clearCondition, isTrue, setCondition } from '../conditions.ts';
import { recordEvent } from './events.ts';
import { blockers, reschedulable } from '../drain.ts';
import { machineOf } from '../machines.ts';
import { taint } from '../nodes.ts';
import { allowedByBudgets } from './budgets.ts';
import { DISRUPTED_TAINT, expired, launchClaim, nodeOf, poolOf, remove, terminate } from './claims.ts';
import { DO_NOT_DISRUPT, holds } from './do-not-disrupt.ts';
import { driftGate } from './migration/machines.ts';
import { kubeletDrift } from './migration/kubelet-settings.ts';
import { exceeded } from './provisioning/limits.ts';
import { type Bin, machineOfBin } from './provisioning/packing.ts';
import { movable, simulate } from './provisioning/simulation.ts';
import { isOtherTemplate } from './pool-hash.ts';
import { isSince } from './migration/versions.ts';

/** World time between two commands. */
const COMMAND_EVERY_MS = 1_000;
/** Claims of a very large cluster take their turns. */
const LOOKS_PER_LOOP = 500;
/** Each costs a look at every node: the next loop goes on. */
const REFUSED_PER_LOOP = 30;

/** A drifted claim on its way out. */
export interface Command {
  claim: string;
  /** None where its pods have room elsewhere. */
  replacements: readonly string[];
}

/** `version`: Karpenter's. Before 1.0 what has expired waits for budgets as what has drifted does. */
export function markDrift(world: World, version: string): void {
  for (const claim of world.store.list('nodeclaims')) {
    if (isTerminating(claim) || !isTrue(claim, 'Launched')) continue;
    markExpired(world, claim, !isSince(version, '1.0') && expired(world, claim));
    const reason =
      isSince(version, '0.33') || driftGate(world) ? (driftOf(world, claim) ?? kubeletDrift(world, claim, version)) : undefined;
    if ((reason !== undefined) === isTrue(claim, 'Drifted')) continue;
    world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => {
      if (reason === undefined) clearCondition(copy, 'Drifted');
      else setCondition(world, copy, 'Drifted', 'True', reason, reason);
    });
  }
}

function markExpired(world: World, claim: KubeObject, isExpired: boolean): void {
  if (isExpired === isTrue(claim, 'Expired')) return;
  world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => {
    if (isExpired) setCondition(world, copy, 'Expired', 'True', 'TTLExpired');
    else clearCondition(copy, 'Expired');
  });
}

/** Karpenter may replace it when budgets and blockers let it. */
const isCandidate = (claim: KubeObject): boolean => isTrue(claim, 'Drifted') || isTrue(claim, 'Expired');

/** By the hash of the template, by its node class, by the image. */
function driftOf(world: World, claim: KubeObject): string | undefined {
  const { name } = claim.spec.nodeClassRef;
  const pool = world.store.get('nodepools', poolOf(claim));
  if (pool !== undefined && (pool.spec.template.spec.nodeClassRef.name !== name || isOtherTemplate(pool, claim))) return 'NodePoolDrifted';
  const amis: { id: string }[] = world.store.get('ec2nodeclasses', name)?.status?.amis ?? [];
  return amis.length > 0 && !amis.some((a) => a.id === claim.status?.imageID) ? 'AMIDrift' : undefined;
}

/** Finishes commands whose replacements are ready, then starts more: after each the real one begins anew at once, about every second. */
export function disrupt(world: World, commands: Map<string, Command>): void {
  const moved: KubeObject[] = [];
  for (const command of commands.values()) advance(world, command, commands, moved);
  const atMost = Math.max(1, Math.floor(world.tempo.karpenterLoopMs / COMMAND_EVERY_MS));
  const { candidates, room } = look(world, commands);
  let started = 0;
  let refused = 0;
  for (const claim of candidates) {
    const left = room.get(poolOf(claim)) ?? 0;
    if (left <= 0) continue;
    const bins = binsFor(world, claim, commands, moved);
    if (bins === 'blocked') {
      refused += 1;
      if (refused === REFUSED_PER_LOOP) return;
      continue;
    }
    start(world, claim, { commands, bins, moved });
    room.set(poolOf(claim), left - 1);
    started += 1;
    if (started === atMost) return;
  }
}

/** `moved`: gets the pods that are evicted. */
function advance(world: World, command: Command, commands: Map<string, Command>, moved: KubeObject[]): void {
  const claim = world.store.get('nodeclaims', command.claim);
  if (claim === undefined) {
    commands.delete(command.claim);
    return;
  }
  if (isTerminating(claim)) return;
  const replacements = command.replacements.map((name) => world.store.get('nodeclaims', name));
  if (replacements.some((each) => each === undefined || isTerminating(each))) {
    // A replacement never came: the node stays in service.
    const node = nodeOf(world, claim);
    if (node !== undefined) taint(world, node.metadata.name, DISRUPTED_TAINT, undefined);
    world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) => clearCondition(copy, 'DisruptionReason'));
    commands.delete(command.claim);
  } else if (replacements.every((each) => each !== undefined && isTrue(each, 'Initialized'))) {
    retire(world, claim, moved);
  }
}

function retire(world: World, claim: KubeObject, moved: KubeObject[]): void {
  recordEvent(world, claim, 'Normal', 'DisruptionTerminating', `Disrupting NodeClaim: Drifted`);
  const pods = movable(world, claim);
  remove(world, claim, 'drifted');
  const going = world.store.get('nodeclaims', claim.metadata.name);
  if (going !== undefined) terminate(world, going);
  const left = new Set(movable(world, claim).map(({ metadata }) => metadata.uid));
  moved.push(...pods.filter(({ metadata }) => !left.has(metadata.uid)));
}

/** Nodes that have to be launched first, where they are chosen by what they have to hold; 'blocked' where Karpenter would not begin, with its event. */
function binsFor(
  world: World,
  claim: KubeObject,
  commands: ReadonlyMap<string, Command>,
  moved: readonly KubeObject[],
): Bin[] | 'blocked' | undefined {
  const pool = world.store.get('nodepools', poolOf(claim));
  if (world.machines === undefined || pool === undefined) return undefined;
  const simulated = simulate(world, claim, commands, moved);
  if ('blocked' in simulated) return blocked(world, claim, simulated.blocked);
  const over = simulated.bins.length === 0 ? undefined : exceeded(world, pool);
  return over === undefined ? simulated.bins : blocked(world, claim, `Failed to launch a replacement: ${over}`);
}

/** What forbids it becomes an event on Node and NodeClaim. */
function blocked(world: World, claim: KubeObject, why: string): 'blocked' {
  for (const about of [nodeOf(world, claim), claim]) if (about !== undefined) recordEvent(world, about, 'Normal', 'DisruptionBlocked', why);
  return 'blocked';
}

function start(
  world: World,
  claim: KubeObject,
  { commands, bins, moved }: { commands: Map<string, Command>; bins: Bin[] | undefined; moved: KubeObject[] },
): void {
  const node = nodeOf(world, claim);
  const pool = world.store.get('nodepools', poolOf(claim));
  if (node === undefined || pool === undefined) return;
  const empty = bins === undefined ? reschedulable(world, node.metadata.name).length === 0 : bins.length === 0;
  const wanted = bins?.map((bin) => ({ pool: bin.pool, machine: machineOfBin(bin) })) ?? [{ pool, machine: machineOf(world, node) }];
  const launched = empty ? [] : wanted.flatMap((each) => launchClaim(world, each.pool, { machine: each.machine }) ?? []);
  if (!empty && launched.length === 0) return;
  taint(world, node.metadata.name, DISRUPTED_TAINT, 'NoSchedule');
  world.store.update('nodeclaims', claim.metadata.name, undefined, (copy) =>
    setCondition(world, copy, 'DisruptionReason', 'True', 'Drifted', 'Drifted'),
  );
  recordEvent(world, claim, 'Normal', 'DisruptionLaunching', `Launching NodeClaim: Drifted`);
  const reason = conditionOf(claim, 'Drifted')?.reason ?? 'Drifted';
  world.journal.tell(
    `Karpenter replaces ${node.metadata.name} of pool ${pool.metadata.name}: ${reason}${empty ? ', without a new node' : ''}`,
  );
  commands.set(claim.metadata.name, { claim: claim.metadata.name, replacements: launched.map(({ metadata }) => metadata.name) });
  if (empty) retire(world, claim, moved);
}

/** Empty nodes first, then those that drifted first, and what budgets leave of each pool. Only pools with room are looked at. */
function look(world: World, commands: Map<string, Command>): { candidates: KubeObject[]; room: Map<string, number> } {
  const drifted = world.store
    .list('nodeclaims')
    .filter((c) => isCandidate(c) && isTrue(c, 'Initialized') && !isTerminating(c) && !commands.has(c.metadata.name));
  const room = new Map([...new Set(drifted.map(poolOf))].map((pool) => [pool, roomIn(world, pool, commands)]));
  const candidates = drifted
    .filter((claim) => (room.get(poolOf(claim)) ?? 0) > 0)
    .map((claim) => ({ claim, since: driftedSince(claim) }))
    .sort((a, b) => (a.since < b.since ? -1 : 1))
    .slice(0, LOOKS_PER_LOOP)
    .filter(({ claim }) => disruptable(world, claim))
    .map(({ claim }) => claim);
  const isEmpty = (claim: KubeObject): boolean => reschedulable(world, String(claim.status.nodeName)).length === 0;
  const empty = new Set(candidates.filter(isEmpty));
  return { candidates: [...empty, ...candidates.filter((each) => !empty.has(each))], room };
}

const driftedSince = (claim: KubeObject): string => `${conditionOf(claim, 'Drifted')?.lastTransitionTime} ${claim.metadata.name}`;

/** Disruptions that the pool's budgets still allow for drift. */
function roomIn(world: World, name: string, commands: Map<string, Command>): number {
  const pool = world.store.get('nodepools', name);
  if (pool === undefined || !isTrue(pool, 'Ready')) return 0;
  // Those whose instances end count for nothing (disruption/helpers.go, BuildDisruptionBudgetMapping).
  const claims = world.store
    .list('nodeclaims', { labels: { 'karpenter.sh/nodepool': name } })
    .filter((claim) => isTrue(claim, 'Initialized') && !isTrue(claim, 'InstanceTerminating'));
  const away = claims.filter((claim) => {
    const node = nodeOf(world, claim);
    return commands.has(claim.metadata.name) || isTerminating(claim) || node === undefined || !isReady(node);
  });
  const allowed = allowedByBudgets(pool.spec.disruption?.budgets, claims.length, 'Drifted', world.clock.now());
  const room = liesAbout(world, 'karpenter', 'budget-ignored') ? claims.length : Math.max(0, allowed - away.length);
  if (allowed === 0) {
    recordEvent(world, pool, 'Normal', 'DisruptionBlocked', 'No allowed disruptions for disruption reason Drifted due to blocking budget');
  }
  return room;
}

/** May the node be disrupted at all? */
function disruptable(world: World, claim: KubeObject): boolean {
  const node = nodeOf(world, claim);
  if (node === undefined) return false;
  const why = obstacle(world, node, claim.spec?.terminationGracePeriod !== undefined);
  if (why === undefined) return true;
  blocked(world, claim, why);
  return false;
}

function obstacle(world: World, node: KubeObject, hasDeadline: boolean): string | undefined {
  if (node.metadata.annotations?.[DO_NOT_DISRUPT] === 'true') return `Disruption is blocked through the "${DO_NOT_DISRUPT}" annotation`;
  if (hasDeadline) return undefined;
  const pod = world.store.podsOn(node.metadata.name).find((p) => holds(world, p));
  if (pod !== undefined) return `Pod has "${DO_NOT_DISRUPT}" annotation (Pod=${pod.metadata.namespace}/${pod.metadata.name})`;
  const [blocker] = blockers(world, node.metadata.name);
  if (blocker === undefined) return undefined;
  const budgets = blocker.budgets.map((name) => `${blocker.pod.metadata.namespace}/${name}`).join(' ');
  return `Pdb prevents pod evictions (PodDisruptionBudget=[${budgets}])`;
}
