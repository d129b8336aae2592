/** `belay status --watch` as a process: its exit code says how the run ended. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { PATIENCE } from '../../support/eventually.ts';
import { startDevServer } from '../../support/temporal-server.ts';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { runBelay } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

let cwd: string;
let server: Awaited<ReturnType<typeof startDevServer>>;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-watch-'));
  server = await startDevServer();
  connection = await Connection.connect({ address: server.address });
  client = new Client({ connection });
  writeFileSync(
    join(cwd, 'belay.yaml'),
    `clusters:
  stopped: { region: eu-west-1, account: "111122223333" }
  going: { region: eu-west-1, account: "111122223333" }
temporal: { address: "${server.address}" }
`,
  );
});
afterEach(async () => {
  const run = client.workflow.getHandle(idOf('going'));
  await run.terminate().catch(() => undefined);
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  rmSync(cwd, { recursive: true, force: true });
});

const idOf = (name: string): string => `eks-upgrade/111122223333/eu-west-1/${name}`;
const start = (name: string) => client.workflow.start('upgradeCluster', { workflowId: idOf(name), taskQueue: 'nobody', args: [] });

test('a run that was terminated: exit code 2; whatever is not a terminal gets lines', async () => {
  await (await start('stopped')).terminate();
  const ran = await runBelay(['status', 'stopped', '--watch'], { cwd });
  expect(ran).toMatchObject({ code: 2, stderr: 'The run of stopped has ended: terminated.\n' });
  expect(ran.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}terminated\n/);
  expect(ran.stdout).not.toContain('\u001b[?1049h');
});

/** `belay` with what it prints; its exit code once it has ended. */
function begin(...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, NO_COLOR: '1' };
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), 30_000 * PATIENCE);
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code, stderr });
    });
  });
  const first = new Promise<string>((resolve) => void child.stdout.setEncoding('utf8').once('data', resolve));
  return { child, first, ended };
}

const STOPPED = 'going: stopped watching before the run ended. The run continues: see "belay status going".\n';

test.each<[string, string[], NodeJS.Signals, { code: number; stderr: string }]>([
  ['of all runs, by Ctrl-C: exit code 0', [], 'SIGINT', { code: 0, stderr: '' }],
  ['of one run, by Ctrl-C: exit code 3, since 0 says that it completed', ['going'], 'SIGINT', { code: 3, stderr: STOPPED }],
  ['of one run, by a pipeline that is cancelled: exit code 3', ['going'], 'SIGTERM', { code: 3, stderr: STOPPED }],
])('the watching ends, and nothing else: %s', async (_what, cluster, name, expected) => {
  const run = await start('going');
  const { child, first, ended } = begin('status', ...cluster, '--watch');
  expect(await first).toMatch(/ {2}(?:going: )?running\n/);
  child.kill(name);
  expect(await ended).toEqual(expected);
  expect((await run.describe()).status.name).toBe('RUNNING');
});

test('a reader that has gone, such as head, ends the watching of a run that goes on', async () => {
  await start('going');
  const { child, ended } = begin('status', 'going', '--watch');
  child.stdout.destroy();
  expect(await ended).toEqual({ code: 3, stderr: STOPPED });
});

test('the same of logs -f, at the next message', async () => {
  const workflowsPath = fileURLToPath(new URL('../../client/reading/thread-workflow.ts', import.meta.url));
  const native = await NativeConnection.connect({ address: server.address });
  const worker = await Worker.create({
    connection: native,
    taskQueue: 'tells',
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') }),
    activities: { publish: () => Promise.resolve([]) },
  });
  const messages = [[{ key: 'note/one', notification: { kind: 'note', level: 'info', text: 'One.' } }]];
  await worker.runUntil(async () => {
    const run = await client.workflow.start('upgradeCluster', {
      workflowId: idOf('going'),
      taskQueue: 'tells',
      args: [{ messages, waits: true }],
    });
    const { child, ended } = begin('logs', 'going', '--follow');
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0 });
    expect((await run.describe()).status.name).toBe('RUNNING');
  });
  await native.close();
});
