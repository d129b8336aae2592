/** O29: nothing of tracing is in a workflow, so histories replay whether traces are sent or not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { type OpenTracing, openTracing } from '../../worker/telemetry/tracing/open.ts';
import { workflowBundle } from '../support/temporal.ts';
import { type Collector, startCollector } from '../worker/telemetry/tracing/otlp-stand-in.ts';
import { historyOf, readStory, thisRelease } from './fixtures.ts';

const BEFORE = { ...process.env };
let bundle: WorkflowBundleWithSourceMap;
let collector: Collector;
let tracing: OpenTracing;
beforeAll(async () => {
  collector = await startCollector();
  process.env = { ...BEFORE, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  tracing = await openTracing({ component: 'worker', env: process.env, log: { info: () => undefined, warn: () => undefined } });
  bundle = await workflowBundle();
});
afterAll(async () => {
  await tracing.close();
  await collector.close();
  process.env = BEFORE;
});

test('O29: the bundle has no opentelemetry, and none of Belay’s tracing', () => {
  expect(bundle.code.includes('upgradeCluster')).toBe(true);
  // By where the checkout lies, webpack names its files from here or from elsewhere.
  const sources = [...bundle.code.matchAll(/"(\.\.?\/[^"\n]*?\.(?:[cm]?js|ts))"/g)].map(([, file = '']) => file);
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => /opentelemetry|worker\/tracing|trace-id|dropped-spans|recorded-run/.test(file))).toEqual([]);
  expect(bundle.code).not.toContain('@opentelemetry/');
});

/** Those whose order is changed soonest by a turn more or less: four of them did not survive an interceptor in the sandbox. */
test.each(['auto-mode-back-cancelled', 'freeze-reverted', 'karpenter-migrated', 'wave-moved-back'])(
  'O29: %s replays while traces are sent, and the replay tells nothing',
  async (story) => {
    const histories = readStory(thisRelease(), story).map((one) => ({ workflowId: one.workflowId, history: historyOf(one) }));
    const failed: unknown[] = [];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle: bundle }, histories))
      if (error !== undefined) failed.push(error);
    expect(failed).toEqual([]);
    expect(collector.requests).toEqual([]);
  },
);
