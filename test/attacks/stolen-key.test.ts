/**
 * Somebody with Temporal and a stolen codec key, but without the key that signs: he reads everything, and makes messages that every door takes for Belay's
 * own. What the Slack process has signed says one thing, to one gate of one run, once; and a start that it has signed starts one run.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { type DecideGateInput, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { small } from '../../rehearsal/scenarios/small.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { abortUpgrade, decideGate, gateDecision, upgradeStatus, WORKFLOWS } from '../../workflows/contract/messages.ts';
import { ALEX, type Play, RIN, SAM } from '../end-to-end/support/play.ts';
import { eventually } from '../support/eventually.ts';
import { Stage } from './support/stage.ts';

const FIRST = 'before:pre-checks@1.32#1';
const SECOND = 'before:control-plane@1.32#1';
const NOT_SIGNED = /The signature of this message is not by key "rehearsal" .+, or it was altered on its way/;
const approvals = { users: [SAM, RIN], groups: [], quorum: 2, allowRequester: false, allowUnverifiedCli: false };

let stage: Stage;
let play: Play;
/** What Sam's press at the first gate of the first run became. */
let sams: DecideGateInput;
let recorded: { press: Payload; start: Payload };

beforeAll(async () => {
  stage = await Stage.open({ 'small-1': { scenario: small, approvals }, 'small-2': { scenario: small, approvals } });
}, 360_000);
afterAll(async () => {
  await play.end();
  await stage.close();
});

/** He has the codec's keys. */
const handle = () => stage.inside.workflow.getHandle(play.workflowId);
const openGates = async (): Promise<string[]> => (await handle().query(upgradeStatus)).gates.map(({ id }) => id);
const runId = async (): Promise<string> => (await handle().describe()).runId;
const mutationsCount = (): number => play.world.journal.mutations.length;

/** What he is answered. */
async function decide(input: DecideGateInput): Promise<string> {
  const [sent] = await Promise.all([
    handle().executeUpdate(decideGate, { args: [input], updateId: randomUUID() }),
    handle().signal(gateDecision, { ...input, decisionId: `${randomUUID()}${input.decisionId}` }),
  ]).catch((error: unknown) => {
    if (error instanceof WorkflowUpdateFailedError) return [{ message: messageOf(error.cause) }];
    throw error;
  });
  return sent.message;
}

const renamed = ({ decisionId }: DecideGateInput): string => `${randomUUID()}:${decisionId}`;

/** Every field, with the id of a message that nobody has sent yet. */
const altered = (): [string, DecideGateInput][] => {
  const more: Record<string, Partial<DecideGateInput>> = {
    id: {},
    revision: { decisionId: `${randomUUID()}:${FIRST}:${SAM}:approve:0` },
    choice: { choice: WITHDRAW_VOTE },
    'choice and reason': { choice: 'reject', reason: 'somebody else’s' },
    reason: { reason: 'somebody else’s' },
    actor: { actor: { kind: 'slack', id: RIN } },
    'name of the actor': { actor: { ...sams.actor, name: 'Rin' } },
    'plan hash': { planHash: undefined },
    time: { at: new Date(Date.parse(sams.at ?? '') + 1000).toISOString() },
  };
  return Object.entries(more).map(([field, change]) => [field, { ...sams, decisionId: renamed(sams), ...change }]);
};

async function bothApprove(gate: string): Promise<void> {
  await play.press(SAM, gate, 'approve');
  await play.press(RIN, gate, 'approve');
}

async function decrypted(payload: Payload): Promise<{ seal: unknown; body: DecideGateInput }> {
  const [read] = await stage.read([payload]);
  return JSON.parse(read ?? '') as { seal: unknown; body: DecideGateInput };
}

