/** Waves that are judged by their traffic: what stops them, what people may choose, what is undone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { ConnectedReading } from '../../../../domain/health/mesh/wave-connections.ts';
import type { TrafficReading, WaveVerdict } from '../../../../domain/health/mesh/wave-health.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { looksBefore } from '../../../../domain/policy/irreversible.ts';
import { count, fakeActivities, inputs, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { choosing, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const BEFORE: TrafficReading = { kind: 'seen', namespaces: { shop: { requestsPerSecond: 12, errorShare: 0.006 } } };
const CONNECTED: ConnectedReading = { kind: 'seen', versions: { '1.26.2': 9 } };
const WELL: WaveVerdict = { kind: 'pass', lines: ['shop: 5xx 0.6 % → 0.6 %'] };
const ILL: WaveVerdict = { kind: 'fail', lines: ['pay: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)'] };
const WAVE_1 = 'wave:istio@1.32/1-28.1#1';
const WAVE_2 = 'wave:istio@1.32/1-28.2#1';

/** Waves `shop`, then `pay` and `web`; `traffic` says how each is, in order. */
function judged(traffic: WaveVerdict[], judgedBy: 'prometheus' | 'state' = 'prometheus', change: Partial<BelayActivities> = {}) {
  const base = plan(['istio']);
  const steps = base.steps.map((each) => (each.params.phase === 'istio' ? step('istio', { params: { ...each.params, judgedBy } }) : each));
  const fake = fakeActivities({ plan: { ...base, steps } });
  const left = [...traffic];
  const activities = withChange(fake, {
    readWaveTraffic: async () => ({ before: BEFORE, connected: CONNECTED }),
    awaitProxies: async ({ before }) => {
      const verdict = before === undefined ? undefined : left.shift();
      return { ok: true, podCount: 6, wrong: [], timedOut: false, ...(verdict === undefined ? {} : { traffic: verdict }) };
    },
    ...change,
  });
  const said = (): string => JSON.stringify(fake.world.published);
  const gate = (id: string): string => JSON.stringify(fake.world.published.find((p) => p.key === `gate/${id}`)?.notification);
  return { fake, activities, said, gate };
}

test('traffic as before: compared with what was read before the move, shown at the gate', async () => {
  const { fake, activities, gate } = judged([WELL, WELL]);
  const report = await withUpgrade(env, activities, (run) => run.finish());
  expect(report.outcome).toBe('completed');
  const order = fake.world.calls.map(({ name }) => name).filter((name) => /^(readWaveTraffic|moveNamespaces|awaitProxies)$/.test(name));
  expect(order).toEqual(['readWaveTraffic', 'moveNamespaces', 'awaitProxies', 'readWaveTraffic', 'moveNamespaces', 'awaitProxies']);
  expect(inputs(fake.world, 'awaitProxies')).toMatchObject([
    { before: BEFORE, connected: CONNECTED },
    { before: BEFORE, connected: CONNECTED },
  ]);
  expect(gate(WAVE_1)).toContain('{"title":"Traffic: as before","lines":["shop: 5xx 0.6 % → 0.6 %"]}');
});

