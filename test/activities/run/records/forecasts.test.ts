/** The newest forecast of a cluster is kept beside its records, and is none of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordStore } from '../../../../activities/contract/records.ts';
import { readForecast, saveForecast } from '../../../../activities/run/records/forecasts.ts';
import { createRecordStore } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { NAMED_AT_MOST, parseStoredForecast, storedForecast } from '../../../../domain/run/forecasts/stored.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { forecast } from '../../../support/forecasts.ts';

let directory: string;
let store: RecordStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-forecasts-'));
  store = createRecordStore(createDirectoryStorage(directory).texts);
});
afterEach(() => rmSync(directory, { recursive: true }));

test('is read as it was written, of this cluster alone, and is no record of a run', async () => {
  const stored = storedForecast(forecast());
  expect(await readForecast(store, CLUSTER)).toBeUndefined();
  const saved = await saveForecast(store, stored);
  expect(saved).toEqual({ location: join(directory, 'forecast_111122223333_eu-central-1_prod.json') });
  expect(await readForecast(store, { ...CLUSTER, identity: 'another moment' })).toEqual(stored);
  expect(await readForecast(store, { ...CLUSTER, name: 'prod2' })).toBeUndefined();
  expect(await store.newest(10)).toEqual([]);
  expect(await store.upgradesOf(CLUSTER)).toEqual([]);
});

test('the newest wins, whoever writes last', async () => {
  const at = (madeAt: string) => storedForecast(forecast({ madeAt }));
  await saveForecast(store, at('2026-09-08T09:00:00.000Z'));
  expect(await saveForecast(store, at('2026-09-08T08:00:00.000Z'))).toBe('kept');
  expect(await readForecast(store, CLUSTER)).toEqual(at('2026-09-08T09:00:00.000Z'));
  await saveForecast(store, at('2026-09-08T10:00:00.000Z'));
  expect(await readForecast(store, CLUSTER)).toEqual(at('2026-09-08T10:00:00.000Z'));
});

test('names are bounded, counts are whole', () => {
  const [blocker] = forecast().blockers;
  if (blocker === undefined) throw new Error('the forecast of the tests has a blocker');
  const blockers = Array.from({ length: NAMED_AT_MOST + 7 }, (_, at) => ({ ...blocker, node: `node-${at % 9}` }));
  const stored = storedForecast(forecast({ blockers }));
  expect([stored.blockers.count, stored.blockers.nodes, stored.blockers.pods.length]).toEqual([NAMED_AT_MOST + 7, 9, NAMED_AT_MOST]);
  expect(stored.nodesReplaced).toEqual({ p50: 45, p90: 47 });
});

test.each<[string, unknown]>([
  ['of a newer Belay', { ...storedForecast(forecast()), format: 2 }],
  ['without its plan', { ...storedForecast(forecast()), planHash: undefined }],
  ['that is a record', { report: {}, plan: {} }],
  ['that is no JSON', undefined],
])('a text %s is no forecast', (_what, json) => {
  expect(parseStoredForecast(json)).toBeUndefined();
});
