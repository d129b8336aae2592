/**
 * `npm run bench -- production`: Temporal's server on PostgreSQL with hundreds of runs that wait at gates, and some that move. Two workers and Slack's real
 * app; activities answer at once, so that what is measured is Temporal, PostgreSQL and Belay.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { table } from '../../../cli/render/words.ts';
import { createUpgrades } from '../../../client/upgrades-client.ts';
import { loadConfig } from '../../../worker/config/config.ts';
import { openMetrics } from '../../../worker/telemetry/metrics/open.ts';
import { findPostgreSql } from '../../production/support/postgresql.ts';
import { ProductionTemporal } from '../../production/support/temporal.ts';
import { withApp } from '../../slack/support.ts';
import { CLUSTER } from '../../support/facts.ts';
import { type RunningUpgrade, startUpgrade } from '../../support/upgrade.ts';
import { at, clickMs, countOf, postGate, sorted, timesOf } from '../gates/main.ts';
import { Workers } from '../gates/workers.ts';
import { peakMbOf } from '../processes.ts';
import { type Answers, answersAroundKill } from './answers.ts';

const GATE = 'before:pre-checks@1.32#1';
const STARTED_AT_ONCE = 10;
const SCRAPES = 20;
/** A real run does nothing for minutes between its steps; this is a fleet in a hurry. */
const PAUSE_MS = 10_000;
const DATABASES = ['temporal', 'temporal_visibility'];
const HELP = `npm run bench -- production [--waiting 200] [--moving 20] [--clicks 100] [--json FILE]

Temporal on PostgreSQL (npm run real-parts -- temporal; Debian's package postgresql): --waiting runs stand at a gate, --moving others go from start to
end, one after the other, while --clicks buttons are pressed. Click to recorded decision (limit: p95 under 300 ms), a scrape of /metrics (50 ms), memory
of each worker, what a run takes in the databases, and, after the server was killed, how long those that still wait take to answer (60 s for a thousand:
--waiting 1100).
`;

interface Measured {
  what: string;
  value: string;
  limit: string;
}

