/** The bake after a wave: it ends by itself when its time is over, and earlier only by people, with a reason; the last look at a wave is nobody's to skip. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { waitsAt } from '../../../../client/reading/status.ts';
import type { TrafficReading, WaveVerdict } from '../../../../domain/health/mesh/wave-health.ts';
import { retireAfter } from '../../../../domain/plan/state/bake-gates.ts';
import { gateOwner } from '../../../../workflows/contract/ids.ts';
import { fakeActivities, inputs, quickPolicy, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, choosing, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const policyOf = (waveBakeMs: number) => {
  const policy = quickPolicy();
  return { ...policy, timing: { ...policy.timing, waveBakeMs } };
};

describe("Karpenter's waves", () => {
  const GATE = 'bake:karpenter-drift@1.32/1#1';
  function baking(waveBakeMs: number) {
    const fake = fakeActivities({
      policy: policyOf(waveBakeMs),
      plan: plan(['freeze-drift', 'karpenter-drift'], (s) =>
        s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves: { by: 'zone' }, bakeGate: true } } : s,
      ),
    });
    const waves = [
      { name: 'eu-1b', nodeCount: 1 },
      { name: 'eu-1a', nodeCount: 2 },
    ];
    return { ...fake, activities: withChange(fake, { holdWaves: async () => ({ waves }) }) };
  }

  test('people end it early, and say why; the next wave waits until then', async () => {
    const { world, activities } = baking(600_000);
    await withUpgrade(env, activities, async (run) => {
      const { gates } = await run.until((status) => status.gates.some(({ id }) => id === GATE), approveAll);
      expect(gates).toMatchObject([{ id: GATE, byItself: true, choices: ['end-bake'] }]);
      expect(gateOwner(run.workflowId, GATE)).toBe(`${run.workflowId}/karpenter-drift@1.32`);
      expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }]);
      await expect(run.decide(GATE, 'end-bake', { reason: ' ' })).rejects.toMatchObject({
        cause: { message: '"End the bake now" needs a reason.' },
      });
      await run.decide(GATE, 'end-bake', { reason: 'the zone is quiet at night' });
      const report = await run.finish();
      expect(report.outcome).toBe('completed');
      expect(report.decisions.find(({ gate }) => gate.id === GATE)).toMatchObject({
        kind: 'decided',
        decision: { choice: 'end-bake', reason: 'the zone is quiet at night' },
      });
    });
    expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }, { wave: 'eu-1a' }]);
    const told = JSON.stringify(world.published);
    expect(told).toContain('Continues by itself after 10 min, with zone eu-1a.');
    expect(told).toContain('The bake after zone eu-1b ended early, as decided.');
  });

  test('continues by itself once its time is over, and not before', async () => {
    const startedMs = Date.now();
    const report = await withUpgrade(env, baking(1_500).activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1_500);
    expect(report.decisions.find(({ gate }) => gate.id === GATE)).toMatchObject({ kind: 'withdrawn', why: 'the bake is over' });
  });
});

describe("Istio's waves", () => {
  const GATE = 'bake:istio@1.32/1-28.1#1';
  const WAVE = 'wave:istio@1.32/1-28.1#1';
  const BEFORE: TrafficReading = { kind: 'seen', namespaces: { shop: { requestsPerSecond: 12, errorShare: 0.006 } } };
  const WELL: WaveVerdict = { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %'] };
  const ILL: WaveVerdict = { kind: 'fail', lines: ['shop: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)'] };
  const SEEN = { ok: true, podCount: 6, wrong: [], timedOut: false };

  /** `watched`: how the bake of each wave ends by itself; `last`: what is seen once people have ended it. */
  function baking(watched: BelayActivities['awaitProxies'], last: WaveVerdict = WELL) {
    const fake = fakeActivities({
      policy: policyOf(600_000),
      plan: plan(['istio'], (s) =>
        s.params.phase === 'istio' ? { ...s, params: { ...s.params, judgedBy: 'prometheus', bakeGate: true } } : s,
      ),
    });
    const activities = withChange(fake, {
      readWaveTraffic: async () => ({ before: BEFORE, connected: { kind: 'seen', versions: {} } }),
      awaitProxies: async (input) => {
        if (input.revision === '1-26') return { ...SEEN, traffic: WELL };
        if (input.watchMs !== undefined) return await watched(input);
        return input.before === undefined ? SEEN : { ...SEEN, traffic: last };
      },
    });
    return { ...fake, activities };
  }

  test('people end it early: the wave is looked at once more, and asked about', async () => {
    const { world, activities } = baking(() => untilCancelled());
    await withUpgrade(env, activities, async (run) => {
      await run.until((status) => status.gates.some(({ id }) => id === GATE));
      expect(inputs(world, 'awaitProxies')[0]).not.toHaveProperty('watchMs');
      await run.decide(GATE, 'end-bake', { reason: 'the namespace has no traffic' });
      const { gates } = await run.until((status) => status.gates.some(({ id }) => id === WAVE));
      expect(gates).toMatchObject([{ id: WAVE, choices: ['approve', 'reject'] }]);
      const report = await run.finish(choosing({ 'bake:istio@1.32/1-28.2#1': 'end-bake' }));
      expect(report.outcome).toBe('completed');
    });
    const told = JSON.stringify(world.published);
    expect(told).toContain('{"title":"Rolled out","lines":["6 pods of revision 1-28"]}');
    expect(told).toContain('The bake of wave 1 of 2 to 1-28 ended early, as decided.');
    expect(inputs(world, 'awaitProxies')).toHaveLength(6);
  });

  test('whoever ends it early does not skip what that look shows', async () => {
    const { activities } = baking(() => untilCancelled(), ILL);
    await withUpgrade(env, activities, async (run) => {
      await run.until((status) => status.gates.some(({ id }) => id === GATE));
      await run.decide(GATE, 'end-bake', { reason: 'no time' });
      const { gates } = await run.until((status) => status.gates.some(({ id }) => id === WAVE));
      expect(gates[0]?.choices).not.toContain('approve');
      expect((await run.finish(choosing({ [WAVE]: 'undo' }))).outcome).toBe('aborted');
    });
  });

  test('traffic that gets worse ends it: people are asked about the wave at once', async () => {
    const { world, activities } = baking(async () => ({ ...SEEN, traffic: ILL }));
    const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE]: 'undo' })));
    expect(report.outcome).toBe('aborted');
    expect(report.decisions.find(({ gate }) => gate.id === GATE)).toMatchObject({ kind: 'withdrawn', why: 'the bake is over' });
    expect(inputs(world, 'moveBack')).toHaveLength(1);
  });
});

