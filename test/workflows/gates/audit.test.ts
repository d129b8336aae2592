/** What a run writes into its audit record, and what it does where the record cannot be written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { gateDecision, pauseUpgrade, resumeUpgrade } from '../../../workflows/contract/messages.ts';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import { createRefusals } from '../../../client/steering/refused-attempts.ts';
import { FRONT_DOOR_WORKFLOW } from '../../../workflows/contract/ids.ts';
import { type FakeWorld, fakeActivities, inputs, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { CLUSTER } from '../../support/facts.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, approveAll, SAM, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'before:pre-checks@1.32#1';
const audited = { policy: quickPolicy() };
const lines = (world: FakeWorld): string[] => world.audit.map(({ kind, what }) => `${kind}: ${what}`);

describe('the audit record of a run', () => {
  test('has who asked, the plan, what was shown, votes, refusals, commands, every change with its token, and the end', async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks', 'freeze-drift', 'control-plane', 'karpenter-drift']) });
    const report = await withUpgrade(env, fake.activities, async (run) => {
      await run.until(({ gates }) => gates.length > 0);
      await run.decide(GATE, 'approve', { actor: { kind: 'slack', id: 'U0EVE', name: 'Eve' } });
      await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM, reason: 'lunch' }] });
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      return run.finish(approveAll);
    });
    const { audit } = fake.world;
    expect(new Set(audit.map(({ id }) => id)).size).toBe(audit.length);
    expect(audit[0]).toMatchObject({ kind: 'start', actor: ALEX });
    expect(audit.find(({ kind }) => kind === 'plan')).toMatchObject({ planHash: expect.any(String) });
    expect(audit.find(({ id }) => id === `gate/${GATE}`)).toMatchObject({
      shown: { undo: expect.any(String), evidence: expect.any(Array) },
    });
    expect(audit.find(({ kind }) => kind === 'refused')).toMatchObject({
      actor: { id: 'U0EVE' },
      what: expect.stringMatching(/Eve is not an approver\.$/),
    });
    expect(audit.find(({ kind }) => kind === 'vote')).toMatchObject({ gate: GATE, choice: 'approve', actor: SAM });
    expect(audit.find(({ kind }) => kind === 'vote')?.right).toEqual({ why: 'approver' });
    expect(audit.filter(({ kind }) => kind === 'command').map(({ what, reason }) => [what.split(':')[0], reason])).toEqual([
      ['pause', 'lunch'],
      ['resume', undefined],
    ]);
    const changes = audit.filter(({ kind }) => kind === 'change');
    expect(changes.find(({ id }) => id.includes('startControlPlaneUpdate'))).toMatchObject({
      step: 'control-plane@1.32',
      token: expect.stringMatching(/^belay-/),
      result: { updateId: 'u-1', adopted: false },
    });
    expect(changes.some(({ id }) => id.includes('freezeDrift'))).toBe(true);
    expect(audit.some(({ id, kind }) => kind === 'restore' && id.includes('restoreBudgets'))).toBe(true);
    expect(audit.at(-1)).toMatchObject({ kind: 'end' });
    expect(report.audit).toEqual({ head: { seq: audit.length, hash: `hash-${audit.length}` } });
  });

  test("gates' messages show how far the record has come", async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, (run) => run.finish(approveAll));
    const closed = fake.world.published.filter(({ key }) => key === `gate/${GATE}`).at(-1)?.notification;
    expect(closed).toMatchObject({ kind: 'gate', record: { seq: expect.any(Number), hash: expect.stringMatching(/^hash-/) } });
  });

  test('S11: a click that the gate refuses at once leaves nothing in the history, and stands in the record', async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until(({ gates }) => gates.length > 0);
      const upgrades = createUpgrades({ client: env.client, resolveCluster: () => CLUSTER });
      const click = { workflowId: run.workflowId, gateId: GATE, actor: SAM, revision: 1 };
      const { reply } = await upgrades.decide({ ...click, choice: 'lunch' });
      expect(reply.accepted).toBe(false);
      await run.finish(approveAll);
    });
    expect(lines(fake.world)).toContainEqual(expect.stringMatching(/^refused: decide was refused: "lunch" is not a choice at gate/));
  });

  test('what was refused before it belonged to a run is written down in batches, and nothing runs on afterwards', async () => {
    const fake = fakeActivities();
    const taskQueue = 'front-door';
    const worker = await startWorker(env, fake.activities, taskQueue);
    await worker.runUntil(async () => {
      const refusals = createRefusals(env.client, { taskQueue });
      for (let count = 1; count <= 25; count += 1) refusals.atTheDoor({ what: `forged request ${count}` });
      await refusals.end();
      await env.client.workflow.getHandle(FRONT_DOOR_WORKFLOW).result();
    });
    const [written] = inputs(fake.world, 'appendRefusals') as { month: string; events: AuditEvent[] }[];
    expect(written?.month).toMatch(/^\d{4}-\d{2}$/);
    expect(written?.events).toHaveLength(21);
    expect(written?.events.at(-1)?.what).toBe('5 more requests were refused');
  });

  test('P10: where the record cannot be written the run continues, says so once, and its report has what is missing', async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks']) });
    const activities = withChange(fake, { appendAudit: () => Promise.reject(new Error('ENOSPC: no space left on device')) });
    const report = await withUpgrade(env, activities, (run) => run.finish(approveAll));
    expect(report.outcome).toBe('completed');
    expect(report.leftBehind).toEqual([
      { what: 'audit record of this run', why: expect.stringMatching(/^\d+ entries could not be written$/), kept: false },
    ]);
    expect(report.audit?.unwritten?.map(({ kind }) => kind)).toContain('vote');
    const alarms = fake.world.published.filter(
      ({ notification }) => notification.kind === 'note' && notification.text.includes('audit record'),
    );
    expect(alarms).toHaveLength(1);
  });

  test('RS4: a reason of 501 characters is refused, by update, by signal and for commands; 500 are taken', async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks']) });
    const long = 'x'.repeat(501);
    await withUpgrade(env, fake.activities, async (run) => {
      await run.until(({ gates }) => gates.length > 0);
      await expect(run.decide(GATE, 'reject', { reason: long })).rejects.toMatchObject({
        cause: { message: 'The reason has 501 characters; write at most 500, and put the rest behind a link.' },
      });
      await run.handle.signal(gateDecision, {
        gateId: GATE,
        decisionId: `${GATE}:U0SAM:reject:1`,
        actor: SAM,
        choice: 'reject',
        reason: long,
      });
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM, reason: long }] })).toMatchObject({ accepted: false });
      expect(await run.status()).toMatchObject({ pauseRequested: false, gates: [{ id: GATE }] });
      expect(await run.decide(GATE, 'reject', { reason: 'y'.repeat(500) })).toMatchObject({ accepted: true });
      await run.finish();
    });
    for (const { what, reason = '' } of fake.world.audit) expect(what.length + reason.length).toBeLessThan(2_000);
  });

  test('a record that somebody has changed is said in the thread', async () => {
    const fake = fakeActivities({ ...audited, plan: plan(['pre-checks']) });
    const activities = withChange(fake, {
      appendAudit: async ({ head, events }) => ({
        head: { seq: head.seq + events.length, hash: 'x' },
        broken: 'entry 3 was changed after it was written',
      }),
    });
    await withUpgrade(env, activities, (run) => run.finish(approveAll));
    const notes = fake.world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));
    expect(notes).toContainEqual(
      'The audit record of this run is not as Belay wrote it: entry 3 was changed after it was written. The run continues, but its record counts as altered. Find out who can write to the records, and compare with "belay audit --verify".',
    );
  });
});
