/** What a watch of a step's health ends with: failures first, an API server that is being replaced told apart. */
import { describe, expect, test } from 'vitest';
import { HealthWatch } from '../../../../activities/observe/health/verdict.ts';
import { DEFAULT_CHECKS, USUAL_CHECK } from '../../../../domain/policy/config/health/health-defaults.ts';
import type { HealthCheck, Look } from '../../../../domain/health/checks.ts';

const named = (name: string): HealthCheck => {
  const check = DEFAULT_CHECKS.find((each) => each.name === name);
  if (check === undefined) throw new Error(name);
  return check;
};
const value = (of: number): Look => ({ kind: 'value', value: of });
const MINUTE = 60_000;

function watched(check: HealthCheck, transientMs: number, looks: Look[]): HealthWatch {
  const one = { check, baseline: 0 };
  const watch = new HealthWatch([one], transientMs);
  looks.forEach((look, index) => watch.add(one, look, index * 30_000));
  return watch;
}

describe("the API server's absence during its own update", () => {
  const ERRORS = named('api-server-errors');
  const LATENCY = named('api-server-latency');

  test('5xx and silence are transient for a while', () => {
    expect(
      watched(
        ERRORS,
        15 * MINUTE,
        Array.from({ length: 12 }, () => value(0.4)),
      ).trouble(),
    ).toBeUndefined();
    expect(
      watched(
        LATENCY,
        15 * MINUTE,
        Array.from({ length: 12 }, () => ({ kind: 'empty' as const })),
      ).trouble(),
    ).toBeUndefined();
  });

  test('and no longer than that', () => {
    const looks = Array.from({ length: 40 }, () => value(0.4));
    expect(watched(ERRORS, 15 * MINUTE, looks).trouble()).toMatchObject({ kind: 'fail', checks: ['api-server-errors'] });
  });

  test('slow answers are answers: they count at once', () => {
    expect(watched(LATENCY, 15 * MINUTE, [value(6), value(6), value(6)]).trouble()).toMatchObject({ kind: 'fail' });
  });

  test('in other steps there is no such transient', () => {
    expect(watched(ERRORS, 0, [value(0.4), value(0.4), value(0.4)]).trouble()).toMatchObject({ kind: 'fail' });
  });
});

describe('trouble', () => {
  const check = (name: string, more: Partial<HealthCheck> = {}): HealthCheck => ({
    ...USUAL_CHECK,
    name,
    query: 'up',
    failWhen: { kind: 'value', operator: '>', value: 1 },
    guards: ['control-plane'],
    failureLimit: 0,
    errorLimit: 0,
    ...more,
  });

  test('a failure is told before what cannot be seen, and both before what only warns', () => {
    const [mere, dark, bad] = [{ check: check('mere', { severity: 'warn' }) }, { check: check('dark') }, { check: check('bad') }] as const;
    const watch = new HealthWatch([mere, dark, bad], 0);
    watch.add(mere, value(2), 0);
    expect(watch.trouble()).toMatchObject({ kind: 'warn', checks: ['mere'] });
    watch.add(dark, { kind: 'error', why: 'connection refused' }, 0);
    expect(watch.trouble()).toEqual({ kind: 'inconclusive', checks: ['dark'], lines: ['dark: connection refused (1 reading in a row)'] });
    watch.add(bad, value(2), 0);
    expect(watch.trouble()).toMatchObject({ kind: 'fail', checks: ['dark', 'bad'] });
  });

  test('each check is looked at in its own time', () => {
    const [often, seldom] = [{ check: check('often') }, { check: check('seldom', { intervalMs: 120_000 }) }] as const;
    const watch = new HealthWatch([often, seldom], 0);
    const due = (atMs: number): string[] => watch.due(atMs).map(({ check: { name } }) => name);
    expect(due(0)).toEqual(['often', 'seldom']);
    watch.add(often, value(0), 0);
    watch.add(seldom, value(0), 0);
    expect(due(29_900)).toEqual(['often']);
    expect(due(119_000)).toEqual(['often', 'seldom']);
  });
});
