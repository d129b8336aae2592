/** Traces as a collector gets them; and one that is away, slow or refuses costs spans, which are counted, and nothing else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkflowStartInput } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { Registry } from 'prom-client';
import { createRecordActivities, createRecordStore } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { processSeries, type ProcessSeries } from '../../../../worker/telemetry/metrics/process-series.ts';
import { type OpenTracing, openTracing } from '../../../../worker/telemetry/tracing/open.ts';
import { recordedSpans } from '../../../../worker/telemetry/tracing/recorded-spans.ts';
import { type Collector, startCollector } from './otlp-stand-in.ts';
import { performed, REPORT, RUN } from './traced-run.ts';
import { eventually } from '../../../support/eventually.ts';

const BEFORE = { ...process.env };
let collector: Collector;
let directory: string;
let registry: Registry;
let series: ProcessSeries;
let said: string[];
let open: OpenTracing[];
beforeEach(async () => {
  collector = await startCollector();
  directory = mkdtempSync(join(tmpdir(), 'belay-traces-'));
  registry = new Registry();
  series = processSeries(registry, { component: 'worker', polledAtS: () => undefined });
  said = [];
  open = [];
});
afterEach(async () => {
  // What is under way ends at once, and is not tried again.
  collector.trouble = 400;
  collector.refuseHeld();
  for (const each of open) await each.close();
  series.end();
  process.env = { ...BEFORE };
  rmSync(directory, { recursive: true, force: true });
  await collector.close();
});

/** A process with these variables; the library reads them from its environment. */
async function tracing(env: Record<string, string> = {}, component: 'worker' | 'slack' = 'worker'): Promise<OpenTracing> {
  process.env = {
    ...BEFORE,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_BSP_SCHEDULE_DELAY: '5',
    ...env,
  };
  const log = { info: () => undefined, warn: (message: string) => void said.push(message) };
  const opened = await openTracing({ component, env: process.env, log });
  open.push(opened);
  return opened;
}

async function dropped(): Promise<number> {
  const { values } = (await registry.getSingleMetric('belay_trace_spans_dropped_total')?.get()) ?? { values: [] };
  return values[0]?.value ?? NaN;
}

const recorder = () => createRecordActivities({ store: createRecordStore(createDirectoryStorage(directory).texts) });
const RECORD = { cluster: REPORT.status.cluster, report: REPORT, plan: undefined } as unknown as Parameters<
  ReturnType<typeof recorder>['writeRecord']
>[0];

const spanIds = (name: RegExp): string[] => collector.spans.filter((span) => name.test(span.name)).map(({ spanId }) => spanId);
const expected = recordedSpans(REPORT);

test('O28: a run has one trace of both workers; its record is told once, though writing it was tried again by a second one', async () => {
  const first = await tracing();
  await performed(first, async () => 'one');
  await recorder().writeRecord(RECORD);
  // The worker ends before Temporal hears that the record is written.
  await first.close();
  const second = await tracing();
  await performed(second, async () => 'two', { attempt: 2 });
  await recorder().writeRecord(RECORD);
  await second.close();
  expect(collector.spans).toHaveLength(expected.length + 2);
  expect(spanIds(/^(Upgrade|Step:|Gate:)/).toSorted()).toEqual(expected.map(({ spanId }) => spanId ?? '').toSorted());
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([expected[0]?.traceId]));
  const activities = collector.spans.filter(({ name }) => name === 'RunActivity:watchUpdate');
  expect(activities.map(({ parentSpanId }) => parentSpanId)).toEqual(Array(2).fill(spanIds(/^Step:control-plane$/)[0]));
  expect(activities.map(({ attributes }) => attributes)).toEqual(
    [1, 2].map((attempt) => ({
      'belay.account': '111122223333',
      'belay.region': 'eu-west-1',
      'belay.cluster': 'prod',
      'belay.run': RUN.runId,
      'belay.step': 'control-plane@1.34',
      'belay.phase': 'control-plane',
      'belay.attempt': attempt,
      'belay.result': 'ok',
    })),
  );
});

test('O28: of two workers that write a record at the same time one tells it', async () => {
  const { close } = await tracing();
  await Promise.all([recorder().writeRecord(RECORD), recorder().writeRecord(RECORD)]);
  await close();
  expect(spanIds(/^Upgrade$/)).toHaveLength(1);
});

test('a gate of three days is a span with its own times, linked with its step', async () => {
  const { close } = await tracing();
  await recorder().writeRecord(RECORD);
  await close();
  const gate = collector.spans.find(({ attributes }) => attributes['belay.result'] === 'approve');
  expect(gate).toMatchObject({
    name: 'Gate:before',
    parentSpanId: spanIds(/^Upgrade$/)[0],
    links: spanIds(/^Step:control-plane$/),
    startTimeUnixNano: `${Date.parse('2026-11-02T09:10:00Z')}000000`,
    endTimeUnixNano: `${Date.parse('2026-11-05T09:10:00Z')}000000`,
  });
  expect(JSON.stringify(collector.spans)).not.toMatch(/secret|ip-10/);
});