describe('the bake before a revision of Istio is retired', () => {
  const GATE = 'bake:istio@1.32/retire-1-26#1';
  const RETIRE = 'retire:istio@1.32/1-26#1';

  test('waits at a gate that asks nobody, so that no campaign takes it for stuck; people end it early', async () => {
    const fake = fakeActivities({
      policy: policyOf(0),
      plan: plan(['istio'], (s) =>
        s.params.phase === 'istio'
          ? { ...s, params: { ...s.params, canaries: s.params.canaries.map((each) => ({ ...each, retire: retireAfter(600_000) })) } }
          : s,
      ),
    });
    const report = await withUpgrade(env, fake.activities, async (run) => {
      const { gates } = await run.until((status) => status.gates.some(({ id }) => id === GATE), approveAll);
      expect(gates).toMatchObject([{ id: GATE, byItself: true, choices: ['end-bake'] }]);
      expect(gates[0]?.title).toMatch(/^Baking on 1-28, before 1-26 is retired, until /);
      await eventually('Temporal lists it', async () => {
        const open = await waitsAt(env.client, { workflowId: run.workflowId, own: undefined });
        return open.byItself === GATE && open.gate === undefined;
      });
      await run.decide(GATE, 'end-bake', { reason: 'it has run for a week' });
      await run.until((status) => status.gates.some(({ id }) => id === RETIRE));
      return await run.finish();
    });
    expect(report.outcome).toBe('completed');
    expect(JSON.stringify(fake.world.published)).toContain('The bake before 1-26 is retired ended early, as decided.');
  });

  test('has no gate where nobody could decide in time', () => {
    expect([retireAfter(59_000), retireAfter(60_000)]).toEqual([{ bakeMs: 59_000 }, { bakeMs: 60_000, gate: true }]);
  });
});
