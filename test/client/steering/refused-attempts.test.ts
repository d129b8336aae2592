/** Refused attempts told by two processes of one pid, as in containers: each attempt stands in the record once, and no other is taken for it. */
import { beforeEach, expect, vi, test } from 'vitest';
import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { createRefusals } from '../../../client/steering/refused-attempts.ts';

const SAM = { kind: 'slack', id: 'U0SAM' } as const;
const REFUSED = new WorkflowUpdateFailedError(
  'refused',
  ApplicationFailure.nonRetryable('This gate is closed already.', 'DecisionRefused'),
);
const WORKFLOW = 'eks-upgrade/111122223333/eu-west-1/staging';

/** Ids of what was told to Temporal. */
let told: string[];
const client = {
  withDeadline: (_at: number, call: () => Promise<unknown>) => call(),
  workflow: {
    getHandle: () => ({ signal: (_signal: unknown, { id }: { id: string }) => Promise.resolve(void told.push(id)) }),
    signalWithStart: (_type: string, { signalArgs }: { signalArgs: [{ id: string }[]] }) =>
      Promise.resolve(void told.push(...signalArgs[0].map(({ id }) => id))),
  },
} as unknown as Client;

beforeEach(() => {
  told = [];
  vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
});

test('O31: two processes that hear of the same presses tell them under one id; another reason has another', async () => {
  const processes = [createRefusals(client, {}), createRefusals(client, {})];
  for (const one of processes) one.ofRun(WORKFLOW, { actor: SAM, tried: 'decide', gate: 'before:control-plane@1.32#1' }, REFUSED);
  processes[1]?.ofRun(WORKFLOW, { actor: SAM, tried: 'decide', gate: 'before:node-groups@1.32#1' }, REFUSED);
  await Promise.all(processes.map((one) => one.end()));
  expect(told).toHaveLength(3);
  expect(new Set(told).size).toBe(2);
});

test('O31: requests that two processes refuse at the same moment are two', async () => {
  const processes = [createRefusals(client, {}), createRefusals(client, {})];
  for (const one of processes) one.atTheDoor({ what: 'A request from another organisation, team T0OTHER', actor: SAM });
  await Promise.all(processes.map((one) => one.end()));
  expect(new Set(told).size).toBe(2);
});
