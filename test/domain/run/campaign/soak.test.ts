/** A soak is time under watch: looks every ten minutes, over a day. */
import { describe, expect, test } from 'vitest';
import { type HealthReading, lookAtSoak, soakLeftMs, startSoak, worstOf } from '../../../../domain/run/campaign/soak.ts';
import type { Soak } from '../../../../domain/run/campaign/state.ts';
import { at, HOUR } from '../../../support/campaigns.ts';

const MINUTES = 10;
const DAY = { soakMs: 24 * HOUR };
const green: HealthReading = { seen: 'green' };
const red: HealthReading = { seen: 'red', why: 'CheckoutErrors fires' };
const unread: HealthReading = { seen: 'unread', why: 'Prometheus did not answer' };

/** What is seen after so many hours; absent: nobody looks. */
type World = (hours: number) => HealthReading | 'paused' | undefined;

/** Looks every ten minutes until the soak is over: after how many hours that is, and the soak at its end. */
function watch(world: World, soakOnRed: 'restart' | 'hold' = 'restart', mostHours = 200): { hours: number; soak: Soak } {
  let soak = startSoak(at(0));
  for (let minutes = 0; minutes <= mostHours * 60; minutes += MINUTES) {
    const reading = world(minutes / 60);
    if (reading !== undefined) soak = lookAtSoak(soak, reading, { now: at(minutes / 60), everyMs: MINUTES * 60_000, soakOnRed });
    if (soakLeftMs(soak, DAY) === 0) return { hours: minutes / 60, soak };
  }
  return { hours: Infinity, soak };
}

const between =
  (from: number, to: number, there: ReturnType<World>): World =>
  (hours) =>
    hours >= from && hours < to ? there : green;

/** After what is no green the first look sees green, and the second one watches: a period for each side. */
const PERIOD = MINUTES / 60;

test.each<[string, HealthReading[], HealthReading]>([
  ['all are green', [green, green], green],
  ['none', [], green],
  ['one is unread', [green, unread], unread],
  ['one is red, and another is unread', [unread, red, green], red],
  ['two are red', [red, { seen: 'red', why: 'node a is not Ready' }], { seen: 'red', why: 'CheckoutErrors fires, node a is not Ready' }],
])('of several readings the worst counts: %s', (_, readings, worst) => {
  expect(worstOf(readings)).toEqual(worst);
});

test('a day under watch takes a day', () => {
  expect(watch(() => green).hours).toBe(24);
});

describe('what does not count', () => {
  test('F18: a pause of 10 h: it ends at 34 h, give or take the periods at its edges', () => {
    const { hours } = watch(between(8, 18, 'paused'));
    expect(hours).toBeGreaterThanOrEqual(34);
    expect(hours).toBeLessThanOrEqual(34 + 2 * PERIOD);
  });

  test('F20: 3 h in which health could not be read', () => {
    const { hours, soak } = watch(between(5, 8, unread));
    expect(hours).toBeGreaterThanOrEqual(27);
    expect(hours).toBeLessThanOrEqual(27 + 2 * PERIOD);
    expect(soak.why).toBeUndefined();
  });

  test('F20: health that is never read is never watched, and the state says why', () => {
    const { hours, soak } = watch(() => unread, 'restart', 30);
    expect(hours).toBe(Infinity);
    expect(soak).toMatchObject({ seen: 'unread', watchedMs: 0, why: 'Prometheus did not answer' });
  });

  test('F20: every other look unread counts nothing: between two looks both ends have to be green', () => {
    let looks = 0;
    expect(watch(() => (looks++ % 2 === 0 ? green : unread), 'restart', 100).soak.watchedMs).toBe(0);
  });

  test('F21: a worker that was away for 2 h: what is beyond two periods', () => {
    const { hours } = watch(between(5, 7, undefined));
    expect(hours).toBeCloseTo(24 + 2 - PERIOD, 5);
  });

  test('F21: a worker that was away for a week after its first look has watched two periods', () => {
    const started = lookAtSoak(startSoak(at(0)), green, { now: at(0), everyMs: HOUR, soakOnRed: 'restart' });
    expect(lookAtSoak(started, green, { now: at(7 * 24), everyMs: HOUR, soakOnRed: 'restart' }).watchedMs).toBe(2 * HOUR);
  });

  test('F21: time before the first look', () => {
    const { hours } = watch((each) => (each < 6 ? undefined : green));
    expect(hours).toBe(30);
  });

  test('a look that is repeated, and clocks that go back, count nothing', () => {
    const looked = [at(0), at(1), at(1), at(0.5)].reduce(
      (soak, now) => lookAtSoak(soak, green, { now, everyMs: HOUR, soakOnRed: 'restart' }),
      startSoak(at(0)),
    );
    expect(looked.watchedMs).toBe(HOUR);
    expect(lookAtSoak(looked, green, { now: at(1), everyMs: HOUR, soakOnRed: 'restart' }).watchedMs).toBe(HOUR);
  });
});

describe('F19: red health', () => {
  test('at 23 h begins the day anew, and says from when and why', () => {
    const { hours, soak } = watch(between(23, 23.5, red));
    expect(hours).toBe(23.5 + 24);
    expect(soak.restarted).toEqual({ at: at(23), why: 'CheckoutErrors fires' });
  });

  test('as long as it is red there is one beginning, and another one when it turns red again', () => {
    const twice = watch((hours) => (hours === 3 || (hours > 3 && hours < 4) || hours === 10 ? red : green));
    expect(twice.soak.restarted).toEqual({ at: at(10), why: 'CheckoutErrors fires' });
    const during = watch(between(3, 100, red), 'restart', 5);
    expect(during.soak).toMatchObject({ seen: 'red', watchedMs: 0, restarted: { at: at(3) }, why: 'CheckoutErrors fires' });
  });

  test('without a reason says at least that', () => {
    expect(watch(() => ({ seen: 'red' }), 'restart', 1).soak.restarted).toEqual({ at: at(0), why: 'health is red' });
  });

  test('with soakOnRed: hold only the red hours do not count', () => {
    const { hours, soak } = watch(between(23, 25, red), 'hold');
    expect(hours).toBeGreaterThanOrEqual(26);
    expect(hours).toBeLessThanOrEqual(26 + 2 * PERIOD);
    expect(soak.restarted).toBeUndefined();
  });

  test('is not forgotten over a pause or over what could not be read', () => {
    const { soak } = watch((hours) => (hours === 5 ? red : hours < 6 ? green : hours < 7 ? unread : 'paused'), 'restart', 8);
    expect(soak).toMatchObject({ seen: 'paused', watchedMs: 50 * 60_000 - 10 * 60_000, restarted: { at: at(5) } });
  });
});
