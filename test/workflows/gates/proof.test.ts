/** Messages to a run: believed by their proof alone, and taken once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createApproverActivities } from '../../../activities/run/people/approvers.ts';
import { controlText, decisionText, startText } from '../../../domain/gates/identity-proof.ts';
import {
  abortRequested,
  attemptRefused,
  changePace,
  decideGate,
  gateDecision,
  pauseUpgrade,
  resumeUpgrade,
  type UpgradeInput,
  WORKFLOWS,
} from '../../../workflows/contract/messages.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { CLUSTER } from '../../support/facts.ts';
import { count, fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { testSigner } from '../../support/signing.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, follow, type RunningUpgrade, SAM } from '../../support/upgrade.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'before:pre-checks@1.32#1';
const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin' };
const signer = testSigner();
const approvals = { users: ['U0SAM', 'U0RIN', 'U0TOM'], groups: [], quorum: 2, allowRequester: false, allowUnverifiedCli: false };
let leavers: string[] = [];

/** ALEX, as AWS knows him. */
const ARN = 'arn:aws:sts::111122223333:assumed-role/Admin/alex';

/** Rights and proofs as in production. Whatever is proved by AWS is ALEX's. */
function proving(change: Partial<UpgradePolicy> = {}) {
  const fake = fakeActivities({ plan: plan(['pre-checks']), policy: quickPolicy({ approvals, ...change }) });
  const people = { whyNotMember: async (id: string) => (leavers.includes(id) ? 'Your Slack account is deactivated' : undefined) };
  const proofs = { publicKeys: () => signer.publicKeys, caller: async () => ({ arn: ARN }) };
  return { ...fake, activities: { ...fake.activities, ...createApproverActivities({ people, ...proofs }) } };
}

async function signedStart(
  workflowId: string,
  change: Partial<UpgradeInput> = {},
  signed: Partial<UpgradeInput> = {},
): Promise<UpgradeInput> {
  const input: UpgradeInput = {
    cluster: CLUSTER,
    target: '1.32',
    requestedBy: ALEX,
    at: new Date().toISOString(),
    id: 'start-1',
    ...signed,
  };
  return { ...input, proof: await signer.prove(startText(workflowId, input)), ...change };
}

let number = 0;
async function withRun<T>(
  main: (run: RunningUpgrade, runId: string, fake: ReturnType<typeof proving>) => Promise<T>,
  startOf: (workflowId: string) => Promise<UpgradeInput> = (workflowId) => signedStart(workflowId),
  fake = proving(),
): Promise<T> {
  leavers = [];
  number += 1;
  const taskQueue = `belay-proof-${number}`;
  const workflowId = `eks-upgrade/111122223333/eu-central-1/proof-${number}`;
  const worker = await startWorker(env, fake.activities, taskQueue);
  return await worker.runUntil(async () => {
    const args: [UpgradeInput] = [await startOf(workflowId)];
    const handle = await env.client.workflow.start(WORKFLOWS.upgrade, { workflowId, taskQueue, args });
    const run = follow(env, workflowId);
    try {
      return await main(run, handle.firstExecutionRunId, fake);
    } finally {
      await handle.terminate('end of test').catch(() => undefined);
    }
  });
}

const reached = (run: RunningUpgrade) => run.until(({ gates }) => gates.some(({ id }) => id === GATE));

async function vote(run: RunningUpgrade, runId: string, actor: Actor, choice: string, revision: number, reason = 'tested') {
  const input = {
    gateId: GATE,
    decisionId: `${GATE}:${actor.id}:${choice}:${revision}`,
    actor,
    choice,
    reason,
    run: runId,
    at: new Date().toISOString(),
  };
  return { ...input, proof: await signer.prove(decisionText(run.workflowId, input)) };
}

