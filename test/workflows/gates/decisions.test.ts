/** Who may decide, what a stale or second click hears, and what happens without a worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { ALEX, SAM, withUpgrade } from '../../support/upgrade.ts';
import {
  decideGate,
  gateDecision,
  pauseUpgrade,
  resumeUpgrade,
  type UpgradeInput,
  WORKFLOWS,
} from '../../../workflows/contract/messages.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };
const GATE = 'before:pre-checks@1.32#1';
const open = (gates: { id: string }[]): boolean => gates.some((g) => g.id === GATE);

describe('decisions', () => {
  test('S3: the same click twice is one vote with the same answer; a later person is told who decided', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      const [first, second] = await Promise.all([run.decide(GATE, 'approve'), run.decide(GATE, 'approve')]);
      expect(first).toEqual({ accepted: true, message: 'Recorded: Approve.' });
      expect(second.accepted).toBe(true);
      await expect(run.decide(GATE, 'reject', { actor: { kind: 'slack', id: 'U0RIN', name: 'Rin' } })).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/^Gate before:pre-checks@1\.32#1 was already decided: approve by Sam at /) },
      });
      const report = await run.finish();
      expect(report.decisions[0]).toMatchObject({ kind: 'decided', decision: { choice: 'approve', actor: SAM } });
    });
  });

  test('S5: approve and reject at once: one of them counts, and the other person is told which', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      const answers = await Promise.allSettled([
        run.decide(GATE, 'approve'),
        run.decide(GATE, 'reject', { actor: { kind: 'slack', id: 'U0RIN', name: 'Rin' } }),
      ]);
      const counted = answers.map((answer) => answer.status === 'fulfilled' && answer.value.accepted);
      expect(counted.filter(Boolean)).toHaveLength(1);
      const choice = counted[0] === true ? 'approve' : 'reject';
      expect((await run.finish()).decisions[0]).toMatchObject({ kind: 'decided', decision: { choice } });
      const other = answers[counted.indexOf(false)];
      expect(JSON.stringify(other?.status === 'rejected' ? other.reason.cause.message : other?.value)).toContain(
        `already decided: ${choice} by`,
      );
    });
  });

  test('S7: somebody who is not an approver is refused in the workflow, and that is recorded', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      const reply = await run.decide(GATE, 'approve', { actor: { kind: 'slack', id: 'U0EVE', name: 'Eve' } });
      expect(reply).toEqual({ accepted: false, message: 'Eve is not an approver.' });
      expect((await run.status()).gates.map((g) => g.id)).toEqual([GATE]);
    });
  });

  test('S9: when membership cannot be read nothing is decided, and the same person may press again later', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    let readable = false;
    const activities = {
      ...fake.activities,
      readApprover: async ({ as }: { as?: string }) => {
        if (!readable && as === undefined) throw new Error('usergroups.users.list failed');
        return { allowed: true, why: 'member of S0PLATFORM' };
      },
    };
    await withUpgrade(env, activities, async (run) => {
      await run.until((s) => open(s.gates));
      expect(await run.decide(GATE, 'approve')).toEqual({
        accepted: false,
        message: 'Could not check who may decide, so nothing was decided. Try again.',
      });
      const [gate] = (await run.status()).gates;
      expect(gate).toMatchObject({ id: GATE, revision: 2 });
      readable = true;
      expect(await run.decide(GATE, 'approve', { revision: gate?.revision })).toEqual({ accepted: true, message: 'Recorded: Approve.' });
    });
  });

  test('S15: a plan that has changed voids what was approved: the new gate counts from zero, and votes for the old plan are refused', async () => {
    const policy = quickPolicy({ approvals: { ...quickPolicy().approvals, quorum: 2 } });
    const before = plan(['pre-checks']);
    const fake = fakeActivities({ plan: before, policy });
    const plans = [before, { ...before, hash: 'fedcba9876543210' }];
    const activities = { ...fake.activities, makePlan: async () => ({ kind: 'plan' as const, plan: plans.shift() ?? before }) };
    await withUpgrade(env, activities, async (run) => {
      await run.until((s) => open(s.gates));
      expect(await run.decide(GATE, 'approve')).toMatchObject({ accepted: true });
      expect((await run.status()).gates[0]).toMatchObject({ progress: '1 of 2 approvals', planHash: before.hash });
      await run.decide(GATE, 'reject', { actor: RIN });
      await run.handle.result();
      // The cluster has changed meanwhile, so the next run's plan has, too.
      const { taskQueue } = await run.handle.describe();
      const args: [UpgradeInput] = [{ cluster: CLUSTER, target: '1.32', requestedBy: ALEX }];
      await env.client.workflow.start(WORKFLOWS.upgrade, { workflowId: run.workflowId, taskQueue, args });
      const gate = (await run.until((s) => open(s.gates))).gates[0];
      expect(gate).toMatchObject({ progress: '0 of 2 approvals', planHash: 'fedcba9876543210' });
      const old = { gateId: GATE, decisionId: `${GATE}:U0SAM:approve:1`, actor: SAM, choice: 'approve', planHash: before.hash };
      await expect(run.handle.executeUpdate(decideGate, { args: [old], updateId: old.decisionId })).rejects.toMatchObject({
        cause: { message: expect.stringContaining(`gate ${GATE} is about plan fedcba9876543210. Look at the newest message.`) },
      });
      expect((await run.status()).gates[0]?.progress).toBe('0 of 2 approvals');
    });
  });

  test.each([
    {
      title: 'an unknown gate',
      gate: 'before:bake@1.32#1',
      choice: 'approve',
      revision: 1,
      says: 'There is no gate before:bake@1.32#1 here; it may belong to an earlier run.',
    },
    {
      title: 'an unknown choice',
      gate: GATE,
      choice: 'maybe',
      revision: 1,
      says: `"maybe" is not a choice at gate ${GATE}; choose one of approve, reject.`,
    },
    {
      title: 'S14: a stale message',
      gate: GATE,
      choice: 'approve',
      revision: 7,
      says: `This message is out of date: gate ${GATE} has changed since. Use its newest message.`,
    },
  ])('$title is refused with one sentence', async ({ gate, choice, revision, says }) => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      await expect(run.decide(gate, choice, { revision })).rejects.toMatchObject({ cause: { message: says } });
    });
  });

  test('nobody rejects without saying why, and runs that began before that was asked go on as they did', async () => {
    const before = { users: [], groups: [], quorum: 1, allowRequester: false, allowUnverifiedCli: false };
    for (const policy of [quickPolicy(), quickPolicy({ approvals: before })]) {
      const fake = fakeActivities({ plan: plan(['pre-checks']), policy });
      await withUpgrade(env, fake.activities, async (run) => {
        await run.until((s) => open(s.gates));
        const rejecting = run.decide(GATE, 'reject', { reason: '  ' });
        if (policy.approvals.reasonsFor === undefined) await expect(rejecting).resolves.toMatchObject({ accepted: true });
        else await expect(rejecting).rejects.toMatchObject({ cause: { message: '"Reject" needs a reason.' } });
      });
    }
  });

  test('S4: a quorum of two needs two people, and one refusal is enough to stop', async () => {
    const policy = quickPolicy({ approvals: { users: [], groups: [], quorum: 2, allowRequester: false, allowUnverifiedCli: false } });
    for (const second of ['approve', 'reject'] as const) {
      const fake = fakeActivities({ plan: plan(['pre-checks']), policy });
      await withUpgrade(env, fake.activities, async (run) => {
        await run.until((s) => open(s.gates));
        expect(await run.decide(GATE, 'approve')).toEqual({ accepted: true, message: 'Recorded: Approve, 1 of 2 approvals.' });
        await run.decide(GATE, second, { actor: { kind: 'slack', id: 'U0RIN', name: 'Rin' } });
        expect((await run.finish()).outcome).toBe(second === 'approve' ? 'completed' : 'stopped');
      });
    }
  });

  test('S25: the signal is the same decision as the update, applied once', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      const decision = { gateId: GATE, decisionId: `${GATE}:U0SAM:1`, actor: SAM, choice: 'approve' };
      await run.handle.signal(gateDecision, decision);
      await run.handle.signal(gateDecision, decision);
      const report = await run.finish(() => undefined);
      expect(report.outcome).toBe('completed');
      expect(report.decisions[0]?.votes).toHaveLength(1);
    });
  });

  test('pause holds the run before the next step, resume lets it go on; strangers may do neither', async () => {
    const fake = fakeActivities({ plan: plan(['pre-checks', 'validation']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until((s) => open(s.gates));
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: { kind: 'slack', id: 'U0EVE' } }] })).toEqual({
        accepted: false,
        message: 'Eve is not an approver.',
      });
      expect((await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: ALEX }] })).accepted).toBe(true);
      await run.decide(GATE, 'approve');
      const paused = await run.until((s) => s.state === 'paused');
      expect(paused.headline).toBe('Paused before "Step pre-checks"');
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      expect((await run.finish()).outcome).toBe('completed');
    });
  });
});
