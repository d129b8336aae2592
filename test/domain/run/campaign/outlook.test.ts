/** When rings of a campaign that has begun ended, and when those that are left will: facts, then a forecast, worked out by hand. */
import { expect, test } from 'vitest';
import { outlookOf } from '../../../../domain/run/campaign/outlook.ts';
import { pause, stop } from '../../../../domain/run/campaign/commands.ts';
import { beginRing, settle } from '../../../../domain/run/campaign/rings.ts';
import { type CampaignState, initialState, withRing } from '../../../../domain/run/campaign/state.ts';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import { supportOf } from '../../../../domain/run/fleet.ts';
import { at, begun, COMPLETED, done, FAILED, HOUR, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const SUPPORT = { of: (minor: string) => supportOf(minor, []), typeOf: () => undefined };
const two = { kind: 'count' as const, value: 2 };
/** Three clusters, two at a time, a day of soak; then one, two hours of soak. */
const PLAN = planOf(['dev-a', 'dev-b', 'dev-c', 'prod-a'], { dev: { parallel: two }, prod: { soakMs: 2 * HOUR } });
const rings = (state: CampaignState, now: string, plan: CampaignPlan = PLAN) =>
  outlookOf(plan, state, now, SUPPORT).rings.map(({ ring, kind, from, arrives, until }) => [ring, kind, from, arrives, until]);

test('before the first approval it is the plan’s forecast, from now on', () => {
  expect(rings(initialState(PLAN), at(5))).toEqual([
    ['dev', 'forecast', at(5), at(11), at(35)],
    ['prod', 'forecast', at(35), at(38), at(40)],
  ]);
});

test('what runs takes what is left of its time, and what has not started comes after; the beginning is a fact', () => {
  const state = started(begun(PLAN), { 'dev-a': 'run', 'dev-b': 'run' }, at(1));
  expect(rings(state, at(2))[0]).toEqual(['dev', 'forecast', NOON, at(7), at(31)]);
  const last = started(seen(state, PLAN, { 'dev-a': COMPLETED, 'dev-b': COMPLETED }, at(3)), { 'dev-c': 'run' }, at(3));
  expect(rings(last, at(5))[0]).toEqual(['dev', 'forecast', NOON, at(6), at(30)]);
});

test('a run that has taken longer than any should is expected now, and no sooner', () => {
  const state = started(begun(PLAN), { 'dev-a': 'run', 'dev-b': 'run', 'dev-c': 'run' });
  expect(rings(state, at(9))[0]).toEqual(['dev', 'forecast', NOON, at(9), at(33)]);
});

test('F45: what all that runs takes rests on the same records, or the same assumption, as before', () => {
  const all = { 'dev-a': 'run', 'dev-b': 'run', 'dev-c': 'run' } as const;
  expect(outlookOf(PLAN, started(begun(PLAN), all), at(1), SUPPORT).rings[0]).toMatchObject({ runMs: 3 * HOUR, assumed: true });
  const known = planOf(['dev-a'], {}, { 'dev-a': { p90Ms: HOUR } });
  expect(outlookOf(known, started(begun(known), { 'dev-a': 'run' }), at(0), SUPPORT).rings[0]).toMatchObject({
    runMs: HOUR,
    assumed: false,
  });
});

const ARRIVED = seen(
  started(begun(PLAN), { 'dev-a': 'run', 'dev-b': 'run', 'dev-c': 'run' }),
  PLAN,
  { 'dev-a': COMPLETED, 'dev-b': COMPLETED, 'dev-c': COMPLETED },
  at(4),
);

test('a soak counts what was watched: seven hours of a day, whatever the clock says', () => {
  const soaks = withRing(ARRIVED, 0, { soak: { at: at(20), seen: 'red', watchedMs: 7 * HOUR } });
  expect(rings(soaks, at(20))).toEqual([
    ['dev', 'soaking', NOON, at(4), at(37)],
    ['prod', 'forecast', at(37), at(40), at(42)],
  ]);
});

test('a ring that has passed is as it was', () => {
  const soaked = settle(withRing(ARRIVED, 0, { soak: { at: at(29), seen: 'green', watchedMs: 24 * HOUR } }), PLAN, at(29));
  const next = started(beginRing(soaked, PLAN, at(50)), { 'prod-a': 'run' }, at(50));
  expect(rings(next, at(51))).toEqual([
    ['dev', 'passed', NOON, at(4), at(29)],
    ['prod', 'forecast', at(50), at(53), at(55)],
  ]);
});

test('while it is paused it is as if it went on now; one that was stopped has no rings left', () => {
  const running = started(begun(PLAN), { 'dev-a': 'run' });
  expect(rings(done(pause(running, 'lunch', at(1))), at(1))).toEqual(rings(running, at(1)));
  expect(rings(done(stop(running)), at(1))).toEqual([]);
});

test('what has failed is not started once more; what is held for now is', () => {
  const failed = seen(started(begun(PLAN), { 'dev-a': 'run' }), PLAN, { 'dev-a': FAILED }, at(2));
  // The ring has stopped: b and c are left.
  expect(rings(failed, at(2))[0]).toEqual(['dev', 'forecast', NOON, at(5), at(29)]);
  const held = started(begun(PLAN), {
    'dev-a': { kind: 'held', why: 'not offered', again: at(6) },
    'dev-b': { kind: 'held', why: 'to lift' },
  });
  expect(rings(held, at(0))[0]).toEqual(['dev', 'forecast', NOON, at(3), at(27)]);
});

test('waiting costs for those that have not arrived, from now on', () => {
  // 1.33 has been in extended support since July: dev-b and dev-c for another 3 h, prod-a for 30 h.
  const state = started(begun(PLAN), { 'dev-a': { kind: 'arrived', by: 'others' } });
  const { costs } = outlookOf(PLAN, state, NOON, SUPPORT);
  expect(costs).toEqual([{ account: '111122223333', clusters: 3, charged: 3, hours: 3 + 3 + 30, usd: 18, forced: [] }]);
});

test('the one change that would help most is among the rings that are left', () => {
  const many = planOf(
    Array.from({ length: 20 }, (_, index) => `dev-${index}`),
    { dev: { parallel: { kind: 'count', value: 1 } } },
  );
  expect(outlookOf(many, begun(many), NOON, SUPPORT).best).toEqual({ what: 'ring dev: parallel 1 → 2', savesMs: 30 * HOUR });
  expect(outlookOf(PLAN, ARRIVED, at(4), SUPPORT).best).toBeUndefined();
});
