/** A run's record keeps what was foreseen of it beside what happened. */
import { expect, test } from 'vitest';
import { createRecordActivities } from '../../../../activities/run/records/records.ts';
import type { RecordStore } from '../../../../activities/contract/records.ts';
import { comparedIn } from '../../../../domain/run/forecasts/compare.ts';
import { quoteForecast } from '../../../../domain/run/forecasts/quote.ts';
import { storedForecast } from '../../../../domain/run/forecasts/stored.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { forecast as made } from '../../../support/forecasts.ts';
import { plan } from '../../../support/plan.ts';
import { decided, status } from '../../../slack/fixtures.ts';

const report = {
  status: status({ endedAt: '2026-03-03T16:00:00Z' }),
  outcome: 'completed' as const,
  decisions: [decided()],
  leftBehind: [],
};

async function written(change: { forecast?: ReturnType<typeof quoteForecast>; plan?: ReturnType<typeof plan> }): Promise<unknown> {
  let json: unknown;
  const write: RecordStore['write'] = async (_name, text) => {
    json = JSON.parse(text);
    return { location: '/records/one.json' };
  };
  await createRecordActivities({ store: { write } as RecordStore }).writeRecord({ cluster: CLUSTER, report, ...change });
  return json;
}

test('compared, where a forecast was made of a plan', async () => {
  const stored = storedForecast(made({ from: '1.31', to: '1.32' }));
  const forecast = quoteForecast(stored, plan(), '2026-09-08T09:05:00.000Z');
  const record = await written({ forecast, plan: plan() });
  expect(comparedIn(record)).toMatchObject({
    another: 'with pre-checks@1.33, control-plane@1.33 and 4 more',
    total: { forecast: stored.total },
    blocked: { foreseen: [], notBlocked: ['billing/ledger-0', 'internal/license-server-7d9f'] },
  });
  expect(record).not.toHaveProperty('blockers');
  expect(await written({ plan: plan() })).not.toHaveProperty('forecast');
  expect(await written({ forecast })).not.toHaveProperty('forecast');
});
