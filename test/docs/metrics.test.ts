/** docs/operate/metrics.md has every series of Belay's with its labels, and every alert with its severity; and no others. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { openMetrics } from '../../worker/telemetry/metrics/open.ts';
import { campaignSeries } from '../../worker/telemetry/metrics/campaign-series.ts';
import { credentialSeries } from '../../worker/telemetry/metrics/credential-series.ts';
import { guardSeries } from '../../worker/telemetry/metrics/guard-series.ts';
import { processSeries } from '../../worker/telemetry/metrics/process-series.ts';
import { createDirectoryStorage } from '../../activities/run/records/storage/directory.ts';
import { recordSeries } from '../../worker/telemetry/metrics/record-series.ts';
import { runSeries } from '../../worker/telemetry/metrics/run-series.ts';
import { supportSeries } from '../../worker/telemetry/metrics/support-series.ts';
import { rulesIn } from '../deploy/rules.ts';
import { parseConfig } from '../../worker/config/config.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/operate/metrics.md', import.meta.url)), 'utf8');
/** Cells of the tables' rows that begin with a name in code. */
const rows = page.split('\n').flatMap((line) => {
  const [, name, ...cells] = line.split('|').map((cell) => cell.trim());
  return name?.startsWith('`') === true ? [{ name: name.replaceAll('`', ''), cells }] : [];
});

test('series and labels', async () => {
  const registry = new Registry();
  processSeries(registry, { component: 'worker', polledAtS: () => undefined }).end();
  runSeries(registry, { environmentOf: () => undefined });
  guardSeries(registry, { environmentOf: () => undefined });
  campaignSeries(registry, { ringsOf: () => undefined });
  supportSeries(registry, { environmentOf: () => undefined });
  recordSeries(registry, createDirectoryStorage('nowhere'));
  credentialSeries(registry, () => ({ address: '' }));
  const ours = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('belay_'));
  const labels = ours.map(
    (metric) => `${metric.name}: ${'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.join(', ') : ''}`,
  );
  const documented = rows.filter(({ name }) => name.startsWith('belay_')).map(({ name, cells }) => `${name}: ${cells[0] ?? ''}`);
  expect(documented.toSorted()).toEqual([...labels, 'belay_sdk_metrics_up: '].toSorted());
});

test('belay_sdk_metrics_up says whether the SDK’s series are there', async () => {
  const metrics = await openMetrics({
    component: 'worker',
    config: parseConfig('clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\n', 'belay.yaml'),
    env: { BELAY_METRICS_ADDRESS: '127.0.0.1:0' },
    notReady: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
  });
  try {
    const text = await (await fetch(`http://127.0.0.1:${metrics?.port}/metrics`)).text();
    // No Runtime is installed here.
    expect(text).toMatch(/^belay_sdk_metrics_up 0$/m);
    expect(text).toMatch(/^belay_worker_polls_last_success_timestamp_seconds 0$/m);
  } finally {
    await metrics?.close();
  }
});

test('alerts and severities', () => {
  const documented = rows.filter(({ name }) => name.startsWith('Belay')).map(({ name, cells }) => `${name}: ${cells[0]}`);
  expect(documented.toSorted()).toEqual(
    rulesIn()
      .map(({ alert, labels }) => `${alert}: ${labels.severity}`)
      .toSorted(),
  );
});