test('a namespace that has left the mesh since the plan is not put back into it', async () => {
  const { fake, activities, said } = judged([WELL, WELL], 'prometheus', {
    readWaveTraffic: async ({ namespaces }) => ({
      before: BEFORE,
      connected: CONNECTED,
      labels: namespaces.map((namespace) => ({
        namespace,
        injection: namespace === 'pay' ? 'disabled' : null,
        rev: namespace === 'pay' ? null : '1-26',
      })),
    }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish());
  expect(report.outcome).toBe('completed');
  expect(inputs(fake.world, 'moveNamespaces')).toMatchObject([{ namespaces: ['shop'] }, { namespaces: ['web'] }]);
  expect(inputs(fake.world, 'awaitProxies')).toMatchObject([{ namespaces: ['shop'] }, { namespaces: ['web'], labelled: ['web'] }]);
  expect(said()).toContain('Istio wave 2 of 2 to 1-28: pay no longer selects a revision');
});

test('what istiod gives no proxy is left out at every restart and at every look, there and back', async () => {
  const uninjected = [{ kind: 'Deployment' as const, namespace: 'pay', name: 'batch' }];
  const base = plan(['istio']);
  const steps = base.steps.map((each) =>
    each.params.phase === 'istio'
      ? step('istio', {
          params: { ...each.params, judgedBy: 'prometheus', canaries: each.params.canaries.map((canary) => ({ ...canary, uninjected })) },
        })
      : each,
  );
  const fake = fakeActivities({ plan: { ...base, steps } });
  const activities = withChange(fake, {
    readWaveTraffic: async () => ({ before: BEFORE, connected: CONNECTED }),
    awaitProxies: async ({ before, namespaces }) => ({
      ok: true,
      podCount: 6,
      wrong: [],
      timedOut: false,
      ...(before === undefined ? {} : { traffic: namespaces.includes('pay') ? ILL : WELL }),
    }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_2]: 'undo' })));
  const seen = [...inputs(fake.world, 'moveNamespaces'), ...inputs(fake.world, 'moveBack'), ...inputs(fake.world, 'awaitProxies')];
  expect(seen.length).toBeGreaterThan(4);
  for (const input of seen) expect(input).toMatchObject({ uninjected });
});

test('worse traffic stops the wave; Undo moves it back, watches it by the same measure, and asks what next', async () => {
  const { fake, activities, said, gate } = judged([WELL, ILL, WELL]);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_2]: 'undo' })));
  expect(report.outcome).toBe('aborted');
  expect(report.leftBehind).toEqual([]);
  expect(gate(WAVE_2)).toContain('Istio 1-28: the traffic of wave 2 of 2 got worse. What now?');
  expect(gate(WAVE_2)).toContain('{"title":"Traffic: worse than before","lines":["pay: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)"]}');
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [{ namespace: 'pay' }, { namespace: 'web' }] }]);
  expect(inputs(fake.world, 'awaitProxies').at(-1)).toMatchObject({
    namespaces: ['pay', 'web'],
    revision: '1-26',
    minor: '1.26',
    before: BEFORE,
  });
  expect(said()).toContain(
    'Istio wave 2 of 2 to 1-28: its traffic got worse, so nothing more is moved. Seen: pay: 5xx 0.6 % → 1.8 % (3 of the last 5 readings).',
  );
  expect(said()).toContain(
    'Istio: pay, web moved back to 1-26, because its traffic got worse. Verified: 6 pods run 1-26 again. Its traffic is as before the move: shop: 5xx 0.6 % → 0.6 %.',
  );
  expect(said()).toContain(
    'Istio wave 2 of 2 to 1-28 was undone (pay: 5xx 0.6 % → 1.8 % (3 of the last 5 readings)) and moved back to 1-26',
  );
});

test('worse traffic, Continue with a reason: it stays moved', async () => {
  const { fake, activities } = judged([ILL, WELL]);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_1]: 'continue' })));
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'moveBack')).toBe(0);
});

test('worse traffic, Abort: it moves back and the run ends, without another gate', async () => {
  const { fake, activities } = judged([ILL]);
  const gates: string[] = [];
  const report = await withUpgrade(env, activities, (run) =>
    run.finish((gate, seen) => {
      gates.push(gate.id);
      return choosing({ [WAVE_1]: 'abort' })(gate, seen);
    }),
  );
  expect(report.outcome).toBe('aborted');
  expect([...new Set(gates)]).toEqual([WAVE_1]);
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [{ namespace: 'shop' }] }]);
});

test('traffic that cannot be judged is said in the question', async () => {
  const { activities, gate } = judged([{ kind: 'inconclusive', lines: ['shop: no traffic'] }, WELL]);
  await withUpgrade(env, activities, (run) => run.finish());
  expect(gate(WAVE_1)).toContain('Istio 1-28: wave 1 of 2 is moved, but its traffic could not be judged. Continue?');
  expect(gate(WAVE_1)).toContain('{"title":"Traffic: could not be judged","lines":["shop: no traffic"]}');
  expect(gate(WAVE_2)).toContain('Istio 1-28: wave 2 of 2 is finished. Continue?');
});

