/**
 * `npm run bench`: what an upgrade costs on clusters of 50, 500 and 5,000 nodes. Machines differ and are noisy: compare numbers of one run.
 * Overhead is wall time beyond the world's own critical path, as a share of that path at speed 1.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { rehearse } from '../../rehearsal/main.ts';
import { onRequest } from '../../rehearsal/processes/requests.ts';
import type { Stage } from '../../rehearsal/play/stage/stage.ts';
import { table } from '../../cli/render/words.ts';
import { criticalPathMs } from './critical-path.ts';
import { PeakMemory } from './processes.ts';
import type { TwinCosts } from './twin-start.ts';

const SIZES = [50, 500, 5000];
const LOOK_MS = 1_000;

interface UpgradeCosts {
  outcome: string;
  wallSeconds: number;
  pathSeconds: number;
  /** Share of the critical path at speed 1. */
  overhead: number;
  historyEvents: number;
  historyBytes: number;
  workerPeakMb: number;
  /** Requests per world minute, by stand-in. */
  requestRates: Record<string, number>;
}

interface Measured {
  nodes: number;
  twin: TwinCosts;
  upgrade?: UpgradeCosts;
}

const [, , ...given] = process.argv;
/** Benchmarks of their own, by their first word. */
const OTHERS: Record<string, () => Promise<(args: string[]) => Promise<void>>> = {
  check: async () => (await import('./check/main.ts')).benchCheck,
  fleet: async () => (await import('./fleet/main.ts')).benchFleet,
  forecast: async () => (await import('./forecast/main.ts')).benchForecast,
  gates: async () => (await import('./gates/main.ts')).benchGates,
  lists: async () => (await import('./lists/main.ts')).benchLists,
  production: async () => (await import('./production/main.ts')).benchProduction,
  snapshot: async () => (await import('./snapshot/main.ts')).benchSnapshot,
  start: async () => (await import('./start/main.ts')).benchStart,
};
const other = OTHERS[given[0] ?? ''];

