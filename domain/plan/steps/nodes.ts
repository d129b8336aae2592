/** Steps that replace nodes: managed node groups, then Karpenter's by paced drift. */
import { hasBakeGate } from '../state/bake-gates.ts';
import type { AutoscalerFact, ClusterFacts, NodeGroupFact } from '../../facts/facts.ts';
import { OFFERED_PACES, paceOfPool } from '../../policy/pace.ts';
import type { NodeWaves, UpgradePolicy } from '../../policy/policy.ts';
import { count, someOf } from '../../core/text.ts';
import type { Hop } from '../model/hops.ts';
import { selectionWords } from '../karpenter/ami-changes.ts';
import type { AmiMove, Unpromoted } from '../model/changes.ts';
import type { PlannedStep } from '../model/types.ts';
import { pauseWords } from './autoscaler.ts';
import { sparing, spareWords } from './istiod.ts';
import { minorsOf, plannedStep } from './step.ts';
import { defined } from '../../core/defined.ts';

/** `versions`: the groups' versions as the plan continues, by name. */
export function nodeGroupsStep(
  hop: Hop,
  groups: readonly NodeGroupFact[],
  versions: ReadonlyMap<string, string>,
  autoscaler: AutoscalerFact | undefined,
  facts: ClusterFacts,
  policy: UpgradePolicy,
): PlannedStep {
  const [from, to] = minorsOf(hop);
  const moves = groups.map((group) => ({ name: group.name, from: versions.get(group.name) ?? group.version, count: group.desiredCount }));
  const nodeCount = moves.reduce((sum, move) => sum + move.count, 0);
  const names = someOf(moves.map((move) => move.name));
  return plannedStep(
    hop,
    {
      phase: 'node-groups',
      to,
      groups: moves,
      managedBy: policy.managedBy.nodeGroups,
      ...defined({ autoscaler }),
      ...sparing(facts),
    },
    {
      title: `Node groups → ${to}`,
      why: `${count(moves.length, 'node group')} (${names}) with ${count(nodeCount, 'node')} ${moves.length === 1 ? `moves to ${to}` : `move to ${to} in parallel`}.`,
      gate: {
        title: `Replace the ${count(nodeCount, 'node')} of ${moves.length === 1 ? `node group ${names}` : count(moves.length, 'node group')}?`,
        next: `EKS drains and replaces ${count(nodeCount, 'node')} of ${names}.${pauseWords(autoscaler)}${spareWords(facts)}`,
        why: `From here going back to ${from} means moving nodes first.`,
      },
      rollback: {
        what: `the node groups, back to ${from}`,
        how: `UpdateNodegroupVersion with ${from} in EKS's version rollback, or new node groups at ${from} and a drain of these`,
        until: `7 days after the control plane's update`,
        cost: `${count(nodeCount, 'node')} replaced again`,
      },
    },
    policy,
  );
}

/** Annotation with the terms from before an edit. */
const AMI_MOVE = 'belay.dev/ami-move-before';

/** What keeps nodes of Karpenter where they are, and what lets them go. */
export interface Pins {
  /** Node classes whose AMIs an earlier run has pinned. */
  heldClasses: string[];
  /** Pools whose classes choose AMIs by id, name or tag. */
  pinnedPools: string[];
  /** Node classes that are edited, so that their nodes move. */
  moves: AmiMove[];
  /** Classes whose images have to be for the hop's minor before nodes are replaced. */
  follows: { nodeClass: string; nodePools: string[] }[];
  /** Classes for which there is no release to promote. */
  unpromoted: Unpromoted[];
}

/** "Belay changes EC2NodeClass fixed from ami-1 to al2023@v20251016 (…)." */
function moveWords({ nodeClass, before, terms, why, owner }: AmiMove): string {
  const change = `EC2NodeClass ${nodeClass} from ${before} to ${selectionWords(terms)} (${why})`;
  return owner === undefined ? `Belay changes ${change}.` : `${owner} is asked to change ${change}.`;
}

/** `firstToMove`: no node group moves before Karpenter's nodes do. */
export function karpenterDriftStep(
  hop: Hop,
  whose: 'Karpenter' | 'Auto Mode',
  nodePools: string[],
  nodeCount: number,
  firstToMove: boolean,
  { heldClasses: held, pinnedPools: pinned, moves, follows, unpromoted }: Pins,
  facts: ClusterFacts,
  policy: UpgradePolicy,
): PlannedStep {
  const [from, to] = minorsOf(hop);
  const release = held.length === 0 ? '' : ` The AMIs that are held on ${someOf(held)} are released first.`;
  const { waves } = policy.karpenter;
  const edits = moves.map((move) => ` ${moveWords(move)}`).join('');
  const paces = [...policy.karpenter.paces];
  return plannedStep(
    hop,
    {
      phase: 'karpenter-drift',
      to,
      nodePools,
      nodeCount,
      paces,
      offeredPaces: [...OFFERED_PACES],
      forecast: true,
      ...defined({ waves }),
      ...(waves !== undefined && hasBakeGate(policy.timing.waveBakeMs) ? { bakeGate: true } : {}),
      ...sparing(facts),
      ...(held.length === 0 ? {} : { heldClasses: held }),
      ...(pinned.length === 0 ? {} : { pinnedPools: pinned }),
      ...(moves.length === 0 ? {} : { moves }),
      ...(follows.length === 0 ? {} : { follows }),
      ...(unpromoted.length === 0 ? {} : { unpromoted }),
    },
    {
      title: `${whose} nodes → ${to}`,
      why: `The freeze is lifted in steps (${[...paces, 'the original budgets'].join(', then ')}) and ${whose} replaces ${count(nodeCount, 'node')} of ${someOf(nodePools.filter((pool) => !pinned.includes(pool))) || 'no pool'}${wavesText(waves)}.${release}${edits}${openText(unpromoted)}`,
      gate: {
        title: `Let ${whose} replace its ${count(nodeCount, 'node')}?`,
        next: `${whose} may replace nodes again${paces[0] === undefined ? '' : `, at first ${paceOfPool(paces[0])} at a time per node pool`}; ${count(nodeCount, 'node')} will be replaced.${edits === '' ? '' : ` First:${edits}`}${spareWords(facts)}`,
        why: firstToMove
          ? `From here going back to ${from} means moving nodes first.`
          : `Replaced nodes cannot go back to ${from} while the control plane is at ${to}.`,
      },
      rollback: {
        what: `nodes that are not yet replaced`,
        how: `freeze again; replaced nodes go back only with AMI ids of ${from} in their EC2NodeClass${moves.length === 0 ? '' : ` (the terms before stand in annotation ${AMI_MOVE} until the last node is replaced)`}`,
        until: 'the last node is replaced',
        cost: `${count(nodeCount, 'node')} replaced again`,
      },
    },
    policy,
  );
}

function openText(unpromoted: readonly Unpromoted[]): string {
  if (unpromoted.length === 0) return '';
  return ` There is no AMI release to promote to ${someOf(unpromoted.map(({ nodeClass }) => nodeClass))} (karpenter.promoteFrom): people decide first whether to wait for one.`;
}

function wavesText(waves: NodeWaves | undefined): string {
  if (waves === undefined) return '';
  const each = { zone: 'zone by zone', nodepool: 'pool by pool', count: `${count(waves.nodes ?? 1, 'node')} per wave` }[waves.by];
  return `, ${each}${waves.gate === true ? ', with a gate between waves' : ''}; nodes of later waves are held by annotation`;
}
