/** CloudWatch through the SDK: the twin's wire, and answers that are not whole. */
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { openCloudWatch } from '../../../../activities/clients/aws/account/cloudwatch.ts';
import { createCloudWatchPort } from '../../../../activities/clients/metrics/cloudwatch.ts';
import { tryChecks } from '../../../../activities/observe/health/baseline.ts';
import { failureType } from '../../../../activities/runtime/translate-errors.ts';
import type { CloudWatchQuery } from '../../../../domain/health/metrics/cloudwatch.ts';
import { healthOf } from '../../../../domain/policy/config/health/health.ts';
import { close, listen } from '../../../../rehearsal/world/core/loopback.ts';
import { LOAD_BALANCER } from '../../../../rehearsal/aws/metrics/cloudwatch.ts';
import { openTwin } from '../../../rehearsal/support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one();
});

function portAt(endpoint: string) {
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'test' };
  const client = openCloudWatch({ endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 });
  closing.push(() => client.destroy());
  return createCloudWatchPort(async () => client);
}

async function twin(scenario = 'cloudwatch-only') {
  const opened = await openTwin(scenario);
  closing.push(() => opened.close());
  return portAt(opened.aws.url);
}

/** Answers each request with the next of the bodies; keeps what was asked. */
async function answering(...answers: { status?: number; body: unknown; date?: string }[]) {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const { status = 200, body, date } = answers[Math.min(asked.length, answers.length - 1)] ?? { body: {} };
      asked.push(JSON.parse(text) as Record<string, unknown>);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...(date === undefined ? {} : { date }) });
      response.end(JSON.stringify(body));
    });
  });
  const port = portAt(`http://127.0.0.1:${await listen(server)}`);
  closing.push(() => close(server));
  return { port, asked };
}

const metric = (name: string, dimensions: Record<string, string>, namespace = 'AWS/EKS') => ({
  namespace,
  metric: name,
  dimensions,
  stat: 'Sum',
});
const OWN = { ClusterName: 'cloudwatch-only' };
const one = (name: string, dimensions: Record<string, string> = OWN): CloudWatchQuery => ({
  periodMs: 60_000,
  metrics: { m: metric(name, dimensions) },
});
const elb = (name: string) => metric(name, { LoadBalancer: LOAD_BALANCER }, 'AWS/ApplicationELB');

describe("the twin's CloudWatch", () => {
  test('metrics of EKS by all of their dimensions', async () => {
    const port = await twin();
    expect(await port.query(one('apiserver_request_total'))).toEqual([{ labels: { label: 'apiserver_request_total' }, value: 82 * 60 }]);
    expect(await port.query(one('scheduler_pending_pods'))).toMatchObject([{ value: 0 }]);
    expect(await port.query(one('apiserver_request_total', {}))).toEqual([]);
    expect(await port.query(one('apiserver_request_total', { ...OWN, More: 'x' }))).toEqual([]);
    expect(await port.query(one('no_such_metric'))).toEqual([]);
  });

  test('an expression, with what is sent only now and then', async () => {
    const port = await twin();
    const metrics = { errors: elb('HTTPCode_Target_5XX_Count'), requests: elb('RequestCount') };
    const of = (expression: string) => port.query({ periodMs: 60_000, expression, metrics });
    expect(await of('errors / requests')).toEqual([]);
    expect(await of('FILL(errors, 0) / requests')).toMatchObject([{ value: 0 }]);
    expect(await of('(requests + 60) * 2 - 10')).toMatchObject([{ value: 12_110 }]);
    await expect(of('errors / nothing')).rejects.toThrow("Error in expression 'errors / nothing'");
  });

  test('tried before the upgrade: blind is not live, and the usual ones are not its own', async () => {
    const check = (name: string, dimensions = {}) => ({
      cloudWatch: metric(name, dimensions),
      failWhen: { operator: '>' as const, value: 1 },
    });
    const { policy } = healthOf(
      [{ scrape: false, checks: { waiting: check('scheduler_pending_pods', OWN), blind: check('scheduler_pending_pods') } }],
      false,
    );
    expect(await tryChecks({ cloudWatch: await twin() }, policy, {})).toEqual([
      { name: 'waiting', kind: 'live', baseline: 0 },
      { name: 'blind', kind: 'blind', hint: 'AWS/EKS scheduler_pending_pods has the dimension ClusterName: add it.' },
    ]);
    expect(await tryChecks({}, policy, {})).toMatchObject([{ kind: 'unseen' }, { kind: 'unseen' }]);
  });
});

describe('what is not whole is no answer', () => {
  const result = (StatusCode: string, more: Record<string, unknown> = {}) => ({
    body: { MetricDataResults: [{ Id: 'm', Label: 'x', Timestamps: [], Values: [], StatusCode, ...more }] },
  });
  test.each([
    ['InternalError', [{ Code: 'Late', Value: 'try again' }], 'Unavailable', 'InternalError, Late: try again'],
    ['PartialData', [], 'Unavailable', 'apiserver_request_total: PartialData'],
    ['Forbidden', [{ Value: 'not yours' }], 'AccessDenied', 'Forbidden, not yours; allow cloudwatch:GetMetricData'],
  ])('%s', async (status, Messages, type, text) => {
    const { port } = await answering(result(status, { Messages }));
    const error: unknown = await port.query(one('apiserver_request_total')).catch((thrown: unknown) => thrown);
    expect([failureType(error), String(error)]).toEqual([type, expect.stringContaining(text)]);
  });

  test('a refusal names the right that is missing', async () => {
    const { port } = await answering({
      status: 400,
      body: { __type: 'AccessDeniedException', message: 'User: x is not authorized to perform: cloudwatch:GetMetricData' },
    });
    const error: unknown = await port.query(one('x')).catch((thrown: unknown) => thrown);
    expect([failureType(error), String(error)]).toEqual(['AccessDenied', expect.stringContaining('cloudwatch:GetMetricData')]);
  });

  test('pages are put together; the last one says whether all is there', async () => {
    const minute = Math.floor(Date.now() / 60_000) * 60 - 120;
    const { port, asked } = await answering(
      { body: { ...result('PartialData', { Timestamps: [minute - 60], Values: [1] }).body, NextToken: 'more' } },
      result('Complete', { Timestamps: [minute], Values: [7] }),
    );
    expect(await port.query(one('x'))).toEqual([{ labels: { label: 'x' }, value: 7 }]);
    expect(asked.map(({ NextToken }) => NextToken)).toEqual([undefined, 'more']);
  });

  test("a clock that is off asks again, for the minutes of CloudWatch's own", async () => {
    const server = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
    const body = { MetricDataResults: [] };
    const { port, asked } = await answering({ body, date: server.toUTCString() });
    await port.query(one('x'));
    await port.query(one('x'));
    // Twice at first; the second look knows.
    expect(asked).toHaveLength(3);
    expect(asked.slice(1).every(({ EndTime }) => Math.abs(Number(EndTime) * 1000 - server.getTime()) < 120_000)).toBe(true);
  });
});
