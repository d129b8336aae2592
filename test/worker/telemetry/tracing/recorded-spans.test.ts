/** What a record becomes: one span each for the run, its steps and its gates, with nothing but the closed list of attributes. */
import { expect, test } from 'vitest';
import { recordedSpans } from '../../../../worker/telemetry/tracing/recorded-spans.ts';
import { REPORT, RUN } from './traced-run.ts';

const spans = recordedSpans(REPORT);
const told = spans.map(({ name, startMs, endMs, attributes: { step, attempt, result }, isFailed }) =>
  [name, new Date(startMs).toISOString(), new Date(endMs).toISOString(), step, attempt, result, isFailed].join(' '),
);

test('O28: run, steps and gates, each once, with their true times', () => {
  expect(told).toEqual([
    'Upgrade 2026-11-02T09:00:00.000Z 2026-11-05T12:00:00.000Z   completed false',
    'Step:pre-checks 2026-11-02T09:01:00.000Z 2026-11-02T09:09:00.000Z pre-checks@1.34 1 completed false',
    'Step:control-plane 2026-11-05T09:10:00.000Z 2026-11-05T09:50:00.000Z control-plane@1.34 1 completed false',
    // Tried twice; it had no end when the run ended.
    'Step:node-groups 2026-11-05T09:50:00.000Z 2026-11-05T12:00:00.000Z node-groups@1.34 2 failed true',
    'Gate:before 2026-11-02T09:10:00.000Z 2026-11-05T09:10:00.000Z control-plane@1.34  approve ',
    'Gate:failed 2026-11-05T10:00:00.000Z 2026-11-05T10:30:00.000Z node-groups@1.34  retry ',
    'Gate:blocked 2026-11-05T10:40:00.000Z 2026-11-05T10:50:00.000Z node-groups@1.34  withdrawn ',
    'Gate:before 2026-11-05T11:00:00.000Z 2026-11-05T11:30:00.000Z validation@1.34  expired ',
  ]);
});

test('O28: one tree: all are children of the run, which has no parent; a gate is linked with its step, if that has begun', () => {
  const [run, ...others] = spans;
  expect(run?.parentId).toBeUndefined();
  expect(new Set(others.map(({ parentId }) => parentId))).toEqual(new Set([run?.spanId]));
  const idOf = (name: string): string | undefined => spans.find((span) => span.name === name)?.spanId;
  expect(others.filter(({ name }) => name.startsWith('Gate:')).map(({ linkedIds }) => linkedIds)).toEqual([
    [idOf('Step:control-plane')],
    [idOf('Step:node-groups')],
    [idOf('Step:node-groups')],
    [],
  ]);
});

test('O28: ids are those of the run, wherever and how often they are asked for', () => {
  expect(recordedSpans(structuredClone(REPORT)).map(({ spanId }) => spanId)).toEqual(spans.map(({ spanId }) => spanId));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  for (const { traceId, spanId } of spans) {
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  }
  const other = recordedSpans({ ...REPORT, status: { ...REPORT.status, runId: 'another' } });
  expect(other.map(({ traceId }) => traceId)).not.toContain(spans[0]?.traceId);
  expect(other.map(({ spanId }) => spanId).filter((id) => spans.some((span) => span.spanId === id))).toEqual([]);
});

test('attributes are a closed list, and no text of the run is in it', () => {
  const names = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].toSorted()).toEqual(['account', 'attempt', 'cluster', 'phase', 'region', 'result', 'run', 'step']);
  expect(JSON.stringify(spans)).not.toMatch(/secret|ip-10|U1/);
  expect(spans[0]?.attributes).toEqual({
    account: '111122223333',
    region: 'eu-west-1',
    cluster: 'prod',
    run: RUN.runId,
    result: 'completed',
  });
});

test('what the record cannot say is left out, not made up', () => {
  const status = { ...REPORT.status, startedAt: 'yesterday', steps: REPORT.status.steps.map((step) => ({ ...step, id: 'dance@1.34' })) };
  expect(recordedSpans({ ...REPORT, status, decisions: [] })).toEqual([]);
});
