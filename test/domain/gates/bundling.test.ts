/** Which gates may be decided with others. */
import { expect, test } from 'vitest';
import { ALL_PHASES } from '../../../domain/core/phases.ts';
import { BUNDLED_GATES, termsOf, whyAlone } from '../../../domain/gates/bundling.ts';
import { type EvidenceVerdict, verdictOf } from '../../../domain/gates/evidence.ts';
import type { GateDefinition } from '../../../domain/gates/gate.ts';
import type { GateKind } from '../../../workflows/contract/ids.ts';

/** A kind that is missing in the table does not compile here. */
const TABLE: Record<GateKind, { bundled: boolean; why: string }> = BUNDLED_GATES;

test.each(Object.entries(TABLE))('%s: whether it may, with a reason', (kind, { bundled, why }) => {
  expect(why.length).toBeGreaterThan(10);
  expect(bundled).toBe(kind === 'before');
  if (!bundled) expect(whyAlone(`${kind}:control-plane@1.34#1`)).toBe(why);
});

test('of gates before a step those of five phases, and none of a way back', () => {
  const may = ALL_PHASES.filter((phase) => whyAlone(`before:${phase}@1.34#1`) === undefined);
  expect(may).toEqual(['pre-checks', 'control-plane', 'node-groups', 'other-nodes', 'karpenter-drift']);
});

test.each(['', 'before', 'before:', 'before:elsewhere@1.34#1', 'constructor:control-plane@1.34#1', 'later:control-plane@1.34#1'])(
  '"%s" is no gate that may',
  (id) => expect(whyAlone(id)).toBeDefined(),
);

test.each<[(EvidenceVerdict | undefined)[], EvidenceVerdict]>([
  [[], 'unknown'],
  [['clear'], 'clear'],
  [['clear', 'advice', 'clear'], 'advice'],
  [['attention', 'advice'], 'attention'],
  [['attention', 'unknown'], 'unknown'],
  [['clear', undefined], 'unknown'],
])('evidence %j comes to %s', (verdicts, expected) => {
  expect(verdictOf(verdicts.map((verdict) => (verdict === undefined ? {} : { verdict })))).toBe(expected);
});

const GATE: GateDefinition = {
  id: 'before:node-groups@1.34#1',
  step: 'node-groups@1.34',
  title: 'Replace the nodes?',
  next: 'They are replaced.',
  evidence: [{ title: 'Node groups', lines: [], verdict: 'clear' }],
  undo: 'Nodes move again.',
  choices: [{ id: 'approve', label: 'Approve', does: 'Goes on.' }],
  quorum: 2,
  revision: 1,
  openedAt: '2026-11-26T09:00:00.000Z',
  expiresAt: '2026-11-27T09:00:00.000Z',
};

test.each<[string, Partial<GateDefinition>, ReturnType<typeof termsOf>]>([
  ['one rule', {}, { verdict: 'clear', rules: 'approvers 2' }],
  [
    'two rules',
    {
      rules: [
        { name: 'platform', quorum: 2 },
        { name: 'owners', quorum: 1 },
      ],
    },
    { verdict: 'clear', rules: 'platform 2, owners 1' },
  ],
  [
    'a reason is wanted',
    { choices: [{ id: 'approve', label: 'Approve', does: 'Goes on.', needsReason: true }] },
    { verdict: 'clear', rules: 'approvers 2', needsReason: true },
  ],
  ['it goes on by itself', { byItself: true }, undefined],
  ['there is nothing to approve', { choices: [{ id: 'retry', label: 'Retry', does: 'Again.' }] }, undefined],
  ['a way back', { id: 'before:control-plane-back@1.33#1' }, undefined],
])('terms: %s', (_, change, expected) => {
  expect(termsOf({ ...GATE, ...change })).toEqual(expected);
});
