/** Which gate a command means: never one that was not named. */
import { expect, test } from 'vitest';
import type { StatusAnswer } from '../../../client/calls/contract.ts';
import { gateIn } from '../../../client/reading/open-gate.ts';
import { RUN_ID, status, WORKFLOW_ID } from '../../slack/fixtures.ts';

const ID = 'before:control-plane@1.32#1';
const gate = { id: ID, title: 'Move?', choices: ['approve', 'reject'], expiresAt: '2026-03-03T14:10:00Z', workflowId: WORKFLOW_ID };
const answered: StatusAnswer = { source: 'workflow', status: status({ gates: [gate] }) };
const seen = (waitingFor?: string): StatusAnswer => ({
  source: 'visibility',
  status: {
    workflowId: WORKFLOW_ID,
    runId: RUN_ID,
    cluster: 'staging',
    execution: 'RUNNING',
    startedAt: '2026-03-03T12:00:00Z',
    waitingFor,
  },
  why: 'No worker answers.',
});

test.each(['', ' '])('a variable that a script has not set ("%s") decides nothing, with and without a worker', (wanted) => {
  for (const answer of [answered, seen(ID)])
    expect(() => gateIn(answer, wanted, 'approve')).toThrow('Which gate? Name it: "belay status staging" lists the open gates.');
});

test('without a worker the beginning of an id is that of the gate that Temporal lists, and else no gate', () => {
  expect(gateIn(seen(ID), 'before:control-plane', 'approve')).toMatchObject({ gateId: ID, run: RUN_ID });
  // Another gate than the one that is listed may be open as well.
  expect(gateIn(seen(ID), 'wave:istio@1.32/1-28.1#1', 'approve')).toMatchObject({ gateId: 'wave:istio@1.32/1-28.1#1' });
  for (const answer of [seen(ID), seen()])
    expect(() => gateIn(answer, 'wave:istio', 'approve')).toThrow(
      'No worker says which gate begins with wave:istio. Write its whole id, such as before:control-plane@1.33#1, or start a worker and try again.',
    );
});
