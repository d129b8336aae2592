/** A small plan of every phase for workflow tests: 1.31 → 1.32 on a cluster with Karpenter. */
import type { PhaseId } from '../../domain/core/phases.ts';
import { stepId } from '../../domain/core/phases.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import type { PlannedStep, UpgradePlan } from '../../domain/plan/model/types.ts';
import { CLUSTER } from './facts.ts';

const ROLLBACK = { what: 'everything', how: 'press nothing', until: 'for ever', cost: 'nothing' };

const PARAMS: { [P in PhaseId]: Extract<StepParams, { phase: P }> } = {
  'pre-checks': { phase: 'pre-checks', from: '1.31', to: '1.32' },
  'control-plane-logging': { phase: 'control-plane-logging', at: '1.31', types: ['api', 'audit'], managedBy: 'eks' },
  'karpenter-migration': {
    phase: 'karpenter-migration',
    from: '0.37.1',
    to: '1.0.14',
    legs: ['v1'],
    namespace: 'kube-system',
    deployment: 'karpenter',
    managedBy: 'helm',
    delivery: { kind: 'helm' },
  },
  'karpenter-controller': {
    phase: 'karpenter-controller',
    from: '1.1.0',
    to: '1.2.3',
    minimum: '1.2',
    namespace: 'kube-system',
    deployment: 'karpenter',
    managedBy: 'argocd',
  },
  istio: {
    phase: 'istio',
    canaries: [
      {
        fromRevision: '1-26',
        fromVersion: '1.26.2',
        toRevision: '1-28',
        toMinor: '1.28',
        retire: { bakeMs: 0 },
        waves: [['shop'], ['pay', 'web']],
      },
    ],
    managedBy: 'manual',
    moveBy: 'label',
    judgedBy: 'state' as const,
  },
  'add-ons-bridge': {
    phase: 'add-ons-bridge',
    changes: [{ name: 'coredns', from: 'v1.11.3-eksbuild.1', to: 'v1.11.4-eksbuild.2', managed: true }],
    managedBy: 'eks',
  },
  'freeze-drift': { phase: 'freeze-drift', nodePools: ['default'] },
  'control-plane': { phase: 'control-plane', from: '1.31', to: '1.32', managedBy: 'eks' },
  bake: { phase: 'bake', to: '1.32', bakeMs: 50 },
  'node-groups': { phase: 'node-groups', to: '1.32', groups: [{ name: 'default', from: '1.31', count: 2 }], managedBy: 'eks' },
  'other-nodes': { phase: 'other-nodes', to: '1.32', fargate: { podCount: 2, namespaces: ['jobs'] } },
  'karpenter-drift': {
    phase: 'karpenter-drift',
    to: '1.32',
    nodePools: ['default'],
    nodeCount: 3,
    paces: ['1', '10%'],
    offeredPaces: ['freeze', '1', '10%', '20%', 'original'],
  },
  'add-ons-target': {
    phase: 'add-ons-target',
    to: '1.32',
    changes: [{ name: 'kube-proxy', from: 'v1.31.2-eksbuild.3', to: 'v1.32.0-eksbuild.2', managed: true }],
    managedBy: 'eks',
  },
  validation: { phase: 'validation', to: '1.32' },
  'rollback-checks': { phase: 'rollback-checks', from: '1.33', to: '1.32' },
  'add-ons-back': {
    phase: 'add-ons-back',
    to: '1.32',
    changes: [{ name: 'kube-proxy', from: 'v1.33.3-eksbuild.4', to: 'v1.32.0-eksbuild.2', managed: true }],
    managedBy: 'eks',
  },
  'control-plane-back': { phase: 'control-plane-back', from: '1.33', to: '1.32', managedBy: 'eks' },
  'node-classes-back': {
    phase: 'node-classes-back',
    to: '1.32',
    waitMs: 50,
    own: ['default'],
    moves: [],
    follows: [{ nodeClass: 'default', nodePools: ['default'] }],
  },
};

const GATED: PhaseId[] = [
  'pre-checks',
  'rollback-checks',
  'control-plane-back',
  'control-plane',
  'node-groups',
  'other-nodes',
  'karpenter-drift',
];

export function step(phase: PhaseId, change: Partial<PlannedStep> = {}): PlannedStep {
  return {
    id: stepId(phase, '1.32'),
    phase,
    hop: '1.32',
    title: `Step ${phase}`,
    why: `because of ${phase}`,
    gate: GATED.includes(phase) ? { next: `runs ${phase}`, why: `${phase} matters` } : undefined,
    expectedMs: 60_000,
    rollback: ROLLBACK,
    params: PARAMS[phase],
    ...change,
  };
}

const DEFAULT_PHASES: PhaseId[] = [
  'pre-checks',
  'freeze-drift',
  'control-plane',
  'bake',
  'node-groups',
  'karpenter-drift',
  'add-ons-target',
  'validation',
];

export function plan(phases: PhaseId[] = DEFAULT_PHASES, change: (step: PlannedStep) => PlannedStep = (s) => s): UpgradePlan {
  return {
    cluster: CLUSTER,
    from: '1.31',
    to: '1.32',
    hops: ['1.32'],
    strategy: 'every-hop',
    strategies: [{ strategy: 'every-hop', possible: true, nodeReplacementCount: 5, hopCount: 1 }],
    steps: phases.map((phase) => change(step(phase))),
    findings: [],
    expectedMs: 600_000,
    hash: 'f00d',
  };
}
