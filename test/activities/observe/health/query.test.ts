/** One look at a check: what answers it, what cannot be asked here, and a cancellation that is no answer. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import type { ScrapeAnswer } from '../../../../activities/contract/ports.ts';
import { alertsNow, look, type Metrics } from '../../../../activities/observe/health/query.ts';
import type { HealthCheck, Look } from '../../../../domain/health/checks.ts';
import type { ScrapeQuery } from '../../../../domain/health/metrics/scrapes.ts';
import { USUAL_CHECK } from '../../../../domain/policy/config/health/health-defaults.ts';

const USUAL: HealthCheck = { ...USUAL_CHECK, name: 'latency', failWhen: { kind: 'value', operator: '>', value: 1 }, guards: [] };
const SCRAPED: HealthCheck = { ...USUAL, scrape: { target: 'api-server', kind: 'readiness' } satisfies ScrapeQuery };
const QUERIED: HealthCheck = { ...USUAL, query: 'latency' };
const LAST = { labels: {}, value: 0.4 };

const scraping = (answer: ScrapeAnswer): Metrics => ({ scrapes: { keep: () => undefined, query: async () => answer } });
const prometheus = (query: () => Promise<(typeof LAST)[]>): Metrics => ({ prometheus: { query } });
const refused = () => Promise.reject(new Error('connection refused'));

describe('a look', () => {
  test.each<[what: string, Metrics, HealthCheck, Look]>([
    ['by Prometheus', prometheus(async () => [LAST]), QUERIED, { kind: 'value', value: 0.4 }],
    ['by a Prometheus without such a series', prometheus(async () => []), QUERIED, { kind: 'empty' }],
    ['by a Prometheus that does not answer', prometheus(refused), QUERIED, { kind: 'error', why: 'connection refused' }],
    ['without Prometheus', {}, QUERIED, { kind: 'error', why: 'no Prometheus is configured any more' }],
    ['at what asks for nothing', prometheus(async () => [LAST]), USUAL, { kind: 'error', why: 'no Prometheus is configured any more' }],
    ['by scrapes', scraping({ kind: 'samples', samples: [LAST] }), SCRAPED, { kind: 'value', value: 0.4 }],
    ['by scrapes of nothing', scraping({ kind: 'nothing', why: 'no pods of CoreDNS run' }), SCRAPED, { kind: 'empty' }],
    [
      'by scrapes that are denied',
      scraping({ kind: 'denied', why: 'Belay may not scrape' }),
      SCRAPED,
      { kind: 'error', why: 'Belay may not scrape' },
    ],
    ['without scrapes', prometheus(async () => [LAST]), SCRAPED, { kind: 'error', why: 'nothing can be scraped here' }],
  ])('%s', async (_what, metrics, check, seen) => {
    expect(await look(metrics, check)).toEqual(seen);
  });
});

describe('alerts', () => {
  const firing = prometheus(async () => [{ labels: { alertname: 'TargetDown' }, value: 1 }]);
  const alerts = [{ name: 'TargetDown', seriesCount: 1 }];

  test.each<[what: string, Metrics, Awaited<ReturnType<typeof alertsNow>>]>([
    ['without Prometheus are unknown', {}, { kind: 'unknown', why: 'no Prometheus is configured any more' }],
    ['without its answer are unknown', prometheus(refused), { kind: 'unknown', why: 'connection refused' }],
    ['without Alertmanager all count', firing, { kind: 'firing', alerts }],
    [
      'without its answer all count, and that is said',
      { ...firing, alertmanager: { alerts: refused } },
      { kind: 'firing', alerts, silencesUnseen: 'connection refused' },
    ],
    [
      'that are silenced stop nothing',
      { ...firing, alertmanager: { alerts: async () => [{ labels: { alertname: 'TargetDown' }, suppressed: true }] } },
      { kind: 'quiet' },
    ],
  ])('%s', async (_what, metrics, verdict) => {
    expect(await alertsNow(metrics, [])).toEqual(verdict);
  });
});

describe('an activity that is cancelled meanwhile', () => {
  const fires = prometheus(async () => [{ labels: { alertname: 'TargetDown' }, value: 1 }]);

  test.each<[what: string, (fail: () => Promise<never>) => Promise<unknown>]>([
    ['a look', (fail) => look(prometheus(fail), QUERIED)],
    ['alerts', (fail) => alertsNow(prometheus(fail), [])],
    ['silences', (fail) => alertsNow({ ...fires, alertmanager: { alerts: fail } }, [])],
  ])('%s: neither an error of the check nor unknown', async (_what, ask) => {
    const ended = new AbortController();
    const fail = (): Promise<never> => {
      ended.abort();
      return Promise.reject(new Error('the call was aborted'));
    };
    await expect(runWithin({ signal: ended.signal }, () => ask(fail))).rejects.toThrow('the call was aborted');
  });
});