async function command(kind: 'pause' | 'resume' | 'abort', run: RunningUpgrade, runId: string, actor: Actor, id: string) {
  const input = { actor, reason: 'tested', run: runId, at: new Date().toISOString(), id };
  return { ...input, proof: await signer.prove(controlText(kind, run.workflowId, input)) };
}

describe('decisions', () => {
  test('RS1: what is unsigned, altered, or signed for another run decides nothing, and is recorded as unproven', async () => {
    await withRun(async (run, runId, { world }) => {
      await reached(run);
      const good = await vote(run, runId, SAM, 'approve', 1);
      const { proof: _none, ...unsigned } = good;
      const decide = (input: typeof unsigned & { proof?: string }) => run.handle.executeUpdate(decideGate, { args: [input] });
      expect(await decide({ ...unsigned, decisionId: `${GATE}:U0SAM:approve:1` })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('Nothing proves who sent this'),
      });
      expect(await decide({ ...good, actor: RIN, decisionId: `${GATE}:x:approve:1` })).toMatchObject({ accepted: false });
      const earlier = await vote(run, 'run-of-yesterday', SAM, 'approve', 1);
      await expect(decide(earlier)).rejects.toMatchObject({ cause: { message: expect.stringContaining('earlier run') } });
      await run.handle.signal(attemptRefused, { id: 'x', actor: RIN, tried: 'decide', why: 'I said so' });
      const [gate] = (await run.status()).gates;
      expect(gate).toMatchObject({ id: GATE, progress: '0 of 2 approvals' });
      const isRecorded = () => world.audit.some(({ what }) => what.includes('I said so'));
      await run.until(isRecorded);
      const refused = world.audit.filter(({ kind }) => kind === 'refused');
      expect(refused.length).toBeGreaterThanOrEqual(3);
      expect(refused.every(({ actor }) => actor?.unproven === true)).toBe(true);
    });
  });

  test('RS1: what somebody forges in advance neither answers for the one whose name it bears, nor keeps them off the record', async () => {
    await withRun(async (run, runId, { world }) => {
      await reached(run);
      const own = await vote(run, runId, ALEX, 'approve', 1);
      const { proof: _alex, ...claimed } = own;
      for (const input of [claimed, own])
        expect(await run.handle.executeUpdate(decideGate, { args: [input] })).toMatchObject({ accepted: false });
      const refusals = () => world.audit.filter(({ kind }) => kind === 'refused');
      await run.until(() => refusals().length === 2);
      expect(refusals().map(({ actor }) => actor?.unproven)).toEqual([true, undefined]);
      const good = await vote(run, runId, SAM, 'approve', 1);
      const { proof: _none, ...forged } = good;
      expect(await run.handle.executeUpdate(decideGate, { args: [forged] })).toMatchObject({ accepted: false });
      expect(await run.handle.executeUpdate(decideGate, { args: [good] })).toMatchObject({ accepted: true });
      expect((await run.status()).gates[0]).toMatchObject({ progress: '1 of 2 approvals' });
    });
  });

  test('RS1: a decision that arrives late by a signal is recorded as refused, and said in the thread where it is of this run', async () => {
    await withRun(async (run, runId, { world }) => {
      await reached(run);
      const [late, earlier] = [await vote(run, runId, SAM, 'approve', 9), await vote(run, 'run-of-yesterday', RIN, 'approve', 1)];
      await run.handle.signal(gateDecision, late);
      await run.handle.signal(gateDecision, earlier);
      const refusals = () => world.audit.filter(({ kind }) => kind === 'refused');
      await run.until(() => refusals().length === 2);
      expect(refusals()).toMatchObject([
        { what: expect.stringContaining('out of date'), actor: { id: 'U0SAM', unproven: true }, gate: GATE },
        { what: expect.stringContaining('earlier run'), actor: { id: 'U0RIN', unproven: true }, gate: GATE },
      ]);
      const said = () =>
        world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : [])).join('\n');
      await run.until(() => said().includes('arrived late'));
      expect(said()).toContain('"approve" by somebody who claims to be Sam arrived late and was refused: This message is out of date');
      expect(said()).not.toContain('Rin');
      expect((await run.status()).gates[0]).toMatchObject({ progress: '0 of 2 approvals' });
    });
  });

  test('RS1: a vote that was taken back stays so: its message, sent again, is no vote', async () => {
    await withRun(async (run, runId) => {
      await reached(run);
      const decide = async (input: Awaited<ReturnType<typeof vote>>) => await run.handle.executeUpdate(decideGate, { args: [input] });
      const approve = await vote(run, runId, SAM, 'approve', 1);
      expect(await decide(approve)).toMatchObject({ accepted: true });
      expect(await decide(await vote(run, runId, SAM, 'withdraw-vote', 2))).toEqual({
        accepted: true,
        message: 'Your vote is withdrawn.',
      });
      expect(await decide(approve)).toEqual({ accepted: false, message: 'This message was received before, so nothing was changed.' });
      await run.handle.signal(gateDecision, approve);
      expect((await run.status()).gates[0]).toMatchObject({ progress: '0 of 2 approvals' });
      // The same person may decide again, with a message of their own.
      expect(await decide(await vote(run, runId, SAM, 'approve', 3))).toMatchObject({ accepted: true });
    });
  });

  test('RS17: who has left since voting no longer counts when the quorum is reached, and the record says so', async () => {
    await withRun(async (run, runId, { world }) => {
      await reached(run);
      const decide = async (input: Awaited<ReturnType<typeof vote>>) => await run.handle.executeUpdate(decideGate, { args: [input] });
      await decide(await vote(run, runId, SAM, 'approve', 1));
      leavers = ['U0SAM'];
      expect(await decide(await vote(run, runId, RIN, 'approve', 2))).toEqual({
        accepted: true,
        message: 'Recorded: Approve, 1 of 2 approvals.',
      });
      await run.until(() =>
        world.audit.some(({ what }) => what.includes('the vote of Sam no longer counts: Your Slack account is deactivated')),
      );
      const [gate] = (await run.status()).gates;
      expect(gate).toMatchObject({ progress: '1 of 2 approvals', voted: ['U0RIN'] });
    });
  });
});

