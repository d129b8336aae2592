/** Steering a run: more time for a gate, handing over, a pause while people decide. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { rightsOf } from '../../support/signing.ts';
import { count, fakeActivities, inputs, quickPolicy } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { ALEX, approveAll, type RunningUpgrade, SAM, withUpgrade } from '../../support/upgrade.ts';
import { extendGate, extendRequested, handOverUpgrade, pauseUpgrade, resumeUpgrade } from '../../../workflows/contract/messages.ts';
import { utcMinute } from '../../../domain/core/text.ts';
import type { Actor } from '../../../domain/gates/actor.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'before:pre-checks@1.32#1';
const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin' };
const EVE: Actor = { kind: 'slack', id: 'U0EVE', name: 'Eve' };
const reached = (run: RunningUpgrade, gate = GATE) => run.until((s) => s.gates.some(({ id }) => id === gate));

/** Rights as in production, by the policy's own users. */
function withRights(options: Parameters<typeof fakeActivities>[0] = {}) {
  const fake = fakeActivities(options);
  return {
    ...fake,
    activities: { ...fake.activities, ...rightsOf({ people: { whyNotMember: () => Promise.resolve(undefined) } }) },
  };
}

describe('more time for a gate', () => {
  const short = quickPolicy();
  short.timing.gateDeadlineMs = 4_000;
  const extend = (run: RunningUpgrade, byMs: number, actor: Actor, gateId = GATE) =>
    run.handle.executeUpdate(extendGate, { args: [{ gateId, byMs, actor, reason: 'Rin is on her way' }] });

  test('its deadline moves, the thread says who and why, the record keeps it, and it still ends with a stop', async () => {
    const fake = withRights({ plan: plan(['pre-checks']), policy: short });
    await withUpgrade(env, fake.activities, async (run) => {
      const [gate] = (await reached(run)).gates;
      const { message } = await extend(run, 3_000, SAM);
      const until = new Date(Date.parse(gate?.expiresAt ?? '') + 3_000).toISOString();
      expect(message).toBe(`Gate ${GATE} now waits until ${until}.`);
      expect((await run.status()).gates[0]).toMatchObject({ id: GATE, expiresAt: until });
      const report = await run.finish(() => undefined);
      expect(report).toMatchObject({
        outcome: 'stopped',
        decisions: [{ kind: 'expired', gate: { expiresAt: until, extended: [{ actor: SAM, byMs: 3_000 }] } }],
      });
      const [state] = report.decisions;
      expect(state?.kind === 'expired' ? state.at >= until : false).toBe(true);
      const told = inputs(fake.world, 'publish')
        .map((input) => JSON.stringify(input))
        .join();
      expect(told).toContain(`to ${utcMinute(until)}: Rin is on her way`);
    });
  });

  test('who may not decide may not move it, it ends within a week, and a closed one stays closed', async () => {
    const fake = withRights({ plan: plan(['pre-checks']) });
    await withUpgrade(env, fake.activities, async (run) => {
      await reached(run);
      expect(await extend(run, 1_000, EVE)).toMatchObject({ accepted: false, message: expect.stringContaining('not among the approvers') });
      expect(await extend(run, 8 * 86_400_000, SAM)).toMatchObject({
        accepted: false,
        message: expect.stringContaining('a week from now at the latest'),
      });
      expect(await extend(run, 1_000, SAM, 'before:bake@1.32#1')).toMatchObject({ accepted: false });
      // Whoever asked for the run may, as with a pause; by signal where no worker answers.
      await run.handle.signal(extendRequested, { gateId: GATE, byMs: 60_000, actor: ALEX });
      await run.handle.signal(extendRequested, { gateId: 'none', byMs: 60_000, actor: ALEX });
      await run.until(({ gates }) => gates.some(({ id, revision }) => id === GATE && revision === 2));
      await run.decide(GATE, 'approve', { revision: 2 });
      expect(await extend(run, 1_000, SAM)).toMatchObject({ accepted: false, message: expect.stringContaining('was already decided') });
      const report = await run.finish();
      expect(report.decisions[0]?.gate.extended).toMatchObject([{ actor: ALEX, byMs: 60_000 }]);
    });
  });
});

