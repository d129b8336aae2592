/** Tries before a plan: beside all else, and never for long. */
import { describe, expect, test } from 'vitest';
import { tryChecks } from '../../../../activities/observe/health/baseline.ts';
import type { ScrapeAnswer, ScrapePort } from '../../../../activities/contract/ports.ts';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { createRecentPlans } from '../../../../activities/run/planning/recent-plans.ts';
import type { HealthCheck } from '../../../../domain/health/checks.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';

const check = (name: string): HealthCheck =>
  ({
    name,
    scrape: { kind: 'level', target: 'api-server' },
    intervalMs: 60_000,
    count: 3,
    errorLimit: 3,
    severity: 'block',
  }) as unknown as HealthCheck;
const nothingElse = { karpenter: undefined, istio: undefined };

test('RA4: three API servers that answer a scrape in 1.5 s, and never the same one twice, hold a plan up for no longer than the limit', async () => {
  let asked = 0;
  const scrapes = {
    keep: () => undefined,
    query: async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return { kind: 'waiting', why: 'no process was scraped twice' };
    },
  } as unknown as ScrapePort;
  const policy = { checks: [check('latency'), check('errors')] } as Parameters<typeof tryChecks>[1];
  const startedMs = performance.now();
  const tried = await tryChecks({ scrapes }, policy, nothingElse, { limitMs: 2_000 });
  expect(performance.now() - startedMs).toBeLessThan(4_000);
  expect(tried).toEqual(['latency', 'errors'].map((name) => ({ name, kind: 'unseen', why: 'no answer within 2 s' })));
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked).toBe(before);
});

describe('a check by scrapes', () => {
  const soon = { ...check('latency'), intervalMs: 1, failWhen: { kind: 'value', operator: '>', value: 1 } } as HealthCheck;
  const policy = { checks: [soon] } as Parameters<typeof tryChecks>[1];

  test.each<{ what: string; answer: ScrapeAnswer; tried: object; times: number }>([
    {
      what: 'a process that is never met twice is not known',
      answer: { kind: 'waiting', why: 'no process was scraped twice' },
      tried: { kind: 'unseen', why: 'no process was scraped twice' },
      times: 5,
    },
    {
      what: 'scrapes without a figure are not known either',
      answer: { kind: 'samples', samples: [] },
      tried: { kind: 'unseen', why: 'nothing happened between two scrapes' },
      times: 5,
    },
    {
      what: 'what may not be read is blind',
      answer: { kind: 'denied', why: 'no right' },
      tried: { kind: 'blind', why: 'no right' },
      times: 1,
    },
    {
      what: 'a figure is the baseline',
      answer: { kind: 'samples', samples: [{ labels: {}, value: 0.4 }] },
      tried: { kind: 'live', baseline: 0.4 },
      times: 1,
    },
  ])('$what', async ({ answer, tried, times }) => {
    let asked = 0;
    const query = async (): Promise<ScrapeAnswer> => {
      asked += 1;
      return answer;
    };
    const scrapes: ScrapePort = { keep: () => undefined, query };
    expect(await tryChecks({ scrapes }, policy, nothingElse)).toEqual([{ name: 'latency', ...tried }]);
    expect(asked).toBe(times);
  });

  test.each([
    { what: 'a scrape that fails is not known', cancels: false },
    { what: 'a scrape that fails since nobody waits for it any more is no answer', cancels: true },
  ])('$what', async ({ cancels }) => {
    const ended = new AbortController();
    const query = (): Promise<never> => {
      if (cancels) ended.abort();
      return Promise.reject(new Error('the call was aborted'));
    };
    // Its own signal, as a plan gives one: the tries are not over by themselves.
    const trying = runWithin({ signal: ended.signal }, () =>
      tryChecks({ scrapes: { keep: () => undefined, query } }, policy, nothingElse, { signal: new AbortController().signal }),
    );
    const outcome = await trying.catch((error: unknown) => String(error));
    expect(outcome).toEqual(cancels ? 'Error: the call was aborted' : [{ name: 'latency', kind: 'unseen', why: 'the call was aborted' }]);
  });
});

test('RA4: a run goes by the plan that was shown before its start, once, and only while it is fresh', () => {
  let nowMs = 0;
  const plans = createRecentPlans(() => nowMs);
  const result = { kind: 'plan', plan: { to: '1.33' } } as unknown as PlanResult;
  const question = { cluster: 'prod', target: '1.33', policy: { a: 1, b: undefined } };
  plans.keep(question, result);
  expect(plans.take({ ...question, target: '1.34' })).toBeUndefined();
  nowMs = 60_000;
  expect(plans.take({ target: '1.33', policy: { a: 1 }, cluster: 'prod' })).toBe(result);
  expect(plans.take(question)).toBeUndefined();
  plans.keep(question, result);
  nowMs += 3 * 60_000;
  expect(plans.take(question)).toBeUndefined();
});
