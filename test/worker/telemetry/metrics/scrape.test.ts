/** The real worker's own port: what it shows while it works, and that rules and dashboards ask for nothing that it does not show. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { freePorts } from '../../../../rehearsal/processes/free-port.ts';
import { dashboardsIn, queriesIn } from '../../../deploy/dashboards.ts';
import { rulesIn } from '../../../deploy/rules.ts';
import { temporalCli } from '../../../support/temporal-cli.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { describeWithPrometheus } from '../../../support/tools.ts';
import { startPrometheus } from './prometheus.ts';
import { BELAY_YAML, fillTemporal, startCampaign, writeRecord } from './scrape-world.ts';
import { samplesIn, selectorsIn, unmatched } from './selectors.ts';
import { PATIENCE } from '../../../support/eventually.ts';
import { PROGRAM } from '../../../support/program.ts';

/** By Prometheus itself. */
const ADDED = ['job', 'instance', 'up'];
/** Values of the SDK's that take an accident: looked for in its native library instead. */
const ACCIDENTS = ['NonDeterminismError', 'GrpcMessageTooLarge', 'RESOURCE_EXHAUSTED'];
/** Of Belay's own counter: nobody calls Slack here, and AWS never answers. */
const VARIES = ['slack', 'ok'];
/** Whole series that take an accident. */
const ACCIDENTAL = ['temporal_request_failure_total', 'temporal_activity_execution_failed_total'];
/** Of Temporal's server, which has a page of its own. */
const SERVERS = ['approximate_backlog_age_seconds'];
/** Ends in 2030. */
const KEY = ['e30', Buffer.from('{"exp":1893456000}').toString('base64url'), 'sig'].join('.');

let server: DevServer;
let connection: Connection;
let forCampaigns: NativeConnection;
let campaigns: Worker;
let answering: Promise<void>;
let directory: string;
let worker: ChildProcess;
let log = '';
let base: string;

beforeAll(async () => {
  server = await startDevServer();
  connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  await fillTemporal(client);
  forCampaigns = await NativeConnection.connect({ address: server.address });
  campaigns = await startCampaign(client, forCampaigns);
  answering = campaigns.run();
  directory = mkdtempSync(join(tmpdir(), 'belay-metrics-'));
  writeRecord(directory);
  writeFileSync(join(directory, 'belay.yaml'), `clusters:\n${BELAY_YAML}`);
  const [port] = await freePorts(1);
  base = `http://127.0.0.1:${port}`;
  worker = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd: directory,
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: server.address,
      // A server that asks for none takes any.
      TEMPORAL_API_KEY: KEY,
      TEMPORAL_TLS: 'false',
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
}, 1_800_000);

afterAll(async () => {
  worker.kill('SIGKILL');
  campaigns.shutdown();
  await answering;
  await forCampaigns.close();
  await connection.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function asked(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${base}${path}`);
  return { status: response.status, text: await response.text() };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1_200 * PATIENCE; tries += 1) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what}: it did not come about. The worker said:\n${log}`);
}

/** Without what takes an accident. */
const expected = (query: string): string =>
  query.replaceAll(new RegExp(`\\b(${[...ACCIDENTAL, ...SERVERS].join('|')})\\{[^}]*\\}`, 'g'), 'up{job="belay"}');
const queries = [...rulesIn().map(({ alert, expr }) => ({ of: alert, expr })), ...queriesIn(dashboardsIn())];
const lacks = (page: string): string[] =>
  queries.flatMap(({ of, expr }) =>
    unmatched(expected(expr), page, { added: ADDED, later: [...ACCIDENTS, ...VARIES] }).map((selector) => `${of}: ${selector}`),
  );

test('O23: the page has every series that rules and dashboards ask for, with their labels, and a misspelt one is seen', async () => {
  await until('ready', async () => ((await asked('/readyz')).status === 200 ? true : undefined));
  expect(await asked('/healthz')).toEqual({ status: 200, text: 'ok\n' });

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
  const temporal = readFileSync(temporalCli());
  // Prometheus' client appends the unit of neither: the server names it so.
  for (const word of SERVERS) expect([word, temporal.includes(word)]).toEqual([word, true]);
}, 1_800_000);

describeWithPrometheus('Prometheus', () => {
  test('O23: answers every query of rules and dashboards with series of the real page', async () => {
    const prometheus = await startPrometheus(base.replace('http://', ''));
    try {
      // rate() needs two scrapes that were answered.
      await until('two scrapes', async () => ((await prometheus.count('sum_over_time(up{job="belay"}[5m]) > 1')) > 0 ? true : undefined));
      for (const { expr } of queries) await prometheus.count(expr);
      const silent = async (): Promise<string[]> => {
        const found: string[] = [];
        for (const { of, expr } of queriesIn(dashboardsIn()).filter((query) => !mayBeSilent(query.expr)))
          if ((await prometheus.count(expected(expr))) === 0) found.push(of);
        return found;
      };
      // A page that comes too late on a busy machine is a scrape that is missing.
      await until('every series', async () => ((await silent()).length === 0 ? true : undefined)).catch(() => undefined);
      expect(await silent()).toEqual([]);
      const health = (await prometheus.rules()).filter((rule) => rule.health === 'err');
      expect(health).toEqual([]);
      await expect(prometheus.count('sum by (phase (belay_runs)')).rejects.toThrow('parse error');
    } finally {
      await prometheus.stop();
    }
  }, 1_800_000);
});

/** A query about what has not happened here: nobody calls Slack. */
const mayBeSilent = (query: string): boolean =>
  selectorsIn(query).some(({ matchers }) => matchers.some(({ value }) => VARIES.includes(value) && value !== 'ok'));

test('O22: no label of Belay’s is free text, and the run at its gate is there with its age', async () => {
  const { text } = await asked('/metrics');
  const ours = samplesIn(text).filter(({ name }) => name.startsWith('belay_'));
  expect(ours.map(({ name }) => name)).toContain('belay_run_info');
  expect(ours.flatMap(({ labels }) => Object.values(labels)).filter((value) => !/^[\w.:@/+-]{0,64}$/.test(value))).toEqual([]);
  expect(ours.length).toBeLessThan(2_000);
  expect(text).toMatch(/^belay_runs\{environment="production",phase="control-plane",waiting_for="before"\} 1$/m);
  expect(text).toMatch(/^belay_gate_waiting_seconds\{environment="production",gate="before"\} \d/m);
  expect(text).toMatch(/^belay_campaign_rings\{campaign="to-1-34",ring="canary",state="stopped"\} 1$/m);
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
