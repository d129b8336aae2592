/** What is answered before a gate's deadline counts, however long it takes to read who it was, and whether or not a worker was there. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, follow, type RunningUpgrade, SAM, startUpgrade, withUpgrade } from '../../support/upgrade.ts';
import { decideGate, extendGate, gateDecision } from '../../../workflows/contract/messages.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN = { kind: 'slack' as const, id: 'U0RIN', name: 'Rin' };
const GATE = 'before:pre-checks@1.32#1';
const LIFE_MS = 3_000;
const policyWith = (approvals: Partial<UpgradePolicy['approvals']> = {}, gateDeadlineMs = LIFE_MS): UpgradePolicy => {
  const quick = quickPolicy();
  return quickPolicy({ timing: { ...quick.timing, gateDeadlineMs }, approvals: { ...quick.approvals, ...approvals } });
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const isOpen = ({ gates }: { gates: { id: string }[] }): boolean => gates.some(({ id }) => id === GATE);

/** Who may decide takes long to read, but for who starts the run. */
function slowToRead(policy: UpgradePolicy, readMs: number): BelayActivities {
  const { activities } = fakeActivities({ plan: plan(['pre-checks']), policy });
  return {
    ...activities,
    readApprover: async (input) => {
      if (input.as !== 'requester') await sleep(readMs);
      return await activities.readApprover(input);
    },
  };
}

/** When the open gate expires. */
async function expiryOf(run: RunningUpgrade): Promise<number> {
  const [gate] = (await run.until(isOpen)).gates;
  return Date.parse(gate?.expiresAt ?? '');
}

describe('a gate and its deadline', () => {
  test('a vote that came before it counts where who gave it is read only after it', async () => {
    await withUpgrade(env, slowToRead(policyWith(), LIFE_MS + 500), async (run) => {
      await run.until(isOpen);
      expect(await run.decide(GATE, 'approve')).toEqual({ accepted: true, message: 'Recorded: Approve.' });
      expect(await run.finish(() => undefined)).toMatchObject({ outcome: 'completed' });
    });
  });

  test('a vote that does not close the gate does not keep it open either, and one that comes after the deadline does not count', async () => {
    await withUpgrade(env, slowToRead(policyWith({ quorum: 2 }), 2_000), async (run) => {
      const expiresMs = await expiryOf(run);
      await sleep(expiresMs - Date.now() - 1_000);
      const inTime = run.decide(GATE, 'approve');
      await sleep(expiresMs - Date.now() + 200);
      const late = run.decide(GATE, 'approve', { actor: RIN });
      expect(await inTime).toMatchObject({ accepted: true, message: 'Recorded: Approve, 1 of 2 approvals.' });
      await expect(late).resolves.toMatchObject({ accepted: false, message: expect.stringMatching(/^Gate .+ expired at /) });
      expect(await run.finish(() => undefined)).toMatchObject({
        outcome: 'stopped',
        decisions: [{ kind: 'expired', votes: [{ actor: SAM }] }],
      });
    });
  });

  test('more time that was asked for before it is given after it', async () => {
    await withUpgrade(env, slowToRead(policyWith(), LIFE_MS + 500), async (run) => {
      await run.until(isOpen);
      expect(await run.handle.executeUpdate(extendGate, { args: [{ gateId: GATE, byMs: 60_000, actor: ALEX }] })).toMatchObject({
        accepted: true,
      });
      expect(isOpen(await run.status())).toBe(true);
    });
  });

  test('break-glass does not pass a gate that is being rejected', async () => {
    const delayMs = 2_000;
    const policy = policyWith(
      { breakGlass: { users: [], delayMs } as unknown as NonNullable<UpgradePolicy['approvals']['breakGlass']> },
      60_000,
    );
    const { activities } = fakeActivities({ plan: plan(['pre-checks']), policy });
    const known = { aws: { arn: 'arn:aws:iam::111122223333:user/x' } };
    const read: BelayActivities['readApprover'] = async (input) => {
      const right = await activities.readApprover(input);
      if (input.as === 'break-glass') return { ...right, person: { ...input.actor, ...known } as unknown as typeof ALEX };
      if (input.as === undefined) await sleep(delayMs + 1_500);
      return right;
    };
    await withUpgrade(env, { ...activities, readApprover: read }, async (run) => {
      const { planHash } = (await run.until(isOpen)).gates[0] ?? {};
      for (const [index, actor] of [SAM, RIN].entries()) {
        const decisionId = `${GATE}:${actor.id}:approve:${index + 1}`;
        const input = { gateId: GATE, decisionId, actor, choice: 'approve', reason: 'fire', planHash, breakGlass: true };
        const reply = await run.handle.executeUpdate(decideGate, { args: [input], updateId: decisionId });
        expect(reply.message).toMatch(index === 0 ? '1 of 2' : 'It takes effect at');
      }
      const rejecting = run.decide(GATE, 'reject', { actor: { kind: 'slack', id: 'U0KIM', name: 'Kim' } });
      expect(await rejecting).toMatchObject({ accepted: true });
      expect(await run.finish(() => undefined)).toMatchObject({ outcome: 'stopped' });
    });
  });
});

test.each<[string, number, string]>([
  ['before the deadline counts', -1_500, 'completed'],
  ['after the deadline does not count', 500, 'stopped'],
])('no worker is there from before the deadline until after it: what was signed %s', async (_when, signedMs, outcome) => {
  const { activities } = fakeActivities({ plan: plan(['pre-checks']), policy: policyWith() });
  const taskQueue = `belay-${randomUUID()}`;
  const first = await startWorker(env, activities, taskQueue);
  const { workflowId, handle, runId, expiresMs } = await first.runUntil(async () => {
    const run = await startUpgrade(env, taskQueue);
    const expires = await expiryOf(run);
    return { ...run, runId: (await run.status()).runId, expiresMs: expires };
  });
  await sleep(expiresMs + signedMs - Date.now());
  const signed = { at: new Date().toISOString(), run: runId, proof: 'of the Slack process' };
  await handle.signal(gateDecision, { gateId: GATE, decisionId: `${GATE}:U0SAM:approve:1`, actor: SAM, choice: 'approve', ...signed });
  await sleep(expiresMs + 1_000 - Date.now());
  const second = await startWorker(env, activities, taskQueue);
  expect(await second.runUntil(() => follow(env, workflowId).finish(() => undefined))).toMatchObject({ outcome });
});
