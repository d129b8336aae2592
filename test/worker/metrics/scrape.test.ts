/** The real worker's own port: what it shows while it works, and that the rules ask for nothing that it does not show. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { TASK_QUEUE } from '../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { rulesIn } from '../../deploy/rules.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { samplesIn, unmatched } from './selectors.ts';

/** By Prometheus itself. */
const ADDED = ['job', 'up'];
/** Values of the SDK's that take an accident: looked for in its native library instead. */
const ACCIDENTS = ['NonDeterminismError', 'GrpcMessageTooLarge', 'RESOURCE_EXHAUSTED'];
/** Of Belay's own counter: nobody calls Slack here, and AWS never answers. */
const VARIES = ['slack', 'ok'];
/** Whole series that take an accident. */
const ACCIDENTAL = ['temporal_request_failure_total'];

let server: DevServer;
let connection: Connection;
let directory: string;
let worker: ChildProcess;
let log = '';
let base: string;

beforeAll(async () => {
  server = await startDevServer();
  connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  // Nobody works on this queue: a run that waits at a gate for ever.
  await client.workflow.start('upgradeCluster', {
    workflowId: 'eks-upgrade/111122223333/eu-west-1/prod',
    taskQueue: 'nobody-works-here',
    searchAttributes: { BelayPhase: ['control-plane'], BelayTarget: ['1.34'], BelayWaitingFor: ['before:control-plane@1.34#1'] },
  });
  // And one that no worker can do, whose tasks fail.
  await client.workflow.start('noSuchWorkflow', { workflowId: 'unknown', taskQueue: TASK_QUEUE });
  // One whose activity fails, since AWS does not answer.
  await client.workflow.start(WORKFLOWS.versions, {
    workflowId: 'versions',
    taskQueue: TASK_QUEUE,
    args: [{ clusters: [{ account: '111122223333', region: 'eu-west-1', name: 'prod' }] }],
  });
  directory = mkdtempSync(join(tmpdir(), 'belay-metrics-'));
  mkdirSync(join(directory, 'records'));
  writeFileSync(
    join(directory, 'belay.yaml'),
    'clusters:\n  prod: { region: eu-west-1, account: "111122223333", environment: production }\n  shop: { region: eu-west-1, account: "111122223333", network: dmz }\n',
  );
  const [port] = await freePorts(1);
  base = `http://127.0.0.1:${port}`;
  worker = spawn(process.execPath, ['--no-warnings', fileURLToPath(new URL('../../../cli/main.ts', import.meta.url)), 'worker'], {
    cwd: directory,
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: server.address,
      SLACK_BOT_TOKEN: '',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      BELAY_METRICS_ADDRESS: `127.0.0.1:${port}`,
      BELAY_METRICS_RUNS: 'yes',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  worker.stderr?.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
}, 120_000);

afterAll(async () => {
  worker.kill('SIGKILL');
  await connection.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function asked(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${base}${path}`);
  return { status: response.status, text: await response.text() };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what}: it did not come about. The worker said:\n${log}`);
}

test('O23: the page has every series that the rules ask for, with their labels, and a misspelt one is seen', async () => {
  await until('ready', async () => ((await asked('/readyz')).status === 200 ? true : undefined));
  expect(await asked('/healthz')).toEqual({ status: 200, text: 'ok\n' });

  const queries = rulesIn().map(({ expr }) => expr.replaceAll(new RegExp(`(${ACCIDENTAL.join('|')})\\{`, 'g'), 'up{'));
  const lacks = (page: string): string[] =>
    queries.flatMap((query) => unmatched(query, page, { added: ADDED, later: [...ACCIDENTS, ...VARIES] }));
  const text = await until('the series of the rules', async () => {
    const page = (await asked('/metrics')).text;
    return lacks(page).length === 0 ? page : undefined;
  }).catch(async () => (await asked('/metrics')).text);
  expect(lacks(text)).toEqual([]);
  expect(
    unmatched('temporal_num_pollers{poller_type="workflow_sticky_task"}', text, { added: ADDED, later: [...ACCIDENTS, ...VARIES] }),
  ).toHaveLength(1);

  // What is not on the page before an accident is at least what the SDK calls it.
  const releases = join(dirname(createRequire(import.meta.url).resolve('@temporalio/core-bridge/package.json')), 'releases');
  const native = readFileSync(join(releases, readdirSync(releases)[0] ?? '', 'index.node'));
  for (const word of [...ACCIDENTS, ...ACCIDENTAL.map((name) => name.replace(/^temporal_|_total$/g, ''))])
    expect([word, native.includes(word)]).toEqual([word, true]);
  expect(native.includes('workflow_sticky_task')).toBe(false);
}, 120_000);

test('O22: no label of Belay’s is free text, and the run at its gate is there with its age', async () => {
  const { text } = await asked('/metrics');
  const ours = samplesIn(text).filter(({ name }) => name.startsWith('belay_'));
  expect(ours.map(({ name }) => name)).toContain('belay_run_info');
  expect(ours.flatMap(({ labels }) => Object.values(labels)).filter((value) => !/^[\w.:@/+-]{0,64}$/.test(value))).toEqual([]);
  expect(ours.length).toBeLessThan(2_000);
  expect(text).toMatch(/^belay_runs\{environment="production",phase="control-plane",waiting_for="before"\} 1$/m);
  expect(text).toMatch(/^belay_gate_waiting_seconds\{environment="production",gate="before"\} \d/m);
  expect(text).toMatch(/^belay_build_info\{component="worker",version="[\d.]+\S*",bundle="[\da-f]{12}"\} 1$/m);
  expect(text).toMatch(/^belay_sdk_metrics_up 1$/m);
  const polledAtS = Number(/^belay_worker_polls_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
  expect(Math.abs(polledAtS - Date.now() / 1000)).toBeLessThan(120);
});

test('hours of watching fall into buckets of their own', async () => {
  const buckets = await until('an activity', async () => {
    const page = (await asked('/metrics')).text;
    const les = [...page.matchAll(/^temporal_activity_execution_latency_seconds_bucket\{.*le="([^"]+)"\}/gm)].map(([, le = '']) => le);
    return les.length > 0 ? les : undefined;
  });
  expect([...new Set(buckets)]).toEqual(['1', '10', '60', '600', '3600', '14400', '+Inf']);
});

test('it ends as one without metrics does', async () => {
  const ended = new Promise((resolve) => void worker.once('exit', resolve));
  worker.kill('SIGTERM');
  expect(await ended).toBe(0);
  await expect(asked('/healthz')).rejects.toThrow();
});
