/** The real worker before a Temporal that asks for an API key, as Temporal Cloud does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectUpgrades } from '../../../client/upgrades-client.ts';
import { readApiKey } from '../../../worker/temporal/credential-files.ts';
import { type Door, openDoor } from '../../support/temporal-door.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { eventually } from '../../support/eventually.ts';
import { PROGRAM } from '../../support/program.ts';

let server: DevServer;
let door: Door;
let directory: string;
let workers: ChildProcess[];
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  door = await openDoor({ to: server.address, key: 'first' });
  directory = mkdtempSync(join(tmpdir(), 'belay-worker-'));
  workers = [];
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(ended));
  await door.close();
  rmSync(directory, { recursive: true, force: true });
});

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => void child.once('exit', (code) => resolve(code)));
}

const inDirectory = (name: string): string => join(directory, name);

const startWorker = (env: NodeJS.ProcessEnv) => start('worker', env);

function start(command: 'worker' | 'slack', env: NodeJS.ProcessEnv): { child: ChildProcess; log: () => string } {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, command], {
    cwd: directory,
    env: { ...process.env, TEMPORAL_ADDRESS: door.address, TEMPORAL_TLS: 'false', SLACK_BOT_TOKEN: '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  workers.push(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  return { child, log: () => log };
}

test('RA19: a key that expires is said, the worker is not ready, and a new key in the file heals it', async () => {
  writeFileSync(inDirectory('key'), 'first\n');
  writeFileSync(inDirectory('ready'), 'of a process before');
  const { child, log } = startWorker({ TEMPORAL_API_KEY_FILE: inDirectory('key'), BELAY_READY_FILE: inDirectory('ready') });
  await eventually('polling', () => log().includes('worker is polling') && existsSync(inDirectory('ready')));

  door.change('second');
  await eventually('said', () => log().includes('Temporal refuses this worker'));
  expect(existsSync(inDirectory('ready'))).toBe(false);
  expect(child.exitCode).toBeNull();

  writeFileSync(inDirectory('key'), 'second\n');
  await eventually('healed', () => log().includes('Temporal accepts the polls of this worker again') && existsSync(inDirectory('ready')));
  expect(log().split('Temporal refuses this worker')).toHaveLength(2);

  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
  expect(existsSync(inDirectory('ready'))).toBe(false);
}, 540_000);

test('RA19: new certificates are connected with while the worker runs', async () => {
  for (const name of ['crt', 'pem']) writeFileSync(inDirectory(name), 'before');
  const { child, log } = startWorker({
    TEMPORAL_API_KEY: 'first',
    TEMPORAL_TLS_CLIENT_CERT_PATH: inDirectory('crt'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: inDirectory('pem'),
    BELAY_READY_FILE: inDirectory('ready'),
  });
  await eventually('polling', () => existsSync(inDirectory('ready')));
  const before = door.connections;
  writeFileSync(inDirectory('crt'), 'after');
  await eventually('connected', () => log().includes('connected to Temporal with new certificates'));
  expect(door.connections).toBeGreaterThan(before);
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
});

test('RA19: new certificates are connected with while the Slack process runs', async () => {
  const channel = 'slack: { channel: C012AB3CD }\n';
  writeFileSync(inDirectory('belay.yaml'), `${channel}clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n`);
  for (const name of ['crt', 'pem']) writeFileSync(inDirectory(name), 'before');
  const { child, log } = start('slack', {
    TEMPORAL_TLS_CLIENT_CERT_PATH: inDirectory('crt'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: inDirectory('pem'),
    SLACK_BOT_TOKEN: 'xoxb-nobody',
    SLACK_SIGNING_SECRET: 'secret',
    // Slack is away, which is no reason to lose Temporal as well.
    SLACK_API_URL: 'http://127.0.0.1:1/api/',
  });
  await eventually('started', () => log().includes('Slack'));
  writeFileSync(inDirectory('crt'), 'after');
  await eventually('connected', () => log().includes('connected to Temporal with new certificates'));
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
});

test('RA19: the Slack process and the command line send the key that the file has now', async () => {
  writeFileSync(inDirectory('key'), 'first\n');
  process.env['TEMPORAL_TLS'] = 'false';
  const { upgrades, close } = connectUpgrades({
    resolveCluster: () => {
      throw new Error('no cluster is asked for');
    },
    address: door.address,
    apiKey: () => readApiKey(inDirectory('key')),
  });
  try {
    expect(await upgrades.list()).toEqual([]);
    door.change('second');
    await expect(upgrades.list()).rejects.toThrow('refuses these credentials');
    writeFileSync(inDirectory('key'), 'second\n');
    expect(await upgrades.list()).toEqual([]);
  } finally {
    await close();
    delete process.env['TEMPORAL_TLS'];
  }
});

test.each<[string, () => NodeJS.ProcessEnv]>([
  ['of the environment', () => ({ TEMPORAL_API_KEY: 'wrong' })],
  ['of a file', () => ({ TEMPORAL_API_KEY_FILE: inDirectory('key') })],
])('RA18: a wrong API key %s ends the worker with exit code 1 and what to check', async (_where, env) => {
  writeFileSync(inDirectory('key'), 'wrong\n');
  const { child, log } = startWorker(env());
  expect(await ended(child)).toBe(1);
  expect(log()).toMatch(/refuses this process \(.*\)\. Check TEMPORAL_API_KEY/);
  expect(log()).not.toMatch(/Start it|trying again/);
});

test('RA19: a file of the key that is missing or empty ends the worker with the fix', async () => {
  const missing = startWorker({ TEMPORAL_API_KEY_FILE: inDirectory('none') });
  expect(await ended(missing.child)).toBe(1);
  expect(missing.log()).toContain('TEMPORAL_API_KEY_FILE cannot be read');
});