test.each([
  ['away', async () => await collector.close()],
  ['refusing', async () => void (collector.trouble = 401)],
  ['overloaded', async () => void (collector.trouble = 503)],
  ['slow', async () => void (collector.trouble = 'slow')],
])('O27: a collector that is %s leaves an activity’s result alone; its spans are counted, and it is said once', async (_how, begin) => {
  await begin();
  const traced = await tracing();
  expect(await performed(traced, async () => 'done')).toBe('done');
  const failure = failureOf('Throttled', 'reading node ip-10-0-0-1: too many requests');
  await expect(performed(traced, () => Promise.reject(failure))).rejects.toBe(failure);
  expect((await recorder().writeRecord(RECORD)).location).toContain(directory);
  await eventually('all spans are counted', async () => (await dropped()) === 2 + expected.length);
  expect(await performed(traced, async () => 'again')).toBe('again');
  await eventually('the next one, too', async () => (await dropped()) === 3 + expected.length);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(`traces do not reach ${collector.url}, and spans are dropped until they do: `);
  expect(said[0]).not.toContain('what you sent');
});

test('O27: activities do not wait for a collector that does not answer; what finds no room is dropped at once', async () => {
  collector.trouble = 'slow';
  const traced = await tracing({ OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '30000' });
  for (let index = 0; index < 25; index += 1) expect(await performed(traced, async () => index)).toBe(index);
  expect(await dropped()).toBe(15);
  expect(said).toEqual([`traces do not reach ${collector.url}, and spans are dropped until they do: 10 spans are waiting already`]);
});

test('O27: a collector that is back gets what comes then', async () => {
  collector.trouble = 500;
  const traced = await tracing();
  await performed(traced, async () => 'lost');
  await eventually('a drop', async () => (await dropped()) === 1);
  collector.trouble = undefined;
  await performed(traced, async () => 'told');
  await eventually('a span', () => collector.spans.length === 1);
  expect(await dropped()).toBe(1);
});

test('how an activity ended, without its message; one of no run has no span', async () => {
  const { close, ...traced } = await tracing();
  const thrown = [failureOf('AccessDenied', 'reading the secret'), new CancelledFailure('enough'), new Error('the secret')];
  for (const error of thrown) await expect(performed(traced, () => Promise.reject(error), { step: '' })).rejects.toBe(error);
  const ofNoRun = traced.activities[0]?.({ info: { activityType: 'inspect', attempt: 1 } } as never);
  await ofNoRun?.inbound?.execute?.({ args: [], headers: {} }, async () => 'of a plan');
  await close();
  const ended = collector.spans.map(({ attributes, status }) => [attributes['belay.result'], status.code, status.message]);
  // https://opentelemetry.io/docs/specs/otel/trace/api/#set-status: 0 unset, 2 error
  expect(ended).toEqual([
    ['AccessDenied', 2, undefined],
    ['Cancelled', 0, undefined],
    ['Unknown', 2, undefined],
  ]);
  expect(new Set(collector.spans.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([expected[0]?.spanId]));
  expect(JSON.stringify(collector.spans)).not.toContain('secret');
});

test('a step that somebody has named is cut out, and a long value is cut', async () => {
  const { close, ...traced } = await tracing();
  await performed(traced, async () => 'done', { step: 'control-plane@<script>', run: 'x'.repeat(999) });
  await close();
  expect(collector.spans[0]?.attributes).toEqual({
    'belay.account': '111122223333',
    'belay.region': 'eu-west-1',
    'belay.cluster': 'prod',
    'belay.run': 'x'.repeat(255),
    'belay.attempt': 1,
    'belay.result': 'ok',
  });
});

const startOf = (workflowId: string): WorkflowStartInput =>
  ({ workflowType: 'upgradeCluster', headers: {}, options: { workflowId, taskQueue: 'belay' } }) as unknown as WorkflowStartInput;

test('the Slack process tells the start of an upgrade in the run’s own trace, and no other start', async () => {
  const { starts, close } = await tracing({}, 'slack');
  const answer = { runId: RUN.runId, eagerlyStarted: false };
  for (const workflowId of [RUN.workflowId, 'eks-plan/111122223333/eu-west-1/prod', 'belay-request/1'])
    expect(await starts[0]?.startWithDetails?.(startOf(workflowId), async () => answer)).toBe(answer);
  const refused = new Error('already running');
  await expect(starts[0]?.startWithDetails?.(startOf(RUN.workflowId), () => Promise.reject(refused))).rejects.toBe(refused);
  await close();
  expect(collector.spans).toEqual([
    expect.objectContaining({ name: 'StartWorkflow:upgradeCluster', traceId: expected[0]?.traceId, parentSpanId: expected[0]?.spanId }),
  ]);
  expect(collector.spans[0]?.resource['service.name']).toBe('belay-slack');
});

test('OpenTelemetry’s own variables: name, resource, headers, sampler', async () => {
  const named = await tracing({
    OTEL_SERVICE_NAME: 'upgrades',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
  });
  await performed(named, async () => 'done');
  await named.close();
  expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'upgrades', 'deployment.environment.name': 'prod' });
  expect(collector.requests).toEqual([{ path: '/v1/traces', type: 'application/json', authorization: 'Bearer abc' }]);
});

test.each(['traceidratio', 'parentbased_traceidratio'])('%s: a run is traced whole or not at all', async (sampler) => {
  const traced = await tracing({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.5' });
  for (let run = 0; run < 40; run += 1)
    for (let index = 0; index < 3; index += 1) await performed(traced, async () => 'done', { run: `run-${run}` });
  await traced.close();
  const counts = new Map<unknown, number>();
  for (const { attributes } of collector.spans) counts.set(attributes['belay.run'], (counts.get(attributes['belay.run']) ?? 0) + 1);
  expect(new Set(counts.values())).toEqual(new Set([3]));
  expect(counts.size).toBeGreaterThan(5);
  expect(counts.size).toBeLessThan(35);
  expect(await dropped()).toBe(0);
});