describe('handing over', () => {
  const handOver = (run: RunningUpgrade, actor: Actor, to: Actor) => run.handle.executeUpdate(handOverUpgrade, { args: [{ actor, to }] });

  test('S6 U8: neither the old nor the new one may approve, at gates of the run and of its steps; others may', async () => {
    const policy = quickPolicy({
      approvals: {
        users: ['U0SAM', 'U0RIN', 'U0ALEX'],
        groups: [],
        quorum: 1,
        allowRequester: false,
        allowUnverifiedCli: false,
        reasonsFor: [],
      },
    });
    const fake = withRights({ plan: plan(['pre-checks']), policy });
    await withUpgrade(env, fake.activities, async (run) => {
      await reached(run);
      expect(await handOver(run, EVE, EVE)).toMatchObject({ accepted: false });
      // U8: who may instead; the requester first, where they may as well.
      const approvers = { users: ['U0SAM', 'U0RIN'], groups: [] };
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: EVE }] })).toMatchObject({
        ask: { ...approvers, users: ['U0ALEX', ...approvers.users] },
      });
      expect(await run.decide(GATE, 'approve', { actor: EVE })).toMatchObject({ accepted: false, ask: approvers });
      expect(await handOver(run, ALEX, RIN)).toEqual({ accepted: true, message: 'Handed over to Rin by Alex.' });
      expect(await run.decide(GATE, 'approve', { actor: RIN })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('You asked for this upgrade, so'),
      });
      expect(await run.decide(GATE, 'approve', { actor: ALEX })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('You asked for this upgrade and handed it over'),
      });
      // The new one steers, approver or not.
      expect(await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: RIN }] })).toMatchObject({ accepted: true });
      expect(await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: RIN }] })).toMatchObject({ accepted: true });
      expect(await run.decide(GATE, 'approve', { actor: SAM, revision: 4 })).toMatchObject({ accepted: true });
      const { status } = await run.finish();
      expect(status).toMatchObject({ requestedBy: RIN, formerly: [ALEX] });
      const told = inputs(fake.world, 'publish')
        .map((input) => JSON.stringify(input))
        .join();
      expect(told).toContain(
        'Alex handed this upgrade over to you. Neither of you may approve it, unless belay.yaml allows that (approvals.allowRequester).',
      );
    });
  });

  test('a step that runs hears of it: its own gates exclude both', async () => {
    const policy = quickPolicy({
      approvals: {
        users: ['U0SAM', 'U0RIN', 'U0ALEX'],
        groups: [],
        quorum: 1,
        allowRequester: false,
        allowUnverifiedCli: false,
        reasonsFor: [],
      },
    });
    const fake = withRights({ plan: plan(['pre-checks', 'istio']), policy });
    const wave = 'wave:istio@1.32/1-28.1#1';
    await withUpgrade(env, fake.activities, async (run) => {
      const seen = await run.until(
        (s) => s.gates.some(({ id }) => id.startsWith('wave:')),
        (gate) => (gate.id.startsWith('wave:') ? undefined : approveAll(gate, 0)),
      );
      const gate = seen.gates.find(({ id }) => id.startsWith('wave:'))?.id ?? wave;
      expect(await handOver(run, ALEX, RIN)).toMatchObject({ accepted: true });
      expect(await run.decide(gate, 'approve', { actor: RIN })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('You asked'),
      });
      expect(await run.decide(gate, 'approve', { actor: ALEX })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('handed it over'),
      });
      expect(await run.decide(gate, 'approve', { actor: SAM, revision: 3 })).toMatchObject({ accepted: true });
    });
  });
});

test('a pause that comes while people decide holds the step: their yes counts, and nothing starts before somebody resumes', async () => {
  const fake = withRights({ plan: plan(['pre-checks']) });
  await withUpgrade(env, fake.activities, async (run) => {
    await reached(run);
    const { message } = await run.handle.executeUpdate(pauseUpgrade, { args: [{ actor: SAM }] });
    expect(message).toMatch(/^Paused by Sam\. ".+" does not start before somebody resumes, however long that takes\.$/);
    await run.decide(GATE, 'approve');
    await run.until((s) => s.state === 'running' || s.headline.startsWith('Paused before'));
    expect((await run.status()).headline).toMatch(/^Paused before/);
    expect(count(fake.world, 'runPreChecks')).toBe(0);
    await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
    expect((await run.finish()).outcome).toBe('completed');
    expect(count(fake.world, 'runPreChecks')).toBe(1);
  });
});
