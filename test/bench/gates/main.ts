/**
 * `npm run bench -- gates`: how long a click takes. Slack's stand-in, the real Bolt app, a real Temporal server and workers in processes of their own;
 * activities answer at once. Times by Temporal's own history, on one clock.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { table } from '../../../cli/render/words.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import { connectUpgrades, createUpgrades } from '../../../client/upgrades-client.ts';
import { stepWorkflowId } from '../../../workflows/contract/ids.ts';
import { gate } from '../../slack/fixtures.ts';
import { type Bench, post, withApp } from '../../slack/support.ts';
import { CLUSTER } from '../../support/facts.ts';
import { startDevServer } from '../../support/temporal-server.ts';
import { startUpgrade } from '../../support/upgrade.ts';
import { Workers } from './workers.ts';

const QUIET_MS = 1_000;
const GATE = 'before:pre-checks@1.32#1';
const HELP = `npm run bench -- gates [--clicks 100] [--kills 10] [--json FILE]

Slack's acknowledgement while Temporal is down (limit: p99 under 500 ms); click to recorded decision (p95 under 300 ms); click to the next activity's
start (p95 under 1 s); the same right after the worker that held the run was killed (3 s).
`;

interface Measured {
  what: string;
  limit: string;
  /** Milliseconds, ascending. */
  ms: number[];
}

/** Reads its own part of the command line. */
export async function benchGates(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      clicks: { type: 'string', default: '100' },
      kills: { type: 'string', default: '10' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const [clicks, kills] = [countOf('clicks', values.clicks), countOf('kills', values.kills)];
  const all = [await ackWithoutTemporal(clicks), ...(await throughTemporal(clicks, kills))];
  const rows = all.map(({ what, limit, ms }) => [
    what,
    String(ms.length),
    ...[0.5, 0.95, 0.99].map((p) => `${at(ms, p)} ms`),
    `${ms.at(-1) ?? 0} ms`,
    limit,
  ]);
  process.stdout.write(`${table(['', 'clicks', 'p50', 'p95', 'p99', 'max', 'limit'], rows)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw new RangeError(`--${option} ${text}: write a whole number from 1 to 10000`);
  return count;
}

/** Nearest rank. */
export const at = (ms: readonly number[], share: number): number => ms[Math.max(0, Math.ceil(share * ms.length) - 1)] ?? Number.NaN;

async function ackWithoutTemporal(clicks: number): Promise<Measured> {
  // Nobody listens on port 1.
  const { upgrades, close } = connectUpgrades({ address: '127.0.0.1:1', resolveCluster: () => CLUSTER });
  const ms: number[] = [];
  try {
    await withApp({ options: { upgrades } }, async (bench) => {
      const ts = await postGate(bench, 'eks-upgrade/111122223333/eu-central-1/nowhere');
      for (let click = 0; click < clicks; click += 1) ms.push(await clickMs(bench, ts));
    });
  } finally {
    await close();
  }
  return { what: 'acknowledged, Temporal down', limit: 'p99 < 500 ms', ms: sorted(ms) };
}

async function throughTemporal(clicks: number, kills: number): Promise<Measured[]> {
  const server = await startDevServer();
  const taskQueue = `bench-${randomUUID()}`;
  const workers = new Workers(server.address, taskQueue);
  const client = new Client({ connection: await Connection.connect({ address: server.address }) });
  const [recorded, next, afterKill]: [number[], number[], number[]] = [[], [], []];
  try {
    await workers.add();
    await workers.add();
    const upgrades = createUpgrades({ client, resolveCluster: () => CLUSTER, taskQueue });
    await withApp({ options: { upgrades } }, async (bench) => {
      for (let click = 0; click < clicks; click += 1) {
        const times = await decideOnce(bench, client, taskQueue);
        recorded.push(times.recordedMs);
        next.push(times.nextMs);
      }
      for (let kill = 0; kill < kills; kill += 1) {
        const { nextMs } = await decideOnce(bench, client, taskQueue, async (handle) => workers.kill(await holderOf(handle)));
        afterKill.push(nextMs);
        await workers.add();
      }
    });
  } finally {
    await workers.stop();
    await client.connection.close();
    await server.stop();
  }
  return [
    { what: 'click → decision recorded', limit: 'p95 < 300 ms', ms: sorted(recorded) },
    { what: 'click → next activity', limit: 'p95 < 1 s', ms: sorted(next) },
    { what: 'the same, its worker just killed', limit: 'max ≤ 3 s', ms: sorted(afterKill) },
  ];
}

/** One run: to its gate, through it by a click, to its end. */
async function decideOnce(
  bench: Bench,
  client: Client,
  taskQueue: string,
  before: (handle: WorkflowHandle) => Promise<void> = () => Promise.resolve(),
): Promise<{ recordedMs: number; nextMs: number }> {
  const run = await startUpgrade({ client }, taskQueue);
  await run.until(({ gates }) => gates.length > 0);
  const ts = await postGate(bench, run.workflowId);
  await before(run.handle);
  const clickedAtMs = Date.now();
  await clickMs(bench, ts);
  await run.handle.result();
  const parent = await timesOf(run.handle);
  const child = await timesOf(client.workflow.getHandle(stepWorkflowId(run.workflowId, 'pre-checks@1.32')));
  return { recordedMs: parent.decidedAtMs - clickedAtMs, nextMs: child.activityAtMs - clickedAtMs };
}

export async function timesOf(handle: WorkflowHandle): Promise<{ decidedAtMs: number; activityAtMs: number }> {
  const { events } = await handle.fetchHistory();
  const first = (is: (event: NonNullable<typeof events>[number]) => boolean): number => {
    const time = (events ?? []).find(is)?.eventTime;
    return Number(time?.seconds ?? Number.NaN) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
  };
  return {
    decidedAtMs: first(
      (event) =>
        event.workflowExecutionUpdateCompletedEventAttributes != null ||
        event.workflowExecutionSignaledEventAttributes?.signalName === 'gateDecision',
    ),
    activityAtMs: first((event) => event.activityTaskStartedEventAttributes != null),
  };
}

/**
 * The worker that has the run in its cache: it did the last workflow task. Waits until the run only waits for people, as it does for hours: a worker that
 * dies within the milliseconds of a workflow task is noticed by that task's own time-out, ten seconds.
 */
async function holderOf(handle: WorkflowHandle): Promise<string> {
  for (let length = 0; ; ) {
    const { historyLength } = await handle.describe();
    if (historyLength === length) break;
    length = historyLength;
    await sleep(QUIET_MS);
  }
  const { events } = await handle.fetchHistory();
  return (
    (events ?? []).findLast((event) => event.workflowTaskCompletedEventAttributes != null)?.workflowTaskCompletedEventAttributes
      ?.identity ?? ''
  );
}

export async function postGate(bench: Bench, workflowId: string): Promise<string> {
  const definition = gate({ id: GATE, step: 'pre-checks@1.32', title: 'Start the upgrade?' });
  const state = { kind: 'open', gate: definition, votes: [], refused: [] } as const;
  return post(
    bench,
    gateBlocks({ state: { ...state, votes: [], refused: [] }, workflowId, revision: 1, mention: { users: [], groups: [] } }),
  );
}

export async function clickMs({ slack }: Bench, ts: string): Promise<number> {
  const startMs = performance.now();
  const outcome = await slack.click('U0SAM', ts, 'gate/approve');
  if (outcome !== 'acked') throw new Error(`The click was answered with ${outcome}`);
  return Math.round(performance.now() - startMs);
}

export const sorted = (ms: number[]): number[] => ms.toSorted((a, b) => a - b);
