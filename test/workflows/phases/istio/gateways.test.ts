/** Gateways in a canary: asked about where they are cut off, left to who keeps them, judged by their Services, moved back with their wave. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { GatewayMove } from '../../../../domain/plan/model/changes.ts';
import { count, fakeActivities, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { choosing, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const EDGE: GatewayMove = { kind: 'Deployment', namespace: 'edge', name: 'public', wave: 2, how: 'relabel' };
const PARTNERS: GatewayMove = { kind: 'Gateway', namespace: 'edge', name: 'partners', wave: 2, how: 'relabel', drops: true };
const WAVE_3 = 'wave:istio@1.32/1-28.3#1';
const CUT = 'gateways:istio@1.32/1-28.3#1';

/** Waves `shop`, then `pay` and `web`, then the gateways. */
function withGateways(gateways: GatewayMove[], change: Partial<BelayActivities> = {}, tags?: string[]) {
  const base = plan(['istio']);
  const steps = base.steps.map((each) => {
    if (each.params.phase !== 'istio') return each;
    const canaries = each.params.canaries.map((canary) => ({
      ...canary,
      waves: [...canary.waves, []],
      gateways,
      ...(tags === undefined ? {} : { tags }),
    }));
    return step('istio', { params: { ...each.params, canaries, judgedBy: 'state', moveBy: tags === undefined ? 'label' : 'tag' } });
  });
  const fake = fakeActivities({ plan: { ...base, steps } });
  const activities = withChange(fake, change);
  const said = (): string => JSON.stringify(fake.world.published);
  const gate = (id: string): string => JSON.stringify(fake.world.published.find((p) => p.key === `gate/${id}`)?.notification);
  return { fake, activities, said, gate };
}

const ref = ({ kind, namespace, name }: GatewayMove) => ({ kind, namespace, name });

test('move in a wave of their own, are verified as they were before, and forgotten when the old revision goes', async () => {
  const { fake, activities, said, gate } = withGateways([EDGE]);
  const report = await withUpgrade(env, activities, (run) => run.finish());
  expect(report.outcome).toBe('completed');
  expect(inputs(fake.world, 'moveGateways')).toMatchObject([{ gateways: [{ ...ref(EDGE), how: 'relabel' }], revision: '1-28' }]);
  expect(inputs(fake.world, 'awaitProxies').at(-1)).toMatchObject({
    namespaces: [],
    gateways: [{ ...ref(EDGE), rev: '1-26', services: [] }],
  });
  expect(gate('wave:istio@1.32/1-28.2#1')).toContain('Moves 1 more: Deployment edge/public.');
  expect(gate(WAVE_3)).toContain('"title":"Deployment edge/public"');
  expect(inputs(fake.world, 'forgetWaves').at(-1)).toMatchObject({ gateways: [ref(EDGE)] });
  expect(said()).toContain('Istio: every namespace and gateway runs ');
});

test('those that the old istiod would cut off are asked about first; a No moves nothing of the wave', async () => {
  const { fake, activities, gate, said } = withGateways([EDGE, PARTNERS]);
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ [CUT]: 'reject' })));
  expect(report.outcome).toBe('aborted');
  expect(gate(CUT)).toContain('interrupts Gateway edge/partners for about half a minute: move now?');
  expect([count(fake.world, 'moveGateways'), count(fake.world, 'moveBack')]).toEqual([0, 0]);
  expect(said()).toContain('the interruption of its gateways was rejected');
});

test('what somebody keeps is asked for, and waited for', async () => {
  const held = [{ gateway: ref(EDGE), what: 'Deployment edge/public', by: 'Argo CD' }];
  const { fake, activities, said } = withGateways([EDGE], { moveGateways: async () => ({ restarted: 0, skipped: [], held }) });
  const report = await withUpgrade(env, activities, (run) => run.finish());
  expect(report.outcome).toBe('completed');
  expect(said()).toContain('Please move Deployment edge/public to Istio 1-28 at its source: `revision: 1-28` in the values of its chart');
  expect(inputs(fake.world, 'awaitGateways')).toMatchObject([{ gateways: [ref(EDGE)], revision: '1-28' }]);
});

test('an owner that never merges ends the wave, which goes back', async () => {
  const held = [{ gateway: ref(EDGE), what: 'Deployment edge/public', by: 'Argo CD' }];
  const { fake, activities, said } = withGateways([EDGE], {
    moveGateways: async () => ({ restarted: 0, skipped: [], held }),
    awaitGateways: async () => ({ moved: false, left: ['Deployment edge/public'] }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({})));
  expect(said()).toContain('Waiting for gateways to name 1-28: Deployment edge/public');
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [], gateways: [ref(EDGE)] }]);
});

test('another load balancer stops the wave; Undo moves its gateways back and no namespace', async () => {
  const { fake, activities, gate, said } = withGateways([EDGE], {
    awaitProxies: async ({ gateways, revision }) => ({
      ok: true,
      podCount: 2,
      wrong: [],
      timedOut: false,
      ...(gateways !== undefined && revision === '1-28'
        ? { gateways: { kind: 'fail', lines: ['Service edge/public: load balancer a → b'] } }
        : {}),
    }),
  });
  await withUpgrade(env, activities, (run) => run.finish(choosing({ [WAVE_3]: 'undo' })));
  expect(gate(WAVE_3)).toContain('Istio 1-28: a load balancer of wave 3 of 3 changed. What now?');
  expect(inputs(fake.world, 'moveBack')).toMatchObject([{ before: [], gateways: [{ ...ref(EDGE), rev: '1-26' }] }]);
  expect(said()).toContain('Istio: edge/public moved back to 1-26, because a load balancer changed. Verified: 2 pods run 1-26 again.');
});

test('Undo all waves takes the gateways along, as they were', async () => {
  const early = { ...EDGE, wave: 0 };
  const { fake, activities } = withGateways([early]);
  await withUpgrade(env, activities, (run) => run.finish(choosing({ 'wave:istio@1.32/1-28.2#1': 'undo-all' })));
  expect(inputs(fake.world, 'moveBack')).toMatchObject([
    { before: [{ namespace: 'shop' }, { namespace: 'pay' }, { namespace: 'web' }], gateways: [ref(EDGE)] },
  ]);
});

test('Retry leaves gateways that have moved where they are', async () => {
  const early = { ...EDGE, wave: 0 };
  const { fake, activities } = withGateways([early]);
  const report = await withUpgrade(env, activities, (run) =>
    run.finish(choosing({ 'wave:istio@1.32/1-28.2#1': 'reject', 'failed:istio@1.32#1': 'retry' })),
  );
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'moveGateways')).toBe(1);
});
