/** When a ring stops, arrives, soaks and lets the next one begin. */
import { describe, expect, test } from 'vitest';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import { applyLook } from '../../../../domain/run/campaign/looks.ts';
import { goOnBeside, pause, stop } from '../../../../domain/run/campaign/commands.ts';
import { beginRing, canPromote, settle } from '../../../../domain/run/campaign/rings.ts';
import { nextStarts } from '../../../../domain/run/campaign/starts.ts';
import { type CampaignState, initialState, withRing } from '../../../../domain/run/campaign/state.ts';
import { at, BACK, begun, cluster, COMPLETED, done, FAILED, key, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const count = (value: number) => ({ kind: 'count' as const, value });
const percent = (value: number) => ({ kind: 'percent' as const, value });
const next = (state: CampaignState, plan: CampaignPlan, now: string = at(2)): string[] =>
  nextStarts(state, plan, now).map((each) => each.cluster.name);
const FIVE = ['dev-a', 'dev-b', 'dev-c', 'dev-d', 'dev-e'];
/** The soak watched in full at this moment. */
const soaked = (state: CampaignState, plan: CampaignPlan, now: string = at(30)): CampaignState => {
  const { soakMs = 0 } = plan.rings[state.ring] ?? {};
  return settle(withRing(state, state.ring, { soak: { at: now, seen: 'green', watchedMs: soakMs } }), plan, now);
};

describe('failures', () => {
  test('F6: budget 1, three in flight, all fail: the second stops it, the third still comes to its end, and no fourth starts', () => {
    const plan = planOf(FIVE, { dev: { parallel: count(3), failures: count(1) } });
    const running = started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run', 'dev-c': 'run' });
    const one = seen(running, plan, { 'dev-b': FAILED });
    expect(one.rings[0]).toMatchObject({ state: 'running' });
    expect(next(one, plan)).toEqual(['dev-d']);
    const two = seen(one, plan, { 'dev-a': FAILED });
    const why =
      '2 failures, and at most 1 allowed: dev-a (failed: node group web did not become ready), dev-b (failed: node group web did not become ready)';
    expect(two.rings[0]).toMatchObject({ state: 'stopped', why });
    expect(two.pauses).toEqual([{ by: 'failures', why, at: at(1) }]);
    expect(next(two, plan)).toEqual([]);
    expect(two.members[key('dev-c')]).toMatchObject({ kind: 'running' });
    const three = seen(two, plan, { 'dev-c': FAILED }, at(2));
    expect(['dev-a', 'dev-b', 'dev-c', 'dev-d', 'dev-e'].map((name) => three.members[key(name)]?.kind)).toEqual([
      'failed',
      'failed',
      'failed',
      'planned',
      'planned',
    ]);
    expect(next(three, plan, at(1000))).toEqual([]);
    expect(settle(three, plan, at(1000))).toEqual(three);
  });

  test('F7: all failed within the budget: that is no ring that has arrived', () => {
    const plan = planOf(FIVE, { dev: { failures: percent(100) } });
    const looks = Object.fromEntries(FIVE.map((name) => [name, FAILED]));
    const state = seen(started(begun(plan), Object.fromEntries(FIVE.map((name) => [name, 'run' as const]))), plan, looks);
    expect(state.rings[0]).toMatchObject({
      state: 'stopped',
      why: `only 0 of 5 clusters succeeded, and 1 must: ${FIVE.map((name) => `${name} (failed: node group web did not become ready)`).join(', ')}`,
    });
    expect(state.pauses).toHaveLength(1);
  });

  test('a failure within the budget: the ring goes on, and ends with its exception named', () => {
    const plan = planOf(['dev-a', 'dev-b'], { dev: { failures: count(1) } });
    const state = seen(started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run' }), plan, { 'dev-a': FAILED, 'dev-b': COMPLETED });
    const why = '1 of 2 clusters is not at the target: dev-a (failed: node group web did not become ready)';
    expect(state.rings[0]).toMatchObject({ state: 'soaking', why });
    expect(soaked(state, plan)).toMatchObject({ phase: 'complete', rings: [{ state: 'complete-with-exceptions', why }] });
  });

  test('F38: clusters of one name are told apart where they are named', () => {
    const twins = planOf(['dev-a', 'dev-z'], {}, { 'dev-z': { cluster: cluster('dev-a', { region: 'us-east-1' }) } });
    expect(seen(started(begun(twins), { 'dev-a': 'run' }), twins, { 'dev-a': FAILED }).rings[0]?.why).toBe(
      '1 failure, and at most 0 allowed: 111122223333/eu-west-1/dev-a (failed: node group web did not become ready)',
    );
  });

  test.each([
    ['F8: a canary that was rolled back', BACK, 'canary dev-b (rolled-back: people chose to go back)'],
    ['F8: a canary that failed', FAILED, 'canary dev-b (failed: node group web did not become ready)'],
    [
      'F8: a canary that is stuck',
      { kind: 'open', runId: 'run-of-dev-b', phase: 'node-groups@1.34' } as const,
      'canary dev-b (stuck: no progress for 13 h, at node-groups@1.34)',
    ],
  ])('%s stops the campaign, whatever the budget', (_title, look, why) => {
    const plan = planOf(FIVE, { dev: { canary: true, failures: percent(50), succeed: count(1), parallel: count(2) } });
    const state = seen(started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run' }), plan, { 'dev-a': COMPLETED, 'dev-b': look }, at(13));
    expect(state.rings[0]).toMatchObject({ state: 'stopped', why });
    expect(next(state, plan, at(1000))).toEqual([]);
  });

  test('F8: two that were rolled back stop the ring whatever its budget; one does not', () => {
    const plan = planOf(FIVE, { dev: { failures: count(4) } });
    const running = started(begun(plan), Object.fromEntries(FIVE.map((name) => [name, 'run' as const])));
    expect(seen(running, plan, { 'dev-a': BACK, 'dev-b': FAILED }).rings[0]?.state).toBe('running');
    expect(seen(running, plan, { 'dev-a': BACK, 'dev-b': FAILED, 'dev-c': BACK }).rings[0]).toMatchObject({
      state: 'stopped',
      why: '2 clusters rolled back: dev-a (rolled-back: people chose to go back), dev-c (rolled-back: people chose to go back)',
    });
  });

  test('F8: a cluster that goes back while its ring soaks has not arrived, and a canary stops the campaign then, too', () => {
    const plan = planOf(['dev-a', 'prod-a'], { dev: { canary: true }, prod: { promotion: 'after-soak' } });
    const soaking = seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': COMPLETED });
    expect(soaking.rings[0]?.state).toBe('soaking');
    const back = seen(soaking, plan, { 'dev-a': BACK }, at(20));
    expect(back.rings[0]).toMatchObject({ state: 'stopped', why: 'canary dev-a (rolled-back: people chose to go back)' });
    expect(soaked(back, plan)).toEqual(expect.objectContaining({ ring: 0, phase: 'running' }));
  });

  test('F8: one of an earlier ring that was late counts against its own budget, and stops what runs now', () => {
    const plan = planOf(['dev-a', 'dev-b', 'prod-a', 'prod-b'], { dev: { succeed: count(1) }, prod: { parallel: count(1) } });
    const late = started(begun(plan), {
      'dev-a': { kind: 'arrived', by: 'others' },
      'dev-b': { kind: 'waiting', why: 'window', opened: true },
    });
    const prod = beginRing(soaked(settle(late, plan, NOON), plan), plan, at(31));
    expect(next(prod, plan, at(31))).toEqual(['dev-b', 'prod-a']);
    const state = seen(started(prod, { 'dev-b': 'run', 'prod-a': 'run' }, at(31)), plan, { 'dev-b': FAILED }, at(32));
    expect(state.rings[1]).toMatchObject({
      state: 'stopped',
      why: 'ring dev: 1 failure, and at most 0 allowed: dev-b (failed: node group web did not become ready)',
    });
    expect(next(state, plan, at(33))).toEqual([]);
  });
});

describe('a run without progress', () => {
  const plan = planOf(['dev-a', 'dev-b', 'dev-c'], { dev: { parallel: count(1), failures: count(1) } });
  const open = { kind: 'open', runId: 'run-of-dev-a', phase: 'node-groups@1.34', gate: 'after:node-groups@1.34#1' } as const;
  const stuck = seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': open }, at(12));

  test('is stuck at stuckAfter, not a moment before; it keeps its slot, and the ring says that none is free', () => {
    expect(seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': open }, at(11.99)).members[key('dev-a')]).toMatchObject({
      kind: 'needs-people',
    });
    expect(stuck.members[key('dev-a')]).toEqual({
      kind: 'stuck',
      runId: 'run-of-dev-a',
      since: NOON,
      why: 'no progress for 12 h, at gate after:node-groups@1.34#1',
    });
    expect(next(stuck, plan, at(13))).toEqual([]);
    expect(stuck.rings[0]?.why).toBe('no slot is free: dev-a (stuck: no progress for 12 h, at gate after:node-groups@1.34#1)');
  });

  test.each([
    ['parked until its window opens', 'window:node-groups@1.34#1', 'node-groups@1.34, until its maintenance window opens'],
    ['in a bake', 'bake:bake@1.34#1', 'node-groups@1.34, until its bake is over'],
  ])('%s is no run without progress, for however many days', (_, byItself, phase) => {
    const parked = seen(
      started(begun(plan), { 'dev-a': 'run' }),
      plan,
      { 'dev-a': { kind: 'open', runId: 'run-of-dev-a', phase: 'node-groups@1.34', byItself } },
      at(120),
    );
    expect(parked.members[key('dev-a')]).toEqual({ kind: 'running', runId: 'run-of-dev-a', since: NOON, phase });
    expect(parked.rings[0]?.state).toBe('running');
    // Somebody is asked beside it: that is not waited for without end.
    const asked = { ...open, byItself };
    expect(seen(parked, plan, { 'dev-a': asked }, at(121)).members[key('dev-a')]?.kind).toBe('stuck');
  });

  test('gives its slot to others where somebody says so, is still counted as failed, and its end counts', () => {
    const beside = done(goOnBeside(stuck, key('dev-a')));
    expect(next(beside, plan, at(13))).toEqual(['dev-b']);
    const still = seen(beside, plan, { 'dev-a': open }, at(14));
    expect(still.members[key('dev-a')]).toMatchObject({ kind: 'stuck', beside: true });
    const failed = seen(started(still, { 'dev-b': 'run' }, at(14)), plan, { 'dev-b': FAILED }, at(15));
    expect(failed.rings[0]?.state).toBe('stopped');
    expect(seen(still, plan, { 'dev-a': COMPLETED }, at(15)).members[key('dev-a')]).toEqual({ kind: 'done', by: 'run' });
  });

  test('that goes on again is running, and no failure', () => {
    const again = seen(
      stuck,
      plan,
      { 'dev-a': { kind: 'open', runId: 'run-of-dev-a', phase: 'validation', progressAt: at(12.5) } },
      at(13),
    );
    expect(again.members[key('dev-a')]).toEqual({ kind: 'running', runId: 'run-of-dev-a', since: NOON, phase: 'validation' });
    expect(again.rings[0]).toMatchObject({ state: 'running', why: undefined });
  });

  test('within the budget does not hold up a ring of which enough have arrived', () => {
    const others = started(stuck, { 'dev-b': { kind: 'arrived', by: 'others' }, 'dev-c': { kind: 'arrived', by: 'others' } });
    expect(settle(others, plan, at(14)).rings[0]).toMatchObject({
      state: 'soaking',
      why: '1 of 3 clusters is not at the target: dev-a (stuck: no progress for 12 h, at gate after:node-groups@1.34#1)',
    });
  });
});

describe('what is no longer there', () => {
  const plan = planOf(['dev-a', 'dev-b']);
  const running = started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run' });

  test('F25: a cluster that is deleted while its run goes on has failed', () => {
    const state = seen(running, plan, { 'dev-a': { kind: 'gone', why: 'gone: EKS does not know it any more' } });
    expect(state.members[key('dev-a')]).toEqual({ kind: 'failed', why: 'gone: EKS does not know it any more' });
    expect(state.rings[0]?.state).toBe('stopped');
  });

  test('F25: one that is deleted before its run is removed, and has not failed', () => {
    const state = settle(started(begun(plan), { 'dev-a': { kind: 'removed', why: 'EKS does not know it' }, 'dev-b': 'run' }), plan, NOON);
    expect(state.members[key('dev-a')]).toEqual({ kind: 'removed', why: 'EKS does not know it' });
    expect(state.rings[0]?.state).toBe('running');
  });

  test('F25: one that is deleted after it arrived is removed, and is not counted as arrived any more', () => {
    const state = seen(seen(running, plan, { 'dev-a': COMPLETED }), plan, {
      'dev-a': { kind: 'gone', why: 'EKS does not know it' },
      'dev-b': COMPLETED,
    });
    expect(state.rings[0]).toMatchObject({
      state: 'stopped',
      why: 'only 1 of 2 clusters succeeded, and 2 must: dev-a (removed: EKS does not know it)',
    });
  });

  test('F29: a run past its retention and without a record is unknown, which is never a success', () => {
    const why = 'EKS says 1.34: at the target, length unknown';
    const state = seen(running, plan, { 'dev-a': { kind: 'forgotten', why }, 'dev-b': COMPLETED });
    expect(state.members[key('dev-a')]).toEqual({ kind: 'unknown', why });
    expect(state.rings[0]).toMatchObject({
      state: 'stopped',
      why: `only 1 of 2 clusters succeeded, and 2 must: dev-a (unknown: ${why})`,
    });
  });

  test('F28: a look that comes twice, or for a cluster that has no run, changes nothing', () => {
    const one = seen(running, plan, { 'dev-a': COMPLETED });
    expect(seen(one, plan, { 'dev-a': FAILED })).toBe(one);
    expect(applyLook(begun(plan), key('dev-a'), FAILED, at(1), 1)).toEqual(begun(plan));
    expect(applyLook(running, '1/2/3', FAILED, at(1), 1)).toEqual(running);
  });

  test('another run in place of the own one is the cluster’s run now, with its own clock', () => {
    const state = seen(running, plan, { 'dev-a': { kind: 'open', runId: 'theirs' } }, at(20));
    expect(state.members[key('dev-a')]).toEqual({ kind: 'running', runId: 'theirs', since: at(20) });
  });

  test('once seen again, nothing is unread any more', () => {
    const unread = seen(running, plan, { 'dev-a': { kind: 'unread', why: 'throttled' } });
    const read = seen(unread, plan, { 'dev-a': { kind: 'open', runId: 'run-of-dev-a', phase: 'freeze', gate: 'g' } });
    expect(read.members[key('dev-a')]).toEqual({ kind: 'needs-people', runId: 'run-of-dev-a', since: NOON, phase: 'freeze', gate: 'g' });
  });
});

describe('from ring to ring', () => {
  const plan = planOf(['dev-a', 'prod-a', 'prod-b'], { dev: {}, prod: {} }, { 'prod-b': { offered: false } });
  const soaking = settle(started(begun(plan), { 'dev-a': { kind: 'arrived', by: 'others' } }), plan, NOON);

  test('the next one neither begins nor can be promoted before the soak is watched in full', () => {
    const almost = settle(withRing(soaking, 0, { soak: { at: at(23), seen: 'green', watchedMs: 24 * 3_600_000 - 1 } }), plan, at(1000));
    expect(almost).toMatchObject({ ring: 0, rings: [{ state: 'soaking' }, { state: 'pending' }] });
    expect(canPromote(almost, plan)).toBe(false);
    const full = soaked(soaking, plan);
    expect(full).toMatchObject({ ring: 1, rings: [{ state: 'complete' }, { state: 'pending' }] });
    expect(canPromote(full, plan)).toBe(true);
    expect(next(full, plan, at(1000))).toEqual([]);
    expect(next(beginRing(full, plan, at(31)), plan, at(31))).toEqual(['prod-a', 'prod-b']);
  });

  test.each(['red', 'unread', 'paused'] as const)('F19 F20: watched in full, but %s now: that is no green', (is) => {
    const state = withRing(soaking, 0, { soak: { at: at(30), seen: is, watchedMs: 24 * 3_600_000 } });
    expect(settle(state, plan, at(30))).toEqual(state);
  });

  test('F18: a ring that has soaked waits for the end of a pause', () => {
    const paused = done(pause(soaking, 'incident', at(1)));
    expect(soaked(paused, plan)).toMatchObject({ ring: 0, rings: [{ state: 'soaking' }, {}] });
  });

  test('the gate of a ring of which no cluster can start does not open, and the ring says why', () => {
    const held = planOf(['dev-a', 'prod-a'], { dev: {}, prod: {} }, { 'prod-a': { offered: false } });
    const state = settle(soaked(settle(started(begun(held), { 'dev-a': { kind: 'ahead' } }), held, NOON), held), held, at(31));
    expect(canPromote(state, held)).toBe(false);
    expect(state.rings[1]).toMatchObject({
      state: 'pending',
      why: 'none of its clusters can start: prod-a (held: EKS does not offer 1.34 in its region yet)',
    });
  });

  test.each([
    ['one is there, and the others are held', {}, false],
    ['as many are there as have to arrive', { succeed: count(1) }, true],
  ])('the gate of a ring of which %s: %j opens: %s', (_title, prod, opens) => {
    const held = { offered: false };
    const mixed = planOf(
      ['dev-a', 'prod-a', 'prod-b'],
      { dev: {}, prod },
      { 'dev-a': { version: '1.34' }, 'prod-a': held, 'prod-b': { version: '1.34' } },
    );
    const state = settle(soaked(settle(begun(mixed), mixed, NOON), mixed), mixed, at(31));
    expect(state.ring).toBe(1);
    expect(canPromote(state, mixed)).toBe(opens);
    expect(state.rings[1]?.why === undefined).toBe(opens);
  });

  test('F3: an optional ring without clusters is passed at once, and says so', () => {
    const empty = planOf(['prod-a'], { dev: { optional: true }, prod: {} });
    const state = settle(begun(empty), empty, NOON);
    expect(state).toMatchObject({
      ring: 1,
      rings: [{ state: 'complete-with-exceptions', why: 'it has no cluster' }, { state: 'pending' }],
    });
  });

  test('an approval that comes when the ring has begun, or the campaign has ended, changes nothing', () => {
    const stopped = done(stop(initialState(plan)));
    expect(beginRing(stopped, plan, at(1))).toEqual(stopped);
    expect(beginRing(soaking, plan, at(1))).toEqual(soaking);
    const failed = seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': FAILED });
    expect(beginRing(failed, plan, at(1))).toEqual(failed);
  });

  test('F15: one that was late and has arrived during the soak is no exception any more', () => {
    const two = planOf(['dev-a', 'dev-b'], { dev: { succeed: count(1) } });
    const late = settle(
      started(begun(two), { 'dev-a': { kind: 'arrived', by: 'others' }, 'dev-b': { kind: 'waiting', why: 'window', opened: true } }),
      two,
      NOON,
    );
    const arrived = seen(started(late, { 'dev-b': 'run' }), two, { 'dev-b': COMPLETED });
    const end = soaked(arrived, two);
    expect(end.phase).toBe('complete');
    expect(end.rings[0]).toEqual(expect.objectContaining({ state: 'complete', why: undefined }));
  });

  test('a campaign is not complete while a run of it goes on', () => {
    const two = planOf(['dev-a', 'dev-b'], { dev: { succeed: count(1) } });
    const late = settle(
      started(begun(two), { 'dev-a': { kind: 'arrived', by: 'others' }, 'dev-b': { kind: 'waiting', why: 'window', opened: true } }),
      two,
      NOON,
    );
    const running = soaked(started(late, { 'dev-b': 'run' }), two);
    expect(running).toMatchObject({ phase: 'running', rings: [{ state: 'soaking', why: 'waiting for dev-b (running)' }] });
    expect(settle(seen(running, two, { 'dev-b': COMPLETED }, at(31)), two, at(31)).phase).toBe('complete');
  });
});
