/** What a skipped step leaves behind, as validation is told of it. */
import { expect, test } from 'vitest';
import type { PlannedStep } from '../../../domain/plan/model/types.ts';
import { skippedStep } from '../../../workflows/run/skipped-step.ts';
import { step } from '../../support/plan.ts';

const decision = {
  decisionId: 'd',
  gateId: 'failed:x@1.32#1',
  actor: { kind: 'slack', id: 'U0SAM', name: 'sam' },
  choice: 'skip',
  reason: 'later',
  at: '2026-03-03T12:00:00Z',
} as const;

const OTHERS: PlannedStep = {
  ...step('other-nodes'),
  params: { phase: 'other-nodes', to: '1.32', autoMode: { nodeCount: 2, frozenPools: [] }, selfManaged: { nodeCount: 1, groups: [] } },
};

test.each<[PlannedStep, object | undefined]>([
  [step('node-groups'), { nodeGroups: ['default'] }],
  [step('karpenter-controller'), { components: ['Karpenter 1.1.0'] }],
  [step('istio'), { components: ['(revision 1-26)'] }],
  [OTHERS, { owners: ['self-managed', 'auto-mode'] }],
  [step('control-plane'), undefined],
  [step('freeze-drift'), undefined],
  [step('validation'), undefined],
])('$0.phase', (skipped, about) => {
  expect(skippedStep(skipped, decision)).toEqual(about && { what: skipped.title, by: 'sam', reason: 'later', ...about });
});
