/** Draws a plan's steps hop by hop. Leaves out what has nothing to do; judges nothing, that is what the rules are for. */
import { tryComponentVersion } from '../core/component-version.ts';
import type { ClusterFacts } from '../facts/facts.ts';
import { formatKubernetesVersion, minorDistance } from '../core/version.ts';
import { count } from '../core/text.ts';
import { afterChanges, bridgeChanges, targetChanges } from './state/add-ons.ts';
import { freezeMeans, type FreezablePool, meansText } from './karpenter/choose-freeze.ts';
import { type Hop, hopsBetween } from './model/hops.ts';
import { istioCanaries } from './istio/path.ts';
import { isOwnChange, karpenterChange, karpenterDelivery } from './karpenter/controller.ts';
import { migrationLegs } from './karpenter/migration.ts';
import { afterCanary, type Mesh } from './istio/mesh.ts';
import { amiHolds, releasesAsked, skewText, withoutDrivers } from './karpenter/ami-pins.ts';
import { classesInUse, movesAlong, unpromoted } from './karpenter/ami-changes.ts';
import { autoModePoolsOfOnesOwn, controlPlaneMinor, driftingNodeCount, groupsBehind, heldClasses, pinnedPools } from './state/nodes.ts';
import { initialState } from './state/replay.ts';
import { istioMaxJump } from './rules/istio.ts';
import { autoscalerToPause } from './steps/autoscaler.ts';
import { addOnsBridgeStep, addOnsTargetStep, istioStep, karpenterControllerStep } from './steps/components.ts';
import { bakeStep, controlPlaneStep, freezeStep, loggingStep, preChecksStep, validationStep } from './steps/control-plane.ts';
import { endOf, karpenterMigrationStep } from './steps/karpenter-migration.ts';
import { karpenterDriftStep, nodeGroupsStep, type Pins } from './steps/nodes.ts';
import { otherNodeCount, otherNodesStep } from './steps/other-nodes.ts';
import type { AmiMove } from './model/changes.ts';
import type { PlannedGate, PlannedStep } from './model/types.ts';
import type { AddOnVersions } from '../facts/add-on-versions.ts';
import type { Draft, DraftInput } from './state/draft-plan.ts';
import { defined } from '../core/defined.ts';

/** What changes from hop to hop. */
interface Progress {
  karpenter?: string;
  mesh: Mesh;
  addOns: AddOnVersions;
  /** Versions of node groups by name. */
  groups: ReadonlyMap<string, string>;
  frozen: boolean;
  /** Karpenter's objects are of v1 by then. */
  migrated: boolean;
}

export function draftPlan(input: DraftInput): Draft {
  const { facts, target, strategy } = input;
  const hops = hopsBetween(controlPlaneMinor(facts), target, strategy);
  const start = initialState(facts);
  let progress: Progress = {
    karpenter: start.karpenter,
    mesh: start.mesh,
    addOns: start.addOns,
    groups: new Map(),
    frozen: false,
    migrated: false,
  };
  const steps: PlannedStep[] = [];
  const rolls = hops.filter((hop) => hop.rollsNodes);
  const moves = movesAlong(
    facts,
    input.policy,
    rolls.map((hop) => formatKubernetesVersion(hop.to)),
  );
  const rolled = rolls.reduce((sum, hop) => sum + replacedIn(hop, facts, movesOf(hop, moves)), 0);
  // Nodes of Machines are replaced once more, before all others.
  const nodeReplacementCount = rolled + machineNodeCount(facts);
  for (const hop of hops) {
    steps.push(preChecksStep(hop, input.facts, input.policy, hop.first ? planGate(input, hops, nodeReplacementCount) : undefined));
    const logging = hop.first ? loggingStep(hop, facts, input.policy) : undefined;
    if (logging !== undefined) steps.push(logging);
    progress = planKarpenter(input, hop, progress, steps);
    progress = planComponents(input, hop, progress, steps);
    progress = planFreeze(input, hop, progress, steps);
    steps.push(controlPlaneStep(hop, facts, input.policy), bakeStep(hop, input.policy));
    if (hop.rollsNodes) progress = planNodes(input, hop, movesOf(hop, moves), progress, steps);
  }
  return { hops, steps, nodeReplacementCount, mesh: progress.mesh };
}

