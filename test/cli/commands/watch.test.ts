/** `belay status --watch` as a process: its exit code says how the run ended. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDevServer } from '../../support/temporal-server.ts';
import { Client, Connection } from '@temporalio/client';
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
afterAll(async () => {
  await connection.close();
  await server.stop();
  rmSync(cwd, { recursive: true, force: true });
});

const start = (name: string) =>
  client.workflow.start('upgradeCluster', { workflowId: `eks-upgrade/111122223333/eu-west-1/${name}`, taskQueue: 'nobody', args: [] });

test('a run that was terminated: exit code 2; whatever is not a terminal gets lines', async () => {
  await (await start('stopped')).terminate();
  const ran = await runBelay(['status', 'stopped', '--watch'], { cwd });
  expect(ran).toMatchObject({ code: 2, stderr: 'The run of stopped has ended: terminated.\n' });
  expect(ran.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}terminated\n/);
  expect(ran.stdout).not.toContain('\u001b[?1049h');
});

test('Ctrl-C ends the watching and nothing else: exit code 0', async () => {
  const run = await start('going');
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, NO_COLOR: '1' };
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'status', '--watch'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
  const first = await new Promise<string>((resolve) => void child.stdout.setEncoding('utf8').once('data', resolve));
  expect(first).toMatch(/ {2}going: running\n/);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect((await run.describe()).status.name).toBe('RUNNING');
});