test('proxies that istiod does not count are said in the question', async () => {
  const line = 'istiod counts 4 connected proxies of 1.28, 4 more than before the move, for 6 pods';
  const { activities, gate } = judged([], 'prometheus', {
    awaitProxies: async () => ({
      ok: true,
      podCount: 6,
      wrong: [],
      timedOut: false,
      traffic: WELL,
      connections: { kind: 'inconclusive', lines: [line] },
    }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_1]: 'reject' })));
  expect(gate(WAVE_1)).toContain('Istio 1-28: wave 1 of 2 is moved, but istiod does not show all of its proxies. Continue?');
  expect(gate(WAVE_1)).toContain(line);
});

test('errors that istioctl finds only after the move stop the wave; Undo moves it back', async () => {
  const line = 'VirtualService shop/cart: Referenced gateway not found [IST0101]';
  const { fake, activities, gate, said } = judged([], 'prometheus', {
    readWaveTraffic: async () => ({ before: BEFORE, connected: CONNECTED, analysis: { kind: 'seen', messages: [] } }),
    awaitProxies: async ({ analysis }) => ({
      ok: true,
      podCount: 6,
      wrong: [],
      timedOut: false,
      traffic: WELL,
      ...(analysis === undefined ? {} : { analysis: { kind: 'fail', lines: [line] } }),
    }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_1]: 'undo' })));
  expect(inputs(fake.world, 'readWaveTraffic')).toMatchObject([{ revision: '1-28' }]);
  expect(gate(WAVE_1)).toContain('Istio 1-28: istioctl finds new errors after wave 1 of 2. What now?');
  expect(gate(WAVE_1)).toContain(`{"title":"istioctl analyze","lines":["${line}"]}`);
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [{ namespace: 'shop' }] }]);
  expect(said()).toContain('moved back to 1-26, because istioctl finds new errors.');
});

test('Undo all waves: those before it go back as well, each as it was', async () => {
  const { fake, activities, said } = judged([], 'state');
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_2]: 'undo-all' })));
  expect(report.outcome).toBe('aborted');
  expect(count(fake.world, 'readWaveTraffic')).toBe(0);
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [{ namespace: 'shop' }, { namespace: 'pay' }, { namespace: 'web' }] }]);
  expect(said()).toContain('Istio: shop, pay, web moved back to 1-26, because all waves were undone. Verified: 6 pods run 1-26 again.');
});

test('an abort while Undo is under way does not cut it off', async () => {
  let isAborted = false;
  const { fake, activities, said } = judged([ILL, WELL], 'prometheus', {
    moveBack: async () => {
      while (!isAborted) await sleepBeating(50);
      await sleepBeating(200);
      return { restarted: 3 };
    },
  });
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(() => count(fake.world, 'moveBack') === 1, choosing({ [WAVE_1]: 'undo' }));
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'enough' }] });
    isAborted = true;
    return await run.finish();
  });
  expect(report.outcome).toBe('aborted');
  expect(report.leftBehind).toEqual([]);
  expect(said()).toContain('Istio: shop moved back to 1-26, because its traffic got worse. Verified: 6 pods run 1-26 again.');
});

const CANNOT: BelayActivities['moveBack'] = async () =>
  Promise.reject(ApplicationFailure.nonRetryable('patching namespace shop: Kubernetes answered 403', 'AccessDenied'));
const OWNED: BelayActivities['moveBack'] = async () => ({ restarted: 0, held: [{ what: 'Tag prod', by: 'argocd' }] });

