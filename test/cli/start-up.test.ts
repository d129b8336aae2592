/** What a command loads before it does anything: itself. Told by modules and not by time, which machines differ in. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFor, wholeProgram } from '../../cli/program.ts';
import { PROGRAM } from '../support/program.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-start-'));
  // Writes the URL of each module that is loaded, to the file descriptor that nothing else uses.
  writeFileSync(
    join(folder, 'tell.mjs'),
    `import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { writeSync(3, url + '\\n'); return next(url, context); } });
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Loaded {
  own: string[];
  packages: string[];
}

interface Run {
  env?: Record<string, string>;
  status?: number;
}

function loadedBy(run: Run, ...args: string[]): Loaded {
  const command = ['--no-warnings', '--import', join(folder, 'tell.mjs'), PROGRAM, ...args];
  const { output, status, stderr } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...run.env },
  });
  expect({ status, stderr }).toMatchObject(run.status === undefined ? { status: 0, stderr: '' } : { status: run.status });
  const urls = (output[3] ?? '').trim().split('\n');
  const root = new URL('../../', import.meta.url).href;
  return {
    own: urls.filter((url) => url.startsWith(root) && !url.includes('/node_modules/')).map((url) => url.slice(root.length)),
    packages: [...new Set(urls.flatMap((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort(),
  };
}

test('the help of belay loads no command, and no package but the one that reads arguments', () => {
  const { own, packages } = loadedBy({}, '--help');
  expect(own.filter((path) => path.startsWith('cli/commands/'))).toEqual([]);
  // Two of them know what is secret in an error.
  expect(own.length).toBeLessThanOrEqual(13);
  expect(packages).toEqual(['commander']);
  expect(loadedBy({}, '--version')).toEqual({ own, packages });
  expect(loadedBy({}, 'help')).toEqual({ own, packages });
});

test.each([
  { args: ['status', '--help'], file: 'status' },
  { args: ['help', 'status'], file: 'status' },
  { args: ['pause', '--help'], file: 'control' },
  { args: ['skip', '--help'], file: 'failed' },
])('belay $args loads that command alone', ({ args, file }) => {
  const { own } = loadedBy({}, ...args);
  expect(own.filter((path) => path.startsWith('cli/commands/'))).toContain(`cli/commands/${file}.ts`);
  const others = ['check', 'fleet', 'worker', 'rehearse', 'campaign', 'decide'].map((name) => `cli/commands/${name}.ts`);
  expect(own.filter((path) => others.includes(path))).toEqual([]);
});

test('the way to Temporal loads its client, and neither Slack nor AWS nor a worker', () => {
  // The command ends before Temporal is asked: an encryption key that is none is refused when the client is made.
  writeFileSync(join(folder, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  const { packages } = loadedBy({ env: { BELAY_CODEC_KEYS: 'none' }, status: 1 }, 'status');
  expect(packages).toContain('@temporalio/client');
  const others = packages.filter((name) => /^(@slack|@aws-sdk|@kubernetes)\/|^(@temporalio\/worker|undici|express|webpack)$/.test(name));
  expect(others).toEqual([]);
});

test('the help of belay is the same as if every command were loaded, in their order', async () => {
  const [listed, whole] = [await programFor([]), await wholeProgram()];
  expect(listed.helpInformation()).toBe(whole.helpInformation());
  const [first] = whole.commands;
  expect(first?.options.map(({ long }) => long)).toContain('--only');
});

test.each([
  { args: ['check', '--only', 'EKS001'], loaded: 'check' },
  { args: ['-V', 'check'], loaded: 'check' },
  { args: ['--', 'check'], loaded: 'check' },
  { args: ['help', 'check'], loaded: 'check' },
  { args: ['chekc'], loaded: undefined },
  { args: ['constructor'], loaded: undefined },
  { args: [], loaded: undefined },
])('$args loads $loaded', async ({ args, loaded }) => {
  const { commands } = await programFor(args);
  const real = commands.filter(({ options }) => options.some(({ long }) => long === '--config'));
  expect(real.map((command) => command.name())).toEqual(loaded === undefined ? [] : [loaded]);
});