/** Of objects of v1alpha5, which the first hop migrates. */
function machineNodeCount({ karpenter }: ClusterFacts): number {
  return karpenter?.api === 'v1alpha5' ? karpenter.nodePools.reduce((sum, pool) => sum + pool.nodeCount, 0) : 0;
}

function planGate({ facts, strategy }: DraftInput, hops: readonly Hop[], nodeReplacementCount: number): PlannedGate {
  const way = [facts.controlPlane.version, ...hops.map((hop) => formatKubernetesVersion(hop.to))].join(' → ');
  const when = hops.length === 1 ? '' : strategy === 'every-hop' ? ', at every hop' : ', once at the end';
  return {
    title: `Start the upgrade of ${facts.cluster.name}, ${way}?`,
    next: `Belay starts the plan for ${facts.cluster.name}: ${way}, ${count(nodeReplacementCount, 'node replacement')}${when}. It asks again before control planes and nodes.`,
    why: 'Nothing has changed yet; this approves the plan shown.',
  };
}

type Moves = ReadonlyMap<string, AmiMove[]>;
const movesOf = (hop: Hop, moves: Moves): AmiMove[] => moves.get(formatKubernetesVersion(hop.to)) ?? [];

function replacedIn(hop: Hop, facts: ClusterFacts, moves: readonly AmiMove[]): number {
  return (
    groupsBehind(facts, hop.to).reduce((sum, group) => sum + group.desiredCount, 0) +
    otherNodeCount(hop, facts) +
    driftingNodeCount(facts, moves)
  );
}

/** A new controller may see drift where the old one saw none: where Belay makes the change, the freeze comes first (docs/design/0009). */
function planKarpenter(input: DraftInput, hop: Hop, progress: Progress, steps: PlannedStep[]): Progress {
  const { facts, policy } = input;
  const { karpenter } = progress;
  const installed = karpenter === undefined ? undefined : tryComponentVersion(karpenter);
  if (facts.karpenter === undefined || karpenter === undefined || installed === undefined) return progress;
  const legs = progress.migrated ? [] : migrationLegs(facts.karpenter, installed, karpenterChange(hop, installed)?.version);
  const from = legs.length === 0 ? karpenter : endOf(karpenter);
  if (legs.length > 0) steps.push(karpenterMigrationStep(hop, facts.karpenter, { from: karpenter, legs }, policy));
  const after = { ...progress, karpenter: from, migrated: progress.migrated || legs.length > 0 };
  const choice = karpenterChange(hop, tryComponentVersion(from) ?? installed);
  if (choice === undefined) return after;
  const before = isOwnChange(karpenterDelivery(facts.karpenter, policy)) ? planFreeze(input, hop, after, steps) : after;
  steps.push(karpenterControllerStep(hop, facts.karpenter, from, choice, policy));
  return { ...before, karpenter: choice.version };
}

function planComponents({ facts, policy, now }: DraftInput, hop: Hop, progress: Progress, steps: PlannedStep[]): Progress {
  let { mesh, addOns } = progress;
  const maxJump = istioMaxJump(facts.istio?.hasCniOrZtunnel === true);
  const { waves, moveBy, gateways } = policy.istio;
  const { retireBakeMs } = policy.timing;
  const canaries = istioCanaries(hop, mesh, { maxJump, waves, moveBy, gateways, retireBakeMs, now });
  if (canaries.length > 0) {
    steps.push(istioStep(hop, canaries, facts.istio, policy));
    mesh = canaries.reduce(afterCanary, mesh);
  }
  const changes = bridgeChanges(hop, facts.addOns, addOns);
  if (changes.length > 0) {
    steps.push(addOnsBridgeStep(hop, changes, policy));
    addOns = afterChanges(addOns, changes);
  }
  return { ...progress, mesh, addOns };
}

