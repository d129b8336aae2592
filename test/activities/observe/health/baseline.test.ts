/** Tries before a plan: beside all else, and never for long. */
import { expect, test } from '@jest/globals';
import { tryChecks } from '../../../../activities/observe/health/baseline.ts';
import type { ScrapePort } from '../../../../activities/contract/ports.ts';
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
