/** Which clusters start next, and what becomes of one that does not. */
import { describe, expect, test } from 'vitest';
import type { CampaignPlan } from '../../../../domain/plan/campaign/types.ts';
import { pause } from '../../../../domain/run/campaign/commands.ts';
import { settle } from '../../../../domain/run/campaign/rings.ts';
import { applyStart, nextStartInMs, nextStarts, type StartResult } from '../../../../domain/run/campaign/starts.ts';
import { type CampaignState, initialState } from '../../../../domain/run/campaign/state.ts';
import { at, begun, cluster, COMPLETED, done, FAILED, key, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const next = (state: CampaignState, plan: CampaignPlan, now: string = NOON): string[] =>
  nextStarts(state, plan, now).map((each) => each.cluster.name);
const count = (value: number) => ({ kind: 'count' as const, value });
const SIX = ['dev-a', 'dev-b', 'dev-c', 'dev-d', 'dev-e', 'dev-f'];

describe('slots', () => {
  test('nothing starts before the approval, then as many as the ring allows, in the order of the plan', () => {
    const plan = planOf(SIX, { dev: { parallel: count(2) } });
    expect(next(initialState(plan), plan)).toEqual([]);
    expect(next(begun(plan), plan)).toEqual(['dev-a', 'dev-b']);
  });

  test('a slot is free again when its run has ended, however it did', () => {
    const plan = planOf(SIX, { dev: { parallel: count(2), failures: count(6) } });
    const running = started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run' });
    expect(next(running, plan)).toEqual([]);
    expect(next(seen(running, plan, { 'dev-a': COMPLETED }), plan)).toEqual(['dev-c']);
    expect(next(seen(running, plan, { 'dev-a': COMPLETED, 'dev-b': FAILED }), plan)).toEqual(['dev-c', 'dev-d']);
  });

  test('a run that cannot be seen keeps its slot', () => {
    const plan = planOf(SIX, { dev: { parallel: count(1) } });
    const unseen = seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': { kind: 'unread', why: 'Temporal did not answer' } });
    expect(next(unseen, plan)).toEqual([]);
    expect(unseen.members[key('dev-a')]).toMatchObject({ kind: 'running', unread: 'Temporal did not answer' });
  });

  test('a ring may say who goes first; the others follow by name', () => {
    const plan = planOf(SIX, { dev: { order: ['dev-e', 'dev-c'] } });
    expect(next(begun(plan), plan)).toEqual(['dev-e', 'dev-c', 'dev-a', 'dev-b', 'dev-d', 'dev-f']);
  });

  test('two starts a minute in one region of an account: the third waits for what is left of it, in another region none waits', () => {
    const after = (seconds: number): string => new Date(Date.parse(NOON) + seconds * 1_000).toISOString();
    const plan = planOf(SIX, { startsPerMinute: 2 }, { 'dev-f': { cluster: cluster('dev-f', { region: 'us-east-1' }) } });
    expect(next(begun(plan), plan)).toEqual(['dev-a', 'dev-b', 'dev-f']);
    expect(nextStartInMs(begun(plan), plan, NOON)).toBe(undefined);
    const running = started(started(begun(plan), { 'dev-a': 'run' }), { 'dev-b': 'run' }, after(20));
    expect(next(running, plan, after(45))).toEqual(['dev-f']);
    const all = applyStart(running, key('dev-f', { region: 'us-east-1' }), { kind: 'started', runId: 'run-of-f' }, after(45));
    expect(next(all, plan, after(45))).toEqual([]);
    expect(nextStartInMs(all, plan, after(45))).toBe(15_000);
    expect(next(all, plan, after(60))).toEqual(['dev-c']);
    expect(nextStartInMs(done(pause(all, 'lunch', NOON)), plan, after(45))).toBe(undefined);
    const slow = planOf(SIX, { dev: { parallel: count(2) }, startsPerMinute: 2 });
    const full = started(begun(slow), { 'dev-a': 'run', 'dev-b': 'run' });
    expect(nextStartInMs(full, slow, after(45))).toBe(undefined);
  });

  test('F39: two in a region, ten at a time: two at a time', () => {
    const plan = planOf(SIX, { perRegion: 2 });
    expect(next(begun(plan), plan)).toEqual(['dev-a', 'dev-b']);
    const one = seen(started(begun(plan), { 'dev-a': 'run', 'dev-b': 'run' }), plan, { 'dev-b': COMPLETED });
    expect(next(one, plan)).toEqual(['dev-c']);
  });

  test('F39: a region is one of an account; those of others go by a full one', () => {
    const elsewhere = {
      'dev-c': { cluster: cluster('dev-c', { region: 'us-east-1' }) },
      'dev-e': { cluster: cluster('dev-e', { account: '444455556666' }) },
    };
    const byRegion = planOf(SIX, { perRegion: 1 }, elsewhere);
    expect(next(begun(byRegion), byRegion)).toEqual(['dev-a', 'dev-c', 'dev-e']);
    const byAccount = planOf(SIX, { perAccount: 1 }, elsewhere);
    expect(next(begun(byAccount), byAccount)).toEqual(['dev-a', 'dev-e']);
    const overall = planOf(SIX, { parallel: 2 }, elsewhere);
    expect(next(begun(overall), overall)).toEqual(['dev-a', 'dev-b']);
  });
});

describe('what a start comes to', () => {
  test('F11: a cluster that people upgraded meanwhile is done by others, without a run, and its slot goes on', () => {
    const plan = planOf(['dev-a', 'dev-b'], { dev: { parallel: count(1) } });
    const state = started(begun(plan), { 'dev-a': { kind: 'arrived', by: 'others' } });
    expect(state.members[key('dev-a')]).toEqual({ kind: 'done', by: 'others' });
    expect(next(state, plan)).toEqual(['dev-b']);
  });

  test('F12: a run that is open already is adopted: it takes a slot, and its outcome counts', () => {
    const plan = planOf(['dev-a', 'dev-b'], { dev: { parallel: count(1) } });
    const state = started(begun(plan), { 'dev-a': { kind: 'started', runId: 'theirs', adopted: true } });
    expect(next(state, plan)).toEqual([]);
    expect(state.members[key('dev-a')]).toEqual({ kind: 'running', runId: 'theirs', since: NOON, adopted: true });
    const failed = seen(state, plan, { 'dev-a': { ...FAILED, runId: 'theirs' } });
    expect(failed.rings[0]).toMatchObject({
      state: 'stopped',
      why: '1 failure, and at most 0 allowed: dev-a (failed: node group web did not become ready)',
    });
    expect(next(failed, plan)).toEqual([]);
  });

  test('F13: a cluster with another operation is held, and looked at again at its time, not before', () => {
    const plan = planOf(['dev-a', 'dev-b'], { dev: { parallel: count(1) } });
    const busy: StartResult = { kind: 'held', why: 'another operation: it is being rolled back', again: at(1) };
    const state = settle(started(begun(plan), { 'dev-a': busy, 'dev-b': { kind: 'arrived', by: 'others' } }), plan, NOON);
    expect(next(state, plan, at(0.9))).toEqual([]);
    expect(next(state, plan, at(1))).toEqual(['dev-a']);
    expect(state.rings[0]).toMatchObject({
      state: 'running',
      why: '1 of 2 required clusters done; waiting for dev-a (held: another operation: it is being rolled back)',
    });
  });

  test('F9: stopped, deleted and unreadable clusters have not failed; the others go, and all three lack at the end', () => {
    const plan = planOf(['dev-a', 'dev-b', 'dev-c', 'dev-d']);
    const state = started(begun(plan), {
      'dev-a': { kind: 'held', why: 'it has no nodes: it is stopped' },
      'dev-b': { kind: 'removed', why: 'EKS does not know it' },
      'dev-c': { kind: 'unknown', why: 'AccessDenied', again: at(6) },
      'dev-d': 'run',
    });
    const settled = settle(state, plan, NOON);
    expect(settled.rings[0]).toMatchObject({ state: 'running' });
    expect(settled.pauses).toEqual([]);
    const waits = seen(settled, plan, { 'dev-d': COMPLETED });
    expect(waits.rings[0]).toMatchObject({
      state: 'running',
      why: '1 of 4 required clusters done; waiting for dev-a (held: it has no nodes: it is stopped), dev-c (held: AccessDenied)',
    });
    const ended = settle(started(waits, { 'dev-c': { kind: 'removed', why: 'EKS does not know it' } }), plan, at(6));
    expect(ended.rings[0]).toMatchObject({
      state: 'stopped',
      why: 'only 1 of 4 clusters succeeded, and 4 must: dev-a (held: it has no nodes: it is stopped), dev-b (removed: EKS does not know it), dev-c (removed: EKS does not know it)',
    });
  });

  test('F9: where fewer have to arrive, the ring goes on without those that are held, and says so', () => {
    const plan = planOf(['dev-a', 'dev-b', 'dev-c'], { dev: { succeed: count(2) } });
    const state = started(begun(plan), {
      'dev-a': { kind: 'held', why: 'it is stopped', again: at(6) },
      'dev-b': { kind: 'arrived', by: 'others' },
      'dev-c': { kind: 'ahead' },
    });
    expect(settle(state, plan, at(1)).rings[0]).toMatchObject({
      state: 'soaking',
      arrivedAt: at(1),
      why: '1 of 3 clusters is not at the target: dev-a (held: it is stopped)',
    });
  });

  test('F17: a freeze that is declared in mid-ring holds up those that have not started, and ends by itself', () => {
    const plan = planOf(['dev-a', 'dev-b', 'dev-c'], { dev: { parallel: count(2) } });
    const frozen: StartResult = { kind: 'waiting', why: 'frozen: year-end', until: at(48) };
    const state = settle(started(begun(plan), { 'dev-a': 'run', 'dev-b': frozen, 'dev-c': frozen }), plan, NOON);
    expect(state.members[key('dev-a')]).toMatchObject({ kind: 'running' });
    expect(next(state, plan, at(47))).toEqual([]);
    const arrived = seen(state, plan, { 'dev-a': COMPLETED });
    expect(arrived.rings[0]?.why).toBe(
      '1 of 3 required clusters done; waiting for dev-b (waiting: frozen: year-end), dev-c (waiting: frozen: year-end)',
    );
    expect(next(arrived, plan, at(48))).toEqual(['dev-b', 'dev-c']);
  });

  test('F10: what is at the target or ahead starts nothing; what is refused waits for people; what was held is looked at', () => {
    const names = ['dev-at', 'dev-far', 'dev-held', 'dev-past'];
    const plan = planOf(
      names,
      {},
      {
        'dev-at': { version: '1.34' },
        'dev-far': { version: '1.31' },
        'dev-held': { offered: false },
        'dev-past': { version: '1.35' },
      },
    );
    expect(next(begun(plan), plan)).toEqual(['dev-held']);
    const state = settle(started(begun(plan), { 'dev-held': { kind: 'arrived', by: 'others' } }), plan, NOON);
    expect(state.rings[0]).toMatchObject({
      state: 'stopped',
      why: 'only 3 of 4 clusters succeeded, and 4 must: dev-far (held: it is at 1.31, 3 minors below 1.34; write hops: allowed, or first upgrade it to the minor before 1.34)',
    });
  });

  test('F11: a ring whose clusters are all there needs no run, and soaks all the same', () => {
    const plan = planOf(['dev-a', 'dev-b'], {}, { 'dev-a': { version: '1.34' }, 'dev-b': { version: '1.35' } });
    expect(next(begun(plan), plan)).toEqual([]);
    expect(settle(begun(plan), plan, NOON).rings[0]).toMatchObject({ state: 'soaking' });
  });
});

describe('F15: a window that is closed until Saturday', () => {
  const closed = { kind: 'waiting', why: 'window opens Saturday 02:00', until: at(40) } as const;
  const plan = planOf(['dev-a', 'dev-b', 'dev-c', 'prod-a'], { dev: { parallel: count(1), succeed: count(2) }, prod: {} });
  const waiting = started(begun(plan), { 'dev-a': closed });
  const others = settle(
    started(waiting, { 'dev-b': { kind: 'arrived', by: 'others' }, 'dev-c': { kind: 'arrived', by: 'others' } }),
    plan,
    NOON,
  );

  test('lets the others go first: it takes no slot', () => {
    expect(next(waiting, plan)).toEqual(['dev-b']);
  });

  test('is waited for once, although enough have arrived, and the date is said', () => {
    expect(others.rings[0]).toMatchObject({
      state: 'running',
      why: '2 of 2 required clusters done; waiting for dev-a (waiting: window opens Saturday 02:00)',
    });
    expect(next(others, plan, at(40))).toEqual(['dev-a']);
  });

  const late = settle(started(others, { 'dev-a': { ...closed, until: at(208), opened: true } }, at(41)), plan, at(41));

  test('does not hold up the ring once it has been open: it is late, and may still run', () => {
    expect(late.rings[0]).toMatchObject({
      state: 'soaking',
      why: '1 of 3 clusters is not at the target, 1 may still get there: dev-a (waiting: window opens Saturday 02:00)',
    });
    expect(next(late, plan, at(207))).toEqual([]);
    expect(next(late, plan, at(208))).toEqual(['dev-a']);
  });

  test('is no opening again by being closed again', () => {
    const again = started(late, { 'dev-a': { kind: 'waiting', why: 'window', until: at(300) } }, at(209));
    expect(again.members[key('dev-a')]).toEqual({ kind: 'waiting', why: 'window', until: at(300), opened: true });
  });

  test('holds the ring for good where it is needed: openings do not replace arrivals', () => {
    const all = planOf(['dev-a', 'dev-b']);
    const state = started(begun(all), { 'dev-a': { ...closed, opened: true }, 'dev-b': { kind: 'arrived', by: 'others' } });
    expect(settle(state, all, at(100)).rings[0]).toMatchObject({
      state: 'running',
      why: '1 of 2 required clusters done; waiting for dev-a (waiting: window opens Saturday 02:00)',
    });
  });

  test('nothing late starts while the campaign is paused', () => {
    expect(next(done(pause(late, 'incident', at(200))), plan, at(208))).toEqual([]);
  });
});