describe('a press that the Slack process has signed', () => {
  beforeAll(async () => {
    play = await stage.theatre.play('small-1', { decide: () => 'ignore' });
    await play.start();
    await play.press(SAM, FIRST, 'approve');
    recorded = await eventually('the press is in the history', async () => {
      const events = await stage.attacker.history(play.workflowId);
      const press = events.flatMap(
        (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args?.payloads ?? [],
      )[0];
      const start = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
      return press != null && start != null && { press, start };
    });
    sams = (await decrypted(recorded.press)).body;
  }, 360_000);

  test('RS1: altered in any field it decides nothing, and the signature is what refuses it', async () => {
    expect(sams).toMatchObject({
      gateId: FIRST,
      choice: 'approve',
      actor: { id: SAM },
      proof: expect.stringMatching(/^ed25519:rehearsal:/),
    });
    for (const [field, input] of altered()) expect([field, await decide(input)]).toEqual([field, expect.stringMatching(NOT_SIGNED)]);
    const { proof: _proof, ...unsigned } = sams;
    expect(await decide({ ...unsigned, actor: { kind: 'slack', id: RIN }, decisionId: renamed(sams) })).toMatch(
      /^Nothing proves who sent this/,
    );
    const { actor, run, at, proof } = sams;
    const aborted = await handle().executeUpdate(abortUpgrade, { args: [{ actor, run, at, proof, id: randomUUID() }] });
    expect(aborted).toMatchObject({ accepted: false, message: expect.stringMatching(NOT_SIGNED) });
    // As it was sent: answered as before, and counted no second time.
    expect(await decide(sams)).toMatch(/recorded|Recorded/);
    expect([await openGates(), mutationsCount()]).toEqual([[FIRST], 0]);
  });

  test('RS1: a start that was signed less than five minutes ago starts nothing once its run has ended', async () => {
    await play.pressBoard(ALEX, 'abort');
    expect(await play.closed()).not.toBe('RUNNING');
    const again = await stage.attacker.start(WORKFLOWS.upgrade, play.workflowId, [recorded.start], { taskQueue: TASK_QUEUE });
    expect(await stage.attacker.ending(play.workflowId, again)).not.toBe('RUNNING');
    const report = (await stage.inside.workflow.getHandle(play.workflowId, again).result()) as UpgradeReport;
    expect([report.outcome, report.status.headline]).toEqual(['refused', expect.stringContaining('taken before, by another run')]);
    expect(mutationsCount()).toBe(0);
    await play.says(/This run was not started: This start was taken before/);
  });

  test('RS1: it is for no other run of the cluster, and for no other gate', async () => {
    await play.start();
    await play.gate(FIRST);
    const run = await runId();
    expect(run).not.toBe(sams.run);
    expect(await stage.attacker.update(play.workflowId, decideGate.name, [recorded.press])).toBe(false);
    expect(await decide(sams)).toBe('This is about an earlier run that has ended, so nothing was changed.');
    expect(await decide({ ...sams, run })).toMatch(NOT_SIGNED);
    expect(await openGates()).toEqual([FIRST]);
    await bothApprove(FIRST);
    await play.gate(SECOND);
    // Under a new id: Sam's press in this run has the old one again where he pressed before Slack showed the refusal above.
    expect(await decide({ ...sams, run, gateId: SECOND, decisionId: renamed(sams) })).toMatch(NOT_SIGNED);
    expect(await decide({ ...sams, run, gateId: SECOND, actor: { kind: 'slack', id: RIN }, decisionId: renamed(sams) })).toMatch(
      NOT_SIGNED,
    );
    expect(await openGates()).toEqual([SECOND]);
    expect(play.controlPlaneUpdates()).toEqual([]);
  });

  test('RS1: it is for no other cluster', async () => {
    await play.end();
    play = await stage.theatre.play('small-2', { decide: () => 'ignore' });
    await play.start();
    await play.gate(FIRST);
    expect(await stage.attacker.update(play.workflowId, decideGate.name, [recorded.press])).toBe(false);
    const { planHash } = await handle().query(upgradeStatus);
    expect(planHash).not.toBe(sams.planHash);
    for (const shown of [planHash, undefined]) expect(await decide({ ...sams, run: await runId(), planHash: shown })).toMatch(NOT_SIGNED);
    expect([await openGates(), mutationsCount()]).toEqual([[FIRST], 0]);
  });
});
