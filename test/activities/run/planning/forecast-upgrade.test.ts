/** The forecast that is asked for in Slack: kept, attached and told in short; what fails beside it is said. */
import { describe, expect, test } from 'vitest';
import type { Forecaster } from '../../../../activities/contract/forecast.ts';
import { createForecastActivities, type ForecastDeps } from '../../../../activities/run/planning/forecast-upgrade.ts';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { storedForecast } from '../../../../domain/run/forecasts/stored.ts';
import { summarizeForecast } from '../../../../domain/run/forecasts/summary.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { count, forecast as made } from '../../../support/forecasts.ts';

const MADE = made();
const THREAD = { channel: 'C0UPGRADES', ts: '1.0' };

async function run(change: Partial<ForecastDeps> & { thread?: typeof THREAD } = {}) {
  const { thread = THREAD, ...deps } = change;
  const [kept, attached, beats]: [unknown[], unknown[], unknown[]] = [[], [], []];
  const forecaster: Forecaster = {
    forecast: async (_cluster, { onProgress }) => {
      onProgress('playing the upgrade of prod, 3 of 20');
      return { kind: 'made', forecast: MADE };
    },
  };
  const activities = createForecastActivities({
    forecaster,
    store: {
      read: async () => undefined,
      write: async (_name, json) => {
        kept.push(JSON.parse(json));
        return { location: '/records/forecast.json' };
      },
    },
    renderForecast: ({ planHash }) => `<html>${planHash}</html>`,
    notifier: { attach: async (attachment) => void attached.push(attachment) },
    ...deps,
  });
  const input = { cluster: CLUSTER, target: '1.34', strategy: 'every-hop' as const, policy: policy(), thread };
  const result = await runWithin({ beat: (details) => beats.push(details) }, () => activities.forecastUpgrade(input));
  return { result, kept, attached, beats };
}

describe('a forecast that was asked for in Slack', () => {
  test('is kept beside the records and attached as a page; the result is the short form', async () => {
    const { result, kept, attached, beats } = await run();
    expect(result).toEqual({ kind: 'made', summary: summarizeForecast(MADE) });
    expect(kept).toEqual([storedForecast(MADE)]);
    expect(attached).toEqual([
      {
        thread: THREAD,
        fileName: 'prod-1.34-forecast.html',
        title: 'Forecast of prod, 1.33 → 1.34',
        content: `<html>${MADE.planHash}</html>`,
      },
    ]);
    expect(beats).toEqual([
      { kind: 'working', doing: 'taking a snapshot of prod' },
      { kind: 'working', doing: 'playing the upgrade of prod, 3 of 20' },
    ]);
  });

  test('of a plan that breaks rules keeps and attaches nothing', async () => {
    const refused = { kind: 'refused' as const, violations: [{ rule: 'r', message: 'm', remedy: 'x' }] };
    const { result, kept, attached } = await run({ forecaster: { forecast: async () => refused } });
    expect(result).toEqual(refused);
    expect([kept, attached]).toEqual([[], []]);
  });

  test('says what could not be kept or attached', async () => {
    const { result } = await run({
      store: { read: async () => undefined, write: () => Promise.reject(new Error('EROFS')) },
      notifier: { attach: () => Promise.reject(new Error('Slack answered file_uploads_disabled')) },
    });
    expect(result).toMatchObject({ kind: 'made', notKept: 'EROFS', notAttached: 'Slack answered file_uploads_disabled' });
  });

  test('is short, however much it says', () => {
    const [blocker] = MADE.blockers;
    const [down] = MADE.downtimes;
    const [gate] = MADE.gates;
    if (blocker === undefined || down === undefined || gate === undefined) throw new Error('the forecast has all of them');
    const times = <T>(n: number, each: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => each(at));
    const long = 'x'.repeat(2_000);
    const summary = summarizeForecast(
      made({
        blockers: times(900, (at) => ({ ...blocker, node: `n${at}`, budgets: times(40, (n) => `b${n}`) })),
        downtimes: times(300, () => down),
        gates: times(40, () => ({ ...gate, title: long })),
        limits: times(60, () => long),
        nodesReplaced: times(200, (at) => ({ owner: 'karpenter' as const, name: `pool-${at}`, count: count(5) })),
      }),
    );
    expect(JSON.stringify(summary).length).toBeLessThan(16_000);
    expect(summary).toMatchObject({
      blockers: { count: 900, nodeCount: 900 },
      downtimes: { count: 300 },
      nodes: { count: 200, replaced: { p50: 1_000, p90: 1_000 } },
      limits: { count: 60 },
      calibration: { snapshot: 1, reports: 1 },
    });
  });
});
