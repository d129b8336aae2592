/** Karpenter's part of a way back: held and rolled before everything else, let go once the control plane is back. */
import { OFFERED_PACES, paceOfPool } from '../../policy/pace.ts';
import { about, count, someOf } from '../../core/text.ts';
import { releasesAsked } from '../karpenter/ami-pins.ts';
import { expectedMs } from '../durations/defaults.ts';
import { freezeMeans, meansText } from '../karpenter/choose-freeze.ts';
import { sparing, spareWords } from '../steps/istiod.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedStep } from '../model/types.ts';
import { type KarpenterBack, pinWords } from './karpenter.ts';
import type { RollbackStepsInput } from './step-input.ts';
import { defined } from '../../core/defined.ts';

export function karpenterSteps(input: RollbackStepsInput): PlannedStep[] {
  const { karpenter } = input;
  if (karpenter === undefined) return [];
  return [freezeStep(input, karpenter), ...(karpenter.rollCount === 0 ? [] : [rollStep(input, karpenter)])];
}

function freezeStep({ hop, facts, policy, window: { at, backTo } }: RollbackStepsInput, karpenter: KarpenterBack): PlannedStep {
  const { nodePools = [] } = facts.karpenter ?? {};
  const { pins } = karpenter;
  const frozenBefore = nodePools.flatMap(({ name, frozenBy }) => (frozenBy === undefined ? [] : [name]));
  const means = freezeMeans(nodePools, policy);
  const asked = pins.flatMap((pin) => (pin.owner === undefined ? [] : [` ${pin.owner} is asked to pin EC2NodeClass ${pinWords(pin)}.`]));
  const own = pins.filter(({ owner }) => owner === undefined);
  const pinned = own.length === 0 ? '' : ` Then Belay pins EC2NodeClass ${someOf(own.map(pinWords))}.`;
  return plannedStep(
    hop,
    {
      phase: 'freeze-drift',
      nodePools: karpenter.nodePools,
      ...(frozenBefore.length === 0 ? {} : { frozenBefore }),
      ...defined({ means }),
      ...(pins.length === 0 ? {} : { holds: pins }),
      back: { from: at, to: backTo },
    },
    {
      title: 'Freeze Karpenter',
      why: `While the control plane is at ${at} an alias brings nodes of ${at}, which may not be there when it goes back; node pools ${someOf(karpenter.nodePools)} wait.${meansText(nodePools, means)}${pinned}${asked.join('')} New nodes come up at ${backTo} from then on.`,
      rollback: {
        what: 'the freeze and the pins',
        how: `Belay restores the terms from annotation belay.dev/ami-before and removes its own freeze of the NodePools, and nothing else`,
        until: 'nodes are replaced; after that, lifting the freeze upgrades them again, so you are asked',
        cost: 'none before nodes are replaced',
      },
    },
    policy,
  );
}

function rollStep({ hop, facts, policy, window: { at, backTo } }: RollbackStepsInput, karpenter: KarpenterBack): PlannedStep {
  const { pins, nodePools, rollCount, pinnedPools } = karpenter;
  const { waves } = policy.karpenter;
  const paces = [...policy.karpenter.paces];
  const nodes = count(rollCount, 'node');
  return plannedStep(
    hop,
    {
      phase: 'karpenter-drift',
      to: backTo,
      nodePools,
      nodeCount: rollCount,
      paces,
      offeredPaces: [...OFFERED_PACES],
      forecast: true,
      ...defined({ waves }),
      ...sparing(facts),
      ...(pinnedPools.length === 0 ? {} : { pinnedPools }),
      ...(pins.length === 0 ? {} : { follows: pins.map((pin) => ({ nodeClass: pin.nodeClass, nodePools: pin.nodePools })) }),
      back: true,
    },
    {
      title: `Karpenter nodes back to ${backTo}`,
      why: `No kubelet may be newer than the control plane, so Karpenter replaces ${nodes} by the pinned images (${[...paces, 'the original budgets'].join(', then ')}); afterwards drift stays frozen until the control plane is back.`,
      gate: {
        title: `Let Karpenter replace ${nodes} by ${backTo}?`,
        next: `Karpenter may replace nodes${paces[0] === undefined ? '' : `, at first ${paceOfPool(paces[0])} at a time per node pool`}; ${nodes} will be replaced.${spareWords(facts)}`,
        why: `Nodes at ${backTo} run well under a control plane at ${at}, too: people may still stop after this step.`,
      },
      rollback: {
        what: `the nodes, up to ${at} again`,
        how: `the freeze is kept where a run ends here: "Lift and roll" at its gate brings them back to ${at}`,
        until: `the control plane is back at ${backTo}`,
        cost: `${nodes} replaced once more`,
      },
    },
    policy,
  );
}

export function nodeClassesStep({ hop, policy, window: { backTo }, karpenter }: RollbackStepsInput): PlannedStep[] {
  if (karpenter === undefined) return [];
  const { pins } = karpenter;
  const moves = releasesAsked(pins, []);
  const params = {
    phase: 'node-classes-back' as const,
    to: backTo,
    waitMs: policy.timing.bakeMs,
    own: pins.filter(({ owner }) => owner === undefined).map(({ nodeClass }) => nodeClass),
    moves: moves.map((move) => ({ ...move, why: `the control plane is back at ${backTo}` })),
    follows: pins.map(({ nodeClass, nodePools }) => ({ nodeClass, nodePools })),
  };
  const names = someOf(pins.map(({ nodeClass }) => nodeClass));
  const step = plannedStep(
    hop,
    params,
    {
      title: pins.length === 0 ? 'Lift the freeze' : 'Node classes as before',
      why: `Karpenter learns the control plane's version only minutes later, so nothing is let go for ${about(expectedMs(params, policy.timing))}.${pins.length === 0 ? '' : ` Then EC2NodeClass ${names} chooses by alias again, which means images of ${backTo} now; where Amazon has shipped a newer release since, nodes go there as on any other day.`} Then the budgets are what they were.`,
      rollback: {
        what: 'nothing',
        how: 'everything is as it was before the rollback',
        until: 'always',
        cost: 'none',
      },
    },
    policy,
  );
  return [step];
}