describe('commands', () => {
  test('RS1: the requester is believed by proof alone, and a pause that was recorded pauses nothing later', async () => {
    await withRun(async (run, runId) => {
      await reached(run);
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] })).toMatchObject({ accepted: false });
      const pause = await command('pause', run, runId, ALEX, 'p-1');
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [pause] })).toMatchObject({ accepted: true });
      const resume = await command('resume', run, runId, ALEX, 'r-1');
      expect(await run.handle.executeUpdate(resumeUpgrade, { args: [resume] })).toMatchObject({ accepted: true });
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [pause] })).toMatchObject({
        accepted: false,
        message: 'This message was received before, so nothing was changed.',
      });
      // Signed as a pause, sent as an abort.
      await run.handle.signal(abortRequested, await command('pause', run, runId, ALEX, 'p-2'));
      expect(await run.status()).toMatchObject({ state: 'waiting' });
    });
  });

  test('RS1: what is refused before anybody is proved bears no name as if it were sure, in the record and in the thread', async () => {
    await withRun(async (run, runId, { world }) => {
      await reached(run);
      await run.handle.executeUpdate(changePace, { args: [{ actor: SAM, pace: 'faster' }] });
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM, reason: 'x'.repeat(501) }] });
      await run.handle.signal(abortRequested, await command('pause', run, runId, SAM, 'p-3'));
      const refusals = () => world.audit.filter(({ kind }) => kind === 'refused');
      await run.until(() => refusals().length === 3);
      expect(refusals().map(({ what, actor }) => [what.split(':')[0], actor])).toEqual(
        ['pace faster', 'pause', 'abort'].map((verb) => [verb, { ...SAM, unproven: true }]),
      );
      const said = () => JSON.stringify(world.published);
      await run.until(() => said().includes('asked to abort'));
      expect(said()).toContain('somebody who claims to be Sam asked to abort, and was refused: The signature of this message');
    });
  });
});