/** With once-at-the-end one freeze stays over all hops. */
function planFreeze({ facts, strategy, policy }: DraftInput, hop: Hop, progress: Progress, steps: PlannedStep[]): Progress {
  const pools = poolNames(facts);
  if (pools.length === 0 || progress.frozen) return progress;
  const thawsIn = strategy === 'every-hop' ? hop.to : (hop.ahead.at(-1) ?? hop.to);
  const frozenBefore = freezablePools(facts)
    .filter((pool) => pool.frozenBy !== undefined)
    .map((pool) => pool.name);
  const thawsAt = `karpenter-drift@${formatKubernetesVersion(thawsIn)}`;
  const switches = hop.first ? (facts.karpenter?.switches ?? []) : [];
  const means = freezeMeans(freezablePools(facts), policy);
  const holds = amiHolds(facts, !hop.first);
  const held = hop.ahead.slice(1, hop.ahead.findIndex((minor) => minorDistance(minor, thawsIn) === 0) + 1);
  const how = {
    ...defined({ means }),
    meansText: meansText(freezablePools(facts), means),
    holds,
    skew: holds.length === 0 ? '' : skewText(facts, held),
    lacks: withoutDrivers(facts, holds),
  };
  steps.push(freezeStep(hop, { whose: whoseNodes(facts), nodePools: pools, frozenBefore, switches, thawsAt, ...how }, policy));
  return { ...progress, frozen: true };
}

function pinsOf({ facts, policy, strategy }: DraftInput, hop: Hop, edits: AmiMove[]): Pins {
  const holds = amiHolds(facts, strategy === 'every-hop' && !hop.first);
  const moves = [...edits, ...releasesAsked(holds, edits)];
  const pinned = pinnedPools(facts, moves);
  const follows = classesInUse(facts)
    .map(({ nodeClass, nodePools }) => ({ nodeClass: nodeClass.name, nodePools }))
    .filter(({ nodePools }) => !nodePools.some((pool) => pinned.includes(pool)));
  const own = holds.filter(({ owner }) => owner === undefined).map(({ nodeClass }) => nodeClass);
  return {
    heldClasses: [...heldClasses(facts), ...own],
    pinnedPools: pinned,
    moves,
    follows,
    unpromoted: unpromoted(facts, policy, edits),
  };
}

function planNodes(input: DraftInput, hop: Hop, moves: AmiMove[], progress: Progress, steps: PlannedStep[]): Progress {
  const { facts, policy } = input;
  let { addOns, groups } = progress;
  const behind = groupsBehind(facts, hop.to);
  if (behind.length > 0) {
    steps.push(nodeGroupsStep(hop, behind, groups, autoscalerToPause(facts, policy), facts, policy));
    groups = new Map([...groups, ...behind.map((group): [string, string] => [group.name, formatKubernetesVersion(hop.to)])]);
  }
  const others = otherNodesStep(hop, facts, policy);
  if (others !== undefined) steps.push(others);
  const pools = poolNames(facts);
  if (pools.length > 0) {
    const pins = pinsOf(input, hop, moves);
    const firstToMove = behind.length === 0 && others === undefined;
    steps.push(karpenterDriftStep(hop, whoseNodes(facts), pools, driftingNodeCount(facts, pins.moves), firstToMove, pins, facts, policy));
  }
  const changes = targetChanges(hop, facts.addOns, addOns);
  if (changes.length > 0) {
    steps.push(addOnsTargetStep(hop, changes, policy));
    addOns = afterChanges(addOns, changes);
  }
  steps.push(validationStep(hop, policy));
  return { ...progress, addOns, groups, frozen: false };
}

function poolNames(facts: ClusterFacts): string[] {
  return freezablePools(facts).map((pool) => pool.name);
}

/** Pools whose budgets Belay may edit. */
function freezablePools(facts: ClusterFacts): FreezablePool[] {
  return [...(facts.karpenter?.nodePools ?? []), ...autoModePoolsOfOnesOwn(facts)];
}

function whoseNodes(facts: ClusterFacts): 'Karpenter' | 'Auto Mode' {
  return facts.karpenter === undefined ? 'Auto Mode' : 'Karpenter';
}