const { values } = parseArgs({
  args: other === undefined ? given : [],
  options: {
    nodes: { type: 'string', default: SIZES.join(',') },
    speed: { type: 'string', default: '10' },
    json: { type: 'string' },
    'start-only': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (other !== undefined) {
  await (await other())(given.slice(1));
} else if (values.help) {
  process.stdout.write(
    'npm run bench -- [--nodes 50,500,5000] [--speed 10] [--start-only] [--json FILE]\n\n' +
      'Measures the twin’s start and, without --start-only, a whole upgrade of each size. At --speed 10 the three take more than an hour.\n' +
      'npm run bench -- check --help: what belay check costs, beside eksup.\n' +
      'npm run bench -- fleet --help: what a campaign over a thousand clusters takes.\n' +
      'npm run bench -- forecast --help: what a forecast of a large cluster costs.\n' +
      'npm run bench -- gates --help: how long a click takes.\n' +
      'npm run bench -- lists --help: how often an upgrade lists each kind of object.\n' +
      'npm run bench -- snapshot --help: what belay snapshot costs.\n' +
      'npm run bench -- start --help: how long commands take to start.\n' +
      'npm run bench -- production --help: clicks, scrapes, memory and database with hundreds of runs on PostgreSQL.\n',
  );
} else {
  await bench();
}

async function bench(): Promise<void> {
  const sizes = values.nodes.split(',').map(Number);
  const unknown = sizes.find((size) => !SIZES.includes(size));
  if (unknown !== undefined) throw new RangeError(`--nodes ${values.nodes}: write some of ${SIZES.join(', ')}, with commas between`);
  const speed = Number(values.speed);
  if (!(speed > 0 && speed <= 3600)) throw new RangeError(`--speed ${values.speed}: write a number above 0 and up to 3600`);
  const all: Measured[] = [];
  for (const nodes of sizes) {
    process.stderr.write(`${nodes} nodes: the twin starts\n`);
    const twin = await startCosts(nodes);
    if (!values['start-only']) process.stderr.write(`${nodes} nodes: an upgrade at ${speed}×\n`);
    all.push({ nodes, twin, ...(values['start-only'] ? {} : { upgrade: await upgradeCosts(nodes, speed) }) });
  }
  process.stdout.write(`${render(all)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

/** In a process of its own, so that its memory is the twin's. */
async function startCosts(nodes: number): Promise<TwinCosts> {
  const script = fileURLToPath(new URL('twin-start.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', script, `scale-${nodes}`]);
  return JSON.parse(stdout) as TwinCosts;
}

async function upgradeCosts(nodes: number, speed: number): Promise<UpgradeCosts> {
  const requests = new Map<number, number>();
  const memory = new PeakMemory();
  const stop = onRequest(({ port }) => void requests.set(port, (requests.get(port) ?? 0) + 1));
  const looking = setInterval(() => memory.look(), LOOK_MS);
  try {
    const { ok, why, report, stage } = await rehearse({
      scenario: `scale-${nodes}`,
      speed,
      auto: 'approve',
      kills: [],
      faults: [],
      say: () => undefined,
    });
    if (!ok || report === undefined || stage === undefined) throw new Error(`${nodes} nodes: ${why}`);
    const pathMs = criticalPathMs(report, stage, speed);
    const worldMinutes = report.worldSeconds / 60;
    return {
      outcome: report.outcome,
      wallSeconds: report.wallSeconds,
      pathSeconds: pathMs / 1000,
      overhead: (report.wallSeconds * 1000 - pathMs / speed) / pathMs,
      historyEvents: report.historyEvents,
      historyBytes: report.historyBytes,
      workerPeakMb: memory.peaks.get('worker') ?? Number.NaN,
      requestRates: Object.fromEntries(
        Object.entries(portsOf(stage)).map(([api, port]) => [api, (requests.get(port) ?? 0) / worldMinutes]),
      ),
    };
  } finally {
    stop();
    clearInterval(looking);
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function portsOf({ aws, kubernetes, slack, prometheusUrl }: Stage): Record<string, number> {
  return { aws: portOf(aws.url), kubernetes: portOf(kubernetes.url), slack: portOf(slack.apiUrl), prometheus: portOf(prometheusUrl) };
}

function render(all: readonly Measured[]): string {
  const start = table(
    ['nodes', 'twin starts', 'twin RSS', 'page of 50', 'of 500', 'of 5,000'],
    all.map(({ nodes, twin }) => [
      String(nodes),
      `${(twin.startMs / 1000).toFixed(1)} s`,
      `${twin.residentMb.toFixed(0)} MB`,
      ...Object.values(twin.pageMs).map((ms) => `${ms.toFixed(0)} ms`),
    ]),
  );
  const upgrades = all.flatMap(({ nodes, upgrade }) => (upgrade === undefined ? [] : [{ nodes, ...upgrade }]));
  if (upgrades.length === 0) return start;
  const rows = upgrades.map((u) => [
    String(u.nodes),
    u.outcome,
    `${u.wallSeconds.toFixed(0)} s`,
    `${(u.pathSeconds / 60).toFixed(0)} min`,
    `${(u.overhead * 100).toFixed(1)} %`,
    String(u.historyEvents),
    `${(u.historyBytes / 1024).toFixed(0)} KiB`,
    `${u.workerPeakMb.toFixed(0)} MB`,
    ...Object.values(u.requestRates).map((rate) => rate.toFixed(1)),
  ]);
  const head = ['nodes', 'outcome', 'wall', 'critical path', 'overhead', 'events', 'history', 'worker peak'];
  return `${start}\n\n${table([...head, ...['AWS', 'Kubernetes', 'Slack', 'Prometheus'].map((api) => `${api}/min`)], rows)}`;
}