describe('starts', () => {
  const ends = async (startOf: (workflowId: string) => Promise<UpgradeInput>) =>
    await withRun(async (run, _runId, { world }) => {
      const report = await run.finish(() => undefined);
      return { report, world };
    }, startOf);

  test.each<[string, (workflowId: string) => Promise<UpgradeInput>, string]>([
    ['unsigned, as an approver', async () => ({ cluster: CLUSTER, target: '1.32', requestedBy: SAM }), 'Nothing proves who sent this'],
    [
      'from a command line',
      async () => ({ cluster: CLUSTER, target: '1.32', requestedBy: { kind: 'cli', id: 'sam@laptop' } }),
      'not verified',
    ],
    ['as somebody else', (id) => signedStart(id, { requestedBy: SAM }), 'altered on its way'],
    ['to another version', (id) => signedStart(id, { target: '1.33' }), 'altered on its way'],
    [
      'recorded ten minutes ago',
      (id) => signedStart(id, {}, { at: new Date(Date.now() - 600_000).toISOString() }),
      'more than five minutes',
    ],
  ])('RS2: a start that is %s ends refused at once, before anything is looked at', async (_what, startOf, why) => {
    const { report, world } = await ends(startOf);
    expect(report).toMatchObject({ outcome: 'refused', status: { headline: expect.stringContaining(why) } });
    expect(count(world, 'makePlan')).toBe(0);
    // Nobody finds it as the cluster's last run.
    expect(world.records).toEqual([]);
    expect(world.audit).toContainEqual(expect.objectContaining({ kind: 'refused', what: expect.stringContaining(why) }));
    expect(JSON.stringify(world.published)).toContain('This run was not started');
  });

  describe('of a campaign, whose ring covers the first gate', () => {
    const campaign = { name: 'to-1-32', ring: 'dev', coversStart: true } as const;

    test('signed by a key, as the campaign’s worker signs: the ring’s approval is the run’s', async () => {
      const { report, world } = await ends((id) => signedStart(id, {}, { campaign }));
      expect(report.outcome).toBe('completed');
      expect(JSON.stringify(world.published)).toContain('approved together with ring dev of campaign to-1-32');
    });

    test.each<[string, Partial<UpgradePolicy>, Partial<UpgradeInput>]>([
      ['by AWS', { people: { [ALEX.id]: [ARN] } }, { proof: 'https://sts.amazonaws.com/?a=b' }],
      [
        'by a command line that nobody verifies',
        { approvals: { ...approvals, quorum: 1, allowUnverifiedCli: true } },
        { requestedBy: { kind: 'cli', id: 'alex@laptop' } },
      ],
    ])('RS2: told %s, whoever may start names a ring, and the run asks at its first gate all the same', async (_by, policy, change) => {
      const start = {
        cluster: CLUSTER,
        target: '1.32',
        requestedBy: ALEX,
        at: new Date().toISOString(),
        id: 'start-1',
        campaign,
        ...change,
      };
      await withRun(
        async (run, runId) => {
          await reached(run);
          const own = await vote(run, runId, SAM, 'approve', 1);
          expect(await run.handle.executeUpdate(decideGate, { args: [own] })).toMatchObject({ accepted: true });
        },
        async () => start,
        proving(policy),
      );
    });
  });

  test('RS2: who is proved to have asked may not approve', async () => {
    await withRun(async (run, runId) => {
      await reached(run);
      const own = await vote(run, runId, ALEX, 'approve', 1);
      expect(await run.handle.executeUpdate(decideGate, { args: [own] })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('You asked for this upgrade'),
      });
    });
  });
});
