/** What the audit record says of a gate, for people. */
import { expect, test } from 'vitest';
import type { GateDefinition } from '../../../domain/gates/gate.ts';
import { gateExtended } from '../../../workflows/reporting/audit/gate-events.ts';

test('more time is said as it was asked for', () => {
  const actor = { kind: 'cli', id: 'sam@host', name: 'sam' } as const;
  const gate: GateDefinition = {
    id: 'before:node-groups@1.34#1',
    step: 'node-groups@1.34',
    title: 'Replace 3 nodes?',
    next: '',
    evidence: [],
    undo: '',
    choices: [],
    quorum: 1,
    revision: 1,
    openedAt: '2026-03-03T11:00:00.000Z',
    expiresAt: '2026-03-03T12:30:00.000Z',
  };
  const given = { actor, byMs: 7_200_000, at: '2026-03-03T12:00:00.000Z' };
  expect(gateExtended(gate, given, { accepted: true, message: 'The gate waits until 14:00.' }).what).toBe(
    'Replace 3 nodes?: more time, 2h. The gate waits until 14:00.',
  );
});
