import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { findTemporal } from '../../rehearsal/processes/temporal-cli.ts';
import { Watcher } from '../../rehearsal/play/watch.ts';
import { eventually } from '../support/eventually.ts';
import { PROGRAM } from '../support/program.ts';

let directory: string;
let children: ChildProcess[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-worker-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(ended));
  rmSync(directory, { recursive: true, force: true });
});

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => void child.once('exit', (code) => resolve(code)));
}

test('T3 T5: a worker waits for Temporal, outlives its death, and ends cleanly on SIGTERM', async () => {
  const source = await findTemporal({ env: { ...process.env, TEMPORAL_ADDRESS: undefined }, say: () => undefined });
  if (source.kind !== 'binary') throw new Error('a Temporal CLI is needed');
  const [port = 0, uiPort = 0] = await freePorts(2);
  const address = `127.0.0.1:${port}`;
  const startTemporal = (): ChildProcess => {
    const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort), '--headless'];
    const child = spawn(source.path, [...args, '--db-filename', join(directory, 'temporal.db'), '--log-level', 'never'], {
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  };
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  // A worker with keys loads more than one without.
  const keys = `a:${randomBytes(32).toString('base64')}`;
  const worker = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd: directory,
    env: { ...process.env, TEMPORAL_ADDRESS: address, SLACK_BOT_TOKEN: '', BELAY_CODEC_KEYS: keys },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(worker);
  let log = '';
  worker.stderr.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  const watcher = new Watcher({ address, namespace: 'default' });
  const polls = (): number => log.split('worker is polling').length - 1;

  await eventually('waiting for Temporal', () => log.includes('Temporal is not there; trying again'));
  const first = startTemporal();
  await eventually('polling', async () => polls() > 0 && (await watcher.hasWorker('belay')));
  expect(log).toContain('search attributes registered');

  first.kill('SIGKILL');
  await ended(first);
  // Long enough that calls fail, and not only wait.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(worker.exitCode).toBeNull();
  startTemporal();
  // Pollers of the time before are not remembered by a server that was started again.
  await eventually('polling again', () => watcher.hasWorker('belay'));

  worker.kill('SIGTERM');
  expect(await ended(worker)).toBe(0);
  await watcher.close();
});
