/** Steps that take node classes back: freeze, then the terms of before and a paced roll, by which the freeze is let go. */
import type { KarpenterFact } from '../../facts/facts.ts';
import { OFFERED_PACES, paceOfPool } from '../../policy/pace.ts';
import { count, someOf } from '../../core/text.ts';
import { selectionWords } from '../karpenter/ami-changes.ts';
import type { AmiMove } from '../model/changes.ts';
import { sparing, spareWords } from '../steps/istiod.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedStep } from '../model/types.ts';
import { undoFreeze } from './freeze.ts';
import { runWords, type UndoInput } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

export interface ClassesBack {
  moves: AmiMove[];
  /** Of the nodes that come of it. */
  minor: string;
  karpenter: KarpenterFact;
}

const poolsOf = ({ moves }: ClassesBack): string[] => moves.flatMap(({ nodePools }) => nodePools);

function nodeCountOf(back: ClassesBack): number {
  const pools = new Set(poolsOf(back));
  return back.karpenter.nodePools.filter(({ name }) => pools.has(name)).reduce((sum, { nodeCount }) => sum + nodeCount, 0);
}

export const nodeWords = (back: ClassesBack): string => count(nodeCountOf(back), 'node');

/** "default from al2023@v20251016 to al2023@v20250403" */
const moveWords = ({ nodeClass, before, terms }: AmiMove): string => `${nodeClass} from ${before} to ${selectionWords(terms)}`;

export function nodeClassSteps(input: UndoInput, back: ClassesBack): PlannedStep[] {
  const { facts, minor } = input;
  const { moves, karpenter } = back;
  const words = someOf(moves.map(moveWords));
  const asked = [...new Set(moves.flatMap(({ owner }) => owner ?? []))];
  const ask = asked.length === 0 ? '' : ` ${someOf(asked)} is asked for what it delivers, with the lines for Git.`;
  const gate = {
    title: `Take ${count(moves.length, 'EC2NodeClass')} of ${facts.cluster.name} back to the AMIs of before?`,
    next: `Drift is frozen, then EC2NodeClass ${words}.${ask} Nodes are replaced behind a gate of their own.`,
    why: `Images of ${back.minor} may run under a control plane at ${minor}, which stays.`,
    reason: true as const,
  };
  const freeze = undoFreeze(
    input,
    karpenter,
    gate,
    (pools) => `Other AMIs are drift: node pools ${pools} replace nothing for it before people let them.`,
  );
  const roll = rollStep(input, back, words, ask);
  // Without a pool nothing rolls, and the terms alone go back.
  return freeze === undefined ? [{ ...roll, gate }] : [freeze, { ...roll, gate: rollGate(input, back) }];
}

function rollGate({ facts, policy }: UndoInput, back: ClassesBack): PlannedStep['gate'] {
  const [pace] = policy.karpenter.paces;
  return {
    title: `Let Karpenter replace ${nodeWords(back)} by the images of before?`,
    next: `EC2NodeClass ${someOf(back.moves.map(moveWords))}; then Karpenter may replace nodes${pace === undefined ? '' : `, at first ${paceOfPool(pace)} at a time per node pool`}; ${nodeWords(back)} of ${someOf(poolsOf(back))} will be replaced.${spareWords(facts)}`,
    why: 'The control plane and everything else stay as they are.',
  };
}

function rollStep({ hop, facts, policy, run }: UndoInput, back: ClassesBack, words: string, ask: string): PlannedStep {
  const { moves, karpenter, minor } = back;
  const pools = poolsOf(back);
  const others = karpenter.nodePools.map(({ name }) => name).filter((name) => !pools.includes(name));
  const { waves } = policy.karpenter;
  const paces = [...policy.karpenter.paces];
  const nodeCount = nodeCountOf(back);
  return plannedStep(
    hop,
    {
      phase: 'karpenter-drift',
      to: minor,
      nodePools: pools,
      nodeCount,
      paces,
      offeredPaces: [...OFFERED_PACES],
      forecast: true,
      ...defined({ waves }),
      ...sparing(facts),
      ...(others.length === 0 ? {} : { pinnedPools: others }),
      moves,
      follows: moves.map(({ nodeClass, nodePools }) => ({ nodeClass, nodePools })),
      byImage: moves.map(({ nodeClass }) => nodeClass),
    },
    {
      title: `Karpenter nodes back to the images of before`,
      why: `EC2NodeClass ${words}: what ${runWords(run)} found.${ask} Karpenter replaces ${nodeWords(back)} of ${someOf(pools) || 'no pool'} (${[...paces, 'the original budgets'].join(', then ')}), then the freeze is lifted.`,
      rollback: {
        what: 'the node classes, to what they choose now',
        how: 'the terms stand in annotation belay.dev/ami-move-before until the last node is replaced; later the next upgrade changes them as it did',
        until: 'always',
        cost: `${nodeWords(back)} replaced once more`,
      },
    },
    policy,
  );
}
