/** Calls to services outside are counted where they are sent, each by how it ended. */
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DescribeClusterCommand } from '@aws-sdk/client-eks';
import { Registry } from 'prom-client';
import { createAwsClients } from '../../../../activities/clients/aws/clients.ts';
import { httpGetter } from '../../../../activities/clients/metrics/http.ts';
import { counted } from '../../../../activities/runtime/external-calls.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { Journal } from '../../../../rehearsal/world/journal.ts';
import { startSlackServer } from '../../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';
import { createSlackWeb } from '../../../../slack/api/web-client.ts';
import { processSeries, type ProcessSeries } from '../../../../worker/telemetry/metrics/process-series.ts';

const ENV = ['AWS_ENDPOINT_URL_EKS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
const before = ENV.map((name) => process.env[name]);

let registry: Registry;
let series: ProcessSeries;
let server: Server;
let answers: { status: number; headers?: Record<string, string>; body?: string }[];
let url: string;

beforeEach(async () => {
  registry = new Registry();
  series = processSeries(registry, { component: 'worker', polledAtS: () => undefined });
  answers = [];
  server = createServer((_request, response) => {
    const { status, headers, body = '{}' } = answers.shift() ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterEach(async () => {
  series.end();
  ENV.forEach((name, index) => {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  });
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

const calls = async (): Promise<string[]> =>
  (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('belay_external_calls_total{'))
    .toSorted();

test('AWS: each attempt counts, so that throttling shows although the SDK tries again', async () => {
  Object.assign(process.env, { AWS_ENDPOINT_URL_EKS: url, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
  const throttled = { status: 429, headers: { 'x-amzn-errortype': 'ThrottlingException' } };
  answers = [throttled, throttled, { status: 200, body: '{"cluster":{"name":"prod"}}' }];
  const { eks, close } = createAwsClients({ ref: { name: 'prod', account: '111122223333', region: 'eu-west-1' } });
  await eks.send(new DescribeClusterCommand({ name: 'prod' }));
  close();
  expect(await calls()).toEqual([
    'belay_external_calls_total{service="eks",operation="DescribeCluster",result="Throttled"} 2',
    'belay_external_calls_total{service="eks",operation="DescribeCluster",result="ok"} 1',
  ]);
  expect(await registry.metrics()).toContain('belay_external_call_seconds_count{service="eks",operation="DescribeCluster"} 3\n');
});

test('Prometheus: by path, without the query', async () => {
  answers = [{ status: 200 }, { status: 403 }];
  const get = httpGetter({ url });
  await get('/api/v1/query?query=secret', 'asking');
  await expect(get('/api/v1/query?query=secret', 'asking')).rejects.toThrow('403');
  expect(await calls()).toEqual([
    'belay_external_calls_total{service="prometheus",operation="/api/v1/query",result="AccessDenied"} 1',
    'belay_external_calls_total{service="prometheus",operation="/api/v1/query",result="ok"} 1',
  ]);
});

test('Slack: by method; what Slack refuses, what it throttles and what does not answer are told apart', async () => {
  const now = (): Date => new Date();
  const slack = await startSlackServer({ journal: new Journal(now), now });
  const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
  try {
    await web.auth.test();
    slack.failNext('auth.test', { error: 'token_revoked', times: 1 });
    await expect(web.auth.test()).rejects.toThrow();
    slack.setDown(true);
    await expect(web.auth.test()).rejects.toThrow();
  } finally {
    await slack.close();
  }
  expect(await calls()).toEqual([
    'belay_external_calls_total{service="slack",operation="auth.test",result="InvalidRequest"} 1',
    'belay_external_calls_total{service="slack",operation="auth.test",result="Unavailable"} 1',
    'belay_external_calls_total{service="slack",operation="auth.test",result="ok"} 1',
  ]);
});

test('a failure of ours counts by its type; what is thrown and answered stays what it was', async () => {
  const of = { service: 'kubernetes', operation: 'GET' };
  const failure = failureOf('Conflict', 'patching: somebody changed it');
  await expect(counted(of, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(await counted(of, () => Promise.resolve(7))).toBe(7);
  series.end();
  await counted(of, () => Promise.resolve(8));
  expect(await calls()).toEqual([
    'belay_external_calls_total{service="kubernetes",operation="GET",result="Conflict"} 1',
    'belay_external_calls_total{service="kubernetes",operation="GET",result="ok"} 1',
  ]);
});