/** Reads its own part of the command line. */
export async function benchProduction(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      waiting: { type: 'string', default: '200' },
      moving: { type: 'string', default: '20' },
      clicks: { type: 'string', default: '100' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const [waiting, moving, clicks] = [
    countOf('waiting', values.waiting),
    countOf('moving', values.moving),
    countOf('clicks', values.clicks),
  ];
  if (clicks > waiting)
    throw new RangeError(`--clicks ${clicks}: each is pressed at a run that waits; write ${waiting} at most, or raise --waiting`);
  if (findPostgreSql() === undefined) throw new Error('PostgreSQL is missing: install the package postgresql.');
  const measured = await measure({ waiting, moving, clicks });
  process.stdout.write(
    `${table(
      ['', '', 'limit'],
      measured.map(({ what, value, limit }) => [what, value, limit]),
    )}\n`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured, null, 2)}\n`);
}

interface Load {
  waiting: number;
  moving: number;
  clicks: number;
}

async function measure(load: Load): Promise<Measured[]> {
  const temporal = await ProductionTemporal.open();
  const taskQueue = `bench-${randomUUID()}`;
  const workers = new Workers(temporal.address, taskQueue);
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  try {
    await workers.add();
    await workers.add();
    const bytesBefore = bytesOf(temporal);
    const waiting = await standing(client, taskQueue, load.waiting);
    const bytesPerRun = (bytesOf(temporal) - bytesBefore) / load.waiting;
    const scrapes = await scraped(temporal.address, load.waiting);
    const clicked = await clickedBeside(client, taskQueue, waiting.slice(0, load.clicks), load.moving);
    const killed = await answeredAfterKill(temporal, waiting.slice(load.clicks));
    const memory = workers.pids.map((pid) => `${Math.round(peakMbOf(pid))} MB`).join(' and ');
    return [
      {
        what: `click → decision recorded, ${load.waiting} waiting, ${load.moving} moving, p50`,
        value: `${at(clicked.ms, 0.5)} ms`,
        limit: '',
      },
      { what: 'the same, p95', value: `${at(clicked.ms, 0.95)} ms`, limit: '300 ms' },
      { what: `a scrape of /metrics, ${load.waiting} runs open, p95`, value: `${at(scrapes.ms, 0.95)} ms`, limit: '50 ms' },
      { what: 'the page', value: `${scrapes.series} series`, limit: '2,000' },
      { what: 'peak memory of the workers', value: memory, limit: '' },
      { what: 'a run at its first gate, in both databases', value: `${Math.round(bytesPerRun / 1000)} kB`, limit: '' },
      { what: 'runs that moved from start to end meanwhile', value: String(clicked.ended), limit: '' },
      ...killed,
    ];
  } finally {
    await workers.stop();
    await client.connection.close();
    await temporal.close();
  }
}

/** Nothing where none of them waits any more. */
async function answeredAfterKill(temporal: ProductionTemporal, left: readonly RunningUpgrade[]): Promise<Measured[]> {
  if (left.length === 0) return [];
  const { before, after } = await answersAroundKill(temporal, left);
  const seconds = ({ ms }: Answers): string => `${(ms / 1_000).toFixed(1)} s`;
  return [
    { what: `${left.length} runs that wait say so`, value: seconds(before), limit: '' },
    { what: 'the same, after the server was killed', value: seconds(after), limit: left.length <= 1_000 ? '60 s' : '' },
  ];
}

/** As many runs at their gates, numbered on from those that are `there`. */
export async function standing(client: Client, taskQueue: string, count: number, there = 0): Promise<RunningUpgrade[]> {
  const runs: RunningUpgrade[] = [];
  while (runs.length < count) {
    const batch = Array.from({ length: Math.min(STARTED_AT_ONCE, count - runs.length) }, (_, index) => {
      const cluster = { ...CLUSTER, name: nameOf(there + runs.length + index) };
      const { account, region, name } = cluster;
      return startUpgrade({ client }, taskQueue, { cluster }, `eks-upgrade/${account}/${region}/${name}`);
    });
    for (const run of await Promise.all(batch)) {
      await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
      runs.push(run);
    }
  }
  return runs;
}

const nameOf = (index: number): string => `prod-${index + 1}`;

const bytesOf = (temporal: ProductionTemporal): number =>
  DATABASES.reduce((sum, name) => sum + Number(temporal.postgresql.query(name, `SELECT pg_database_size('${name}')`)), 0);

/** Of the page that a Slack process serves. */
async function scraped(address: string, runs: number): Promise<{ ms: number[]; series: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const file = join(directory, 'belay.yaml');
  const { account, region } = CLUSTER;
  const clusters = Array.from({ length: runs }, (_, index) => `  ${nameOf(index)}: { region: ${region}, account: "${account}" }`);
  writeFileSync(file, `temporal: { address: "${address}" }\nclusters:\n${clusters.join('\n')}\n`);
  const metrics = await openMetrics({
    component: 'slack',
    config: loadConfig(file),
    env: { BELAY_METRICS_ADDRESS: '127.0.0.1:0' },
    notReady: () => undefined,
    log: { info: () => undefined, warn: (message) => console.error(message) },
  });
  try {
    const read = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${metrics?.port ?? 0}/metrics`)).text();
    const seen = (text: string): number => text.split('\n').filter((line) => line.startsWith('belay_gate_waiting_seconds{')).length;
    // It looks at Temporal beside the scrapes.
    for (let tries = 0; tries < 60 && seen(await read()) === 0; tries += 1) await sleep(1_000);
    const ms: number[] = [];
    let series = 0;
    for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
      const startMs = performance.now();
      const text = await read();
      ms.push(Math.round(performance.now() - startMs));
      series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    }
    return { ms: sorted(ms), series };
  } finally {
    await metrics?.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Clicks at waiting runs, while others go from start to end. */
async function clickedBeside(
  client: Client,
  taskQueue: string,
  waiting: readonly RunningUpgrade[],
  moving: number,
): Promise<{ ms: number[]; ended: number }> {
  const state = { isOver: false, ended: 0 };
  const movers = Array.from({ length: moving }, async (_, index) => {
    await sleep((index / moving) * PAUSE_MS);
    while (!state.isOver) {
      await (await startUpgrade({ client }, taskQueue)).finish();
      state.ended += 1;
      await sleep(PAUSE_MS);
    }
  });
  const ms: number[] = [];
  try {
    const upgrades = createUpgrades({ client, resolveCluster: () => CLUSTER, taskQueue });
    await withApp({ options: { upgrades } }, async (bench) => {
      for (const run of waiting) {
        const ts = await postGate(bench, run.workflowId);
        const clickedAtMs = Date.now();
        await clickMs(bench, ts);
        await run.handle.result();
        ms.push((await timesOf(run.handle)).decidedAtMs - clickedAtMs);
      }
    });
  } finally {
    state.isOver = true;
    await Promise.all(movers);
  }
  return { ms: sorted(ms), ended: state.ended };
}
