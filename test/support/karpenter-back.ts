/** A way back of a cluster with Karpenter, and a fake world in which its nodes and its control plane do go back. */
import { defined } from '../../domain/core/defined.ts';
import type { PhaseId } from '../../domain/core/phases.ts';
import type { AmiMove } from '../../domain/plan/model/changes.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { NodeWaves } from '../../domain/policy/policy.ts';
import { fakeActivities, quickPolicy, withChange } from './fake-activities.ts';
import { plan, step } from './plan.ts';

const PHASES: PhaseId[] = [
  'rollback-checks',
  'freeze-drift',
  'karpenter-drift',
  'add-ons-back',
  'control-plane-back',
  'node-classes-back',
  'validation',
];

const OWN: AmiMove = {
  nodeClass: 'own',
  nodePools: ['default'],
  before: 'al2023@latest',
  terms: [{ id: 'ami-132' }],
  amiFamily: 'AL2023',
  why: 'it must not be newer',
};
const THEIRS: AmiMove = { ...OWN, nodeClass: 'theirs', nodePools: ['batch'], owner: 'argocd' };
const follows = [OWN, THEIRS].map(({ nodeClass, nodePools }) => ({ nodeClass, nodePools }));

function paramsOf(params: StepParams, waves: NodeWaves | undefined): StepParams {
  switch (params.phase) {
    case 'freeze-drift':
      return { ...params, holds: [OWN, THEIRS], back: { from: '1.33', to: '1.32' } };
    case 'karpenter-drift':
      return { ...params, follows, back: true, ...defined({ waves }) };
    case 'node-classes-back':
      return {
        ...params,
        own: ['own'],
        follows,
        moves: [{ ...THEIRS, amiFamily: undefined, before: 'ami-132', terms: [{ alias: 'al2023@latest' }] }],
      };
    default:
      return params;
  }
}

/** 1.33 → 1.32; one class is Belay's to pin, Argo CD is asked for the other. */
export function karpenterBackPlan(waves?: NodeWaves): UpgradePlan {
  return {
    ...plan(PHASES, (each) => step(each.phase, { params: paramsOf(each.params, waves) })),
    kind: 'back',
    from: '1.33',
  };
}

/** Nodes are at 1.33 until they are rolled, the control plane until its update has ended. */
export function karpenterGoingBack(waves?: NodeWaves) {
  const fake = fakeActivities({ plan: karpenterBackPlan(waves), policy: quickPolicy({ channel: 'C0UPGRADES' }) });
  let controlPlane = '1.33';
  let nodes: Record<string, number> = { '1.33': 5 };
  const activities = withChange(fake, {
    readSkew: async () => ({ controlPlane, updating: false, nodes }),
    watchDrift: async (input) => {
      const outcome = await fake.activities.watchDrift(input);
      nodes = outcome.kind === 'done' ? { [input.to]: 5 } : { '1.33': 2, [input.to]: 3 };
      return outcome;
    },
    startControlPlaneUpdate: async (input) => {
      controlPlane = input.to;
      return fake.activities.startControlPlaneUpdate(input);
    },
  });
  return { fake, activities };
}
