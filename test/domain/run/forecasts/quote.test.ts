/** What a plan says of a forecast: in a line, with what stands behind it. */
import { describe, expect, test } from 'vitest';
import type { QuotedForecast } from '../../../../domain/plan/forecast/quoted.ts';
import { forecastDetails, forecastLine } from '../../../../domain/run/forecasts/quoted-text.ts';
import type { Forecast } from '../../../../domain/plan/forecast/types.ts';
import { quoteForecast } from '../../../../domain/run/forecasts/quote.ts';
import { storedForecast } from '../../../../domain/run/forecasts/stored.ts';
import { count, forecast, LEDGER } from '../../../support/forecasts.ts';
import { plan, step } from '../../../support/plan.ts';

const NOW = '2026-09-08T09:05:00.000Z';
const MADE = forecast();
const STEPS = MADE.steps.map(({ id, phase }) => step(phase, { id: id as never }));
const OURS = { ...plan(), from: '1.33', to: '1.34', strategy: 'every-hop' as const, hash: MADE.planHash, steps: STEPS };

const quoted = (change: Partial<Forecast> = {}, of = OURS, now = NOW): QuotedForecast | undefined =>
  quoteForecast(storedForecast(forecast(change)), of, now);
const line = (...of: Parameters<typeof quoted>): string => {
  const found = quoted(...of);
  return found === undefined ? 'nothing' : forecastLine(found);
};

const PLAYED = '3 h 10 min (p90 4 h 5 min), 2 nodes will be blocked, 1 workload will be down for a while, 1 known limit';

describe('a forecast beside its plan', () => {
  test.each<[string, string, string]>([
    ['of this plan', line(), `simulated on a snapshot from 2 hours ago: ${PLAYED}`],
    [
      'of nothing that blocks',
      line({ blockers: [], downtimes: [], limits: [] }),
      'simulated on a snapshot from 2 hours ago: 3 h 10 min (p90 4 h 5 min), no node blocked',
    ],
    [
      'of a snapshot of eight days ago',
      line({}, OURS, '2026-09-16T09:00:00.000Z'),
      `simulated on an old snapshot, from 8 days ago: ${PLAYED}`,
    ],
    ['of exactly seven days', line({}, OURS, '2026-09-15T07:00:00.000Z'), `simulated on a snapshot from 7 days ago: ${PLAYED}`],
    ['by a clock that is behind', line({}, OURS, '2026-09-08T06:00:00.000Z'), `simulated on a snapshot from a moment ago: ${PLAYED}`],
    ['of another target', line({ to: '1.35' }), 'nothing'],
    ['that could not be read', forecastLine({ kind: 'unread', why: 'EACCES' }), 'could not read the forecast of this upgrade: EACCES'],
  ])('%s', (_what, said, expected) => {
    expect(said).toBe(expected);
  });

  test.each<[string, Partial<Forecast>, typeof OURS, string]>([
    ['from another version', { planHash: 'x', from: '1.32' }, OURS, 'from 1.32'],
    ['by another strategy', { planHash: 'x', strategy: 'once-at-the-end' }, OURS, 'strategy once-at-the-end'],
    ['at a pace', { planHash: 'x', pace: '20%' }, OURS, 'pace 20%'],
    ['with steps that are not planned', { planHash: 'x' }, { ...OURS, steps: STEPS.slice(1) }, 'with pre-checks@1.33'],
    ['without steps that are', { planHash: 'x', steps: MADE.steps.slice(2) }, OURS, 'without pre-checks@1.33, control-plane@1.33'],
    ['of the same steps', { planHash: 'x' }, OURS, 'other versions or nodes'],
  ])('of a plan %s says so', (_what, change, of, another) => {
    expect(quoted(change, of)?.another).toBe(another);
    expect(line(change, of)).toBe(`forecast for another plan (${another}), on a snapshot from 2 hours ago: ${PLAYED}`);
  });

  test('names who blocks and what is down, for how long', () => {
    const found = quoted();
    expect(found === undefined ? [] : forecastDetails(found)).toEqual([
      'Pod billing/ledger-0 of StatefulSet billing/ledger (billing) blocks ip-10-0-1-7: PodDisruptionBudget ledger allows no disruption',
      'Pod internal/license-server-7d9f of Deployment internal/license-server blocks ip-10-0-2-9: it is annotated with karpenter.sh/do-not-disrupt',
      'Deployment internal/license-server: without a ready pod for 2 min (p90 4 min)',
    ]);
  });

  test('says of nothing that it will happen which happens in fewer than half of the simulations', () => {
    const rare = <T extends object>(all: readonly T[]): T[] => all.map((each) => ({ ...each, share: 0.45 }));
    const found = quoted({ blockers: rare(MADE.blockers), downtimes: rare(MADE.downtimes) });
    expect(found).toMatchObject({ blockers: { count: 0, nodeCount: 0, pods: [] }, downtimes: { count: 0, workloads: [] } });
  });

  test('names the first fifty pods and twenty workloads, and counts all: it goes into a history', () => {
    const [blocker] = MADE.blockers;
    const [down] = MADE.downtimes;
    if (blocker === undefined || down === undefined) throw new Error('the forecast has both');
    const blockers = Array.from({ length: 700 }, (_, at) => ({
      ...blocker,
      pod: { namespace: 'billing', name: `ledger-${at}` },
      node: `n${at}`,
    }));
    const downtimes = Array.from({ length: 30 }, (_, at) => ({ ...down, workload: { ...LEDGER, name: `l-${at}` } }));
    const found = quoted({ blockers, downtimes, nodesReplaced: [{ owner: 'karpenter', name: 'general', count: count(700) }] });
    expect(found?.blockers).toMatchObject({ count: 700, nodeCount: 700 });
    const details = found === undefined ? [] : forecastDetails(found);
    expect(details).toHaveLength(50 + 1 + 20 + 1);
    expect(details[50]).toBe('650 more pods will block nodes');
    expect(details.at(-1)).toBe('10 more workloads will be down for a while');
    expect(JSON.stringify(found).length).toBeLessThan(16_000);
  });
});