test.each([
  ['undo', { [WAVE_2]: 'undo' }, CANNOT, `wave 2 of 2 to 1-28 was to be undone (${ILL.lines[0]})`, ['shop']],
  ['undo-all', { [WAVE_2]: 'undo-all' }, CANNOT, 'wave 2 of 2 to 1-28 and the waves before it were to be undone', []],
  ['reject', { [WAVE_1]: 'reject' }, OWNED, 'wave 1 of 2 to 1-28 was rejected', []],
])('a wave that could not be moved back is not said to be back: %s', async (_choice, choices, moveBack, was, forgotten) => {
  const { fake, activities, said } = judged([WELL, ILL], 'prometheus', { moveBack });
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing(choices)));
  // What is still to go back keeps the labels that it had: those of the first wave are not forgotten where all waves were to be undone.
  expect(inputs(fake.world, 'forgetWaves').flatMap((input) => (input as { namespaces: string[] }).namespaces)).toEqual(forgotten);
  expect(said()).toContain(`Istio ${was}, but could not be moved back to 1-26`);
  expect(said()).not.toContain('and moved back to 1-26');
  expect(report.leftBehind).toHaveLength(1);
});

test('a way back that does not end well is said, and the labels are back all the same', async () => {
  const { activities, said } = judged([], 'state', {
    awaitProxies: async ({ revision }) =>
      revision === '1-26'
        ? { ok: false, podCount: 0, wrong: ['shop/web-1: injected by revision 1-28'], timedOut: true }
        : { ok: true, podCount: 0, wrong: [], timedOut: false },
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_1]: 'reject' })));
  expect(said()).toContain('no pod with a proxy runs here: nothing shows that 1-28 works for it');
  expect(said()).toContain('Istio: shop moved back to 1-26, because it was rejected. NOT verified: shop/web-1: injected by revision 1-28.');
});

const BY_HAND = {
  sets: [{ kind: 'StatefulSet' as const, namespace: 'shop', name: 'db' }],
  pods: [{ namespace: 'shop', name: 'naked', uid: 'u' }],
};
const PODS_1 = 'wave:istio@1.32/1-28.1.pods#1';

/** What only a deletion moves is in the first wave. */
const byHand = () =>
  judged([], 'state', {
    moveNamespaces: async ({ namespaces }) => ({
      restarted: 1,
      skipped: [],
      ...(namespaces.includes('shop') ? { byHand: BY_HAND, notes: ['Deployment shop/old: its template has istio.io/rev=1-26'] } : {}),
    }),
  });

test('OnDelete sets are rolled when people say so, verified, and go back with their wave', async () => {
  const { fake, activities, said, gate } = byHand();
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [PODS_1]: 'roll', [WAVE_1]: 'reject' })));
  expect(said()).toContain('Check wave 1 of 2 to 1-28: Deployment shop/old: its template has istio.io/rev=1-26.');
  expect(gate(PODS_1)).toContain('Istio wave 1 of 2 to 1-28: delete pods of 2 workloads that cannot move otherwise?');
  expect(gate(WAVE_1)).toContain('Pod shop/naked: still on the old proxy');
  expect(inputs(fake.world, 'rollByHand')).toMatchObject([{ sets: BY_HAND.sets, pods: [], revision: '1-28' }]);
  // The way back waits for no window.
  expect(inputs(fake.world, 'rollBackByHand')).toMatchObject([{ sets: BY_HAND.sets, revision: '1-26' }]);
  expect(looksBefore('rollBackByHand')).toEqual([]);
  expect(inputs(fake.world, 'awaitProxies')).toMatchObject([{ rolled: BY_HAND.sets }, { rolled: BY_HAND.sets, revision: '1-26' }]);
});

test('nothing is deleted when people leave it, and the gate after the wave says so', async () => {
  const { fake, activities, gate } = byHand();
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [PODS_1]: 'leave' })));
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'rollByHand')).toBe(0);
  expect(gate(WAVE_1)).toContain('StatefulSet shop/db, Pod shop/naked: still on the old proxy');
});

test('pods without a controller are deleted only by their own choice', async () => {
  const { fake, activities } = byHand();
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [PODS_1]: 'roll-and-delete' })));
  expect(inputs(fake.world, 'rollByHand')).toMatchObject([{ sets: BY_HAND.sets, pods: BY_HAND.pods, revision: '1-28' }]);
});
