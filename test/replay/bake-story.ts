/** A bake that people end early, after a check with a curve has failed in it, and a run that is ended to go back, for the recording. */
import { healthOf } from '../../domain/policy/config/health/health.ts';
import { fakeActivities, quickPolicy, sleepBeating, untilCancelled } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { choosing, type Story, told } from './story.ts';

const CHECK = 'api-server-latency';

/** `atGate`: what people choose at the gate of the check. */
function baking(atGate: 'keep-watching' | 'abort-and-rollback'): Story {
  const { policy: health } = healthOf([]);
  const steps = plan(['control-plane', 'bake', 'validation'], (s) =>
    s.params.phase === 'bake' ? { ...s, params: { ...s.params, bakeMs: 600_000, gate: true } } : s,
  );
  let isTold = false;
  return told(
    fakeActivities({ plan: steps, policy: quickPolicy({ health }) }),
    {
      makePlan: async () => ({
        kind: 'plan',
        plan: steps,
        health: health.checks.map(({ name }) => ({ name, kind: 'live', baseline: 0.2 })),
      }),
      watchHealth: async () => {
        if (isTold) return untilCancelled();
        isTold = true;
        await sleepBeating(100);
        const curves = [
          { check: CHECK, startedAt: '2026-03-03T12:00:00Z', points: [[0, 0.3] as [number, number], [30, 6.1] as [number, number]] },
        ];
        return { kind: 'fail', checks: [CHECK], lines: [`${CHECK}: 6.1, limit > 1`], curves };
      },
    },
    (run) => run.finish(choosing({ 'health:control-plane@1.32#1': atGate, 'bake:bake@1.32#1': 'end-bake' })),
  );
}

/** Waves of Istio and of Karpenter's nodes: the first bake of each is ended by people. */
export function waveBakesEndedEarly(): Story {
  const base = quickPolicy();
  const steps = plan(['istio', 'freeze-drift', 'karpenter-drift', 'validation'], (s) => {
    if (s.params.phase === 'istio') return { ...s, params: { ...s.params, judgedBy: 'prometheus', bakeGate: true } };
    return s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves: { by: 'zone' }, bakeGate: true } } : s;
  });
  const waves = ['eu-1b', 'eu-1a'].map((name) => ({ name, nodeCount: 1 }));
  const seen = { ok: true, podCount: 6, wrong: [], timedOut: false };
  let watchedCount = 0;
  return told(
    fakeActivities({ plan: steps, policy: { ...base, timing: { ...base.timing, waveBakeMs: 60_000 } } }),
    {
      holdWaves: async () => ({ waves }),
      awaitProxies: async ({ watchMs }) => {
        if (watchMs === undefined) return seen;
        watchedCount += 1;
        if (watchedCount === 1) return untilCancelled();
        await sleepBeating(100);
        return seen;
      },
    },
    (run) => run.finish(choosing({ 'bake:istio@1.32/1-28.1#1': 'end-bake', 'bake:karpenter-drift@1.32/1#1': 'end-bake' })),
  );
}

export const bakeEndedEarly = (): Story => baking('keep-watching');
export const endedToGoBack = (): Story => baking('abort-and-rollback');
