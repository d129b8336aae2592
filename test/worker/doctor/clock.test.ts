/** The clock of a worker's machine is wrong by minutes: what it decides is by Temporal's clock, and what is refused for it is told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STSClient } from '@aws-sdk/client-sts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createAwsClients } from '../../../activities/clients/aws/clients.ts';
import { validateConfig } from '../../../domain/policy/config/config.ts';
import { listen } from '../../../rehearsal/world/core/loopback.ts';
import { examineClock } from '../../../worker/doctor/clock.ts';
import { judgeClocks } from '../../../worker/doctor/examine.ts';
import { CLUSTER } from '../../support/facts.ts';
import { startTemporal, workflowBundle } from '../../support/temporal.ts';
import { startUpgrade } from '../../support/upgrade.ts';

const MINUTE_MS = 60_000;
const pathOf = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));

describe('deadlines', () => {
  let env: TestWorkflowEnvironment;
  let directory: string;
  let shifted: ChildProcess | undefined;
  beforeAll(async () => {
    env = await startTemporal();
    directory = mkdtempSync(join(tmpdir(), 'belay-clock-'));
    writeFileSync(join(directory, 'workflows.js'), (await workflowBundle()).code);
  });
  afterEach(() => void shifted?.kill('SIGKILL'));
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await env.teardown();
  });

  /** Resolves with the worker's own time when it polls. */
  async function startShiftedWorker(taskQueue: string, shiftedMs: number, deadlineMs: number): Promise<string> {
    const args = ['--no-warnings', '--import', pathOf('shifted-clock.mjs'), pathOf('shifted-worker.ts')];
    const child = spawn(process.execPath, [...args, env.address, taskQueue, join(directory, 'workflows.js'), String(deadlineMs)], {
      env: { ...process.env, SHIFTED_BY_MS: String(shiftedMs) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    shifted = child;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (said += chunk));
    while (!said.includes('ready')) {
      if (child.exitCode !== null) throw new Error(`The worker ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return said.split('\n')[0] ?? '';
  }

  test.each([10, -10])(
    "T16: a worker whose clock is %s minutes off opens a gate and lets it expire by Temporal's clock",
    async (minutes) => {
      const taskQueue = `belay-${randomUUID()}`;
      const theirs = await startShiftedWorker(taskQueue, minutes * MINUTE_MS, 4_000);
      expect(Math.abs(Date.parse(theirs) - Date.now() - minutes * MINUTE_MS)).toBeLessThan(30_000);
      const run = await startUpgrade(env, taskQueue);
      const { gates } = await run.until((status) => status.gates.length > 0);
      const leftMs = Date.parse(gates[0]?.expiresAt ?? '') - Date.now();
      expect(leftMs).toBeGreaterThan(-1_000);
      expect(leftMs).toBeLessThanOrEqual(4_000);
      const report = await run.finish(() => undefined);
      expect([report.outcome, report.decisions.map(({ kind }) => kind)]).toEqual(['stopped', ['expired']]);
      expect(Date.parse(report.status.endedAt ?? '') - Date.parse(report.status.startedAt)).toBeLessThan(MINUTE_MS);
    },
    180_000,
  );
});

const config = validateConfig(
  { clusters: { [CLUSTER.name]: { region: CLUSTER.region, account: CLUSTER.account } } },
  { fileName: 'belay.yaml' },
);

/** What a worker that starts logs, where STS answers so. */
async function logged(headers: Record<string, string>): Promise<{ level: string; text: string }[]> {
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(302, headers).end();
  });
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const lines: { level: string; text: string }[] = [];
  const log = (level: string) => (of: unknown, text?: string) => void lines.push({ level, text: text ?? String(of) });
  const sts = new STSClient({ region: CLUSTER.region, endpoint, credentials: { accessKeyId: 'A', secretAccessKey: 'B' } });
  const clients = { aws: () => ({ ...createAwsClients({ ref: CLUSTER }), sts }) };
  try {
    await examineClock(config, clients, { error: log('error'), info: log('info') });
  } finally {
    server.close();
  }
  return lines;
}

const dateIn = (ms: number): string => new Date(Date.now() + ms).toUTCString();

describe('at the start of a worker', () => {
  test.each([
    [10, 'behind'],
    [-10, 'ahead of'],
  ])('T16: STS is %s minutes away: an error names the clock, how far it is off, and the fix', async (minutes, side) => {
    expect(await logged({ Date: dateIn(minutes * MINUTE_MS) })).toEqual([
      {
        level: 'error',
        text: expect.stringMatching(
          new RegExp(`^this machine's clock is 10 min ${side} STS \\(127\\.0\\.0\\.1:\\d+\\): AWS and Kubernetes refuse .+chrony`),
        ),
      },
    ]);
  });

  test('T16: a clock that is right is not worth a line', async () => expect(await logged({ Date: dateIn(2_000) })).toEqual([]));

  test('T16: what could not be compared is not taken for right', async () => {
    expect(await logged({})).toEqual([{ level: 'info', text: 'the clock was not compared: STS told no time' }]);
  });
});

test('T16: belay doctor names the clock, once for each server that sees it', () => {
  expect(
    judgeClocks([
      { server: 'STS (sts.eu-central-1.amazonaws.com)', skewMs: -600_000 },
      { server: 'Slack', skewMs: 500 },
    ]),
  ).toEqual([
    {
      area: 'Clocks',
      status: 'warning',
      message: "this machine's clock is 10 min ahead of STS (sts.eu-central-1.amazonaws.com)",
      fix: 'synchronise the clock of this machine (chrony, systemd-timesyncd)',
    },
  ]);
});
