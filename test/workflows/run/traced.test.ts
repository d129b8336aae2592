/** O28: a whole run on two workers, one after the other, as a collector sees it. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { createRecordActivities, createRecordStore } from '../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../activities/run/records/storage/directory.ts';
import { traceIdOf } from '../../../domain/core/trace-id.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { sealResultsInterceptor } from '../../../worker/crypto/codec/seal-results.ts';
import { openTracing } from '../../../worker/telemetry/tracing/open.ts';
import { recordedSpans } from '../../../worker/telemetry/tracing/recorded-spans.ts';
import { fakeActivities, withChange } from '../../support/fake-activities.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { approveAll, startUpgrade } from '../../support/upgrade.ts';
import { type Collector, startCollector } from '../../worker/telemetry/tracing/otlp-stand-in.ts';

const BEFORE = { ...process.env };
let env: TestWorkflowEnvironment;
let collector: Collector;
let directory: string;
beforeAll(async () => {
  env = await startTemporal();
  collector = await startCollector();
  directory = mkdtempSync(join(tmpdir(), 'belay-traced-'));
});
afterAll(async () => {
  process.env = BEFORE;
  rmSync(directory, { recursive: true, force: true });
  await collector.close();
  await env.teardown();
});

/** A worker that sends traces under its own name; returns how to end it. */
async function tracedWorker(name: string, activities: BelayActivities, taskQueue: string): Promise<() => Promise<void>> {
  process.env = { ...BEFORE, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: name };
  const tracing = await openTracing({ component: 'worker', env: process.env, log: { info: () => undefined, warn: () => undefined } });
  const interceptors = { activity: [...tracing.activities, sealResultsInterceptor] };
  const worker = await startWorker(env, activities, taskQueue, { interceptors });
  const ended = worker.run();
  return async () => {
    worker.shutdown();
    await ended;
    await tracing.close();
  };
}

test('O28: a run that a second worker takes over at a gate is one tree: nothing is doubled, and every parent is there', async () => {
  const fake = fakeActivities();
  const store = createRecordStore(createDirectoryStorage(directory).texts);
  const activities = withChange(fake, createRecordActivities({ store }));
  const taskQueue = `belay-${randomUUID()}`;
  const ends: (() => Promise<void>)[] = [];
  const end = async (): Promise<void> => {
    for (const each of ends.splice(0)) await each();
  };
  const run = await startUpgrade(env, taskQueue);
  const { runId } = await run.handle.describe();
  const isHere = (gate: { id: string }): boolean => gate.id.startsWith('before:control-plane@');
  try {
    ends.push(await tracedWorker('first', activities, taskQueue));
    await run.until(
      ({ gates }) => gates.some(isHere),
      (gate, seen) => (isHere(gate) ? undefined : approveAll(gate, seen)),
    );
    await end();
    // It knows nothing of the run, and replays it.
    ends.push(await tracedWorker('second', activities, taskQueue));
    expect((await run.finish()).outcome).toBe('completed');
  } finally {
    // Spans are sent when a worker has ended; one that is left would keep jest from ending.
    await end();
  }

  const [record = ''] = readdirSync(directory).filter((file) => file.endsWith('.json'));
  const { report } = JSON.parse(readFileSync(join(directory, record), 'utf8')) as { report: UpgradeReport };
  const ids = collector.spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(
    new Set([traceIdOf({ workflowId: run.workflowId, firstRunId: runId })]),
  );
  const told = collector.spans.filter(({ name }) => /^(Upgrade|Step:|Gate:)/.test(name));
  expect(told.map(({ spanId }) => spanId).toSorted()).toEqual(
    recordedSpans(report)
      .map(({ spanId }) => spanId ?? '')
      .toSorted(),
  );
  expect(told.map(({ name }) => name)).toEqual(expect.arrayContaining(['Upgrade', 'Step:control-plane', 'Gate:before', 'Step:validation']));
  const orphans = collector.spans.filter(({ parentSpanId = '', name }) => name !== 'Upgrade' && !ids.includes(parentSpanId));
  expect(orphans.map(({ name, attributes }) => [name, attributes])).toEqual([]);
  for (const worker of ['first', 'second'])
    expect(
      collector.spans.filter(({ resource, name }) => resource['service.name'] === worker && name.startsWith('RunActivity:')),
    ).not.toEqual([]);
});
