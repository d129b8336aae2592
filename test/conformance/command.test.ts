/** `belay conformance` as people and CI run it: what it prints, and how it ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ran, runBelay } from '../cli/run-belay.ts';
import { DISPOSABLE } from './scenario.ts';
import { type ConformanceTwin, openTwin } from './support.ts';

let cwd: string;
let twin: ConformanceTwin;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-conformance-'));
});
afterEach(async () => {
  await twin.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** The cluster in an environment of this name. */
async function open(environment: string, faults: string[] = []): Promise<void> {
  twin = await openTwin(DISPOSABLE, faults);
  const { name, region, account } = DISPOSABLE.cluster;
  const cluster = `clusters:\n  ${name}: { region: ${region}, account: "${account}", environment: ${environment} }\n`;
  writeFileSync(join(cwd, 'belay.yaml'), `environments:\n  ${environment}: {}\n${cluster}`);
}

/** By somebody who may do everything. */
const conformance = (...args: string[]): Promise<Ran> => conformanceWith({}, ...args);

function conformanceWith(env: Record<string, string>, ...args: string[]): Promise<Ran> {
  const access = {
    AWS_ENDPOINT_URL: twin.stage.aws.url,
    AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000',
    AWS_SECRET_ACCESS_KEY: 'administrator',
  };
  return runBelay(['conformance', ...args], { cwd, env: { ...access, ...env }, limitMs: 60_000 });
}

test('0: all that was tried held; the result and the recording are files', async () => {
  await open('development');
  const ran = await conformance(
    'disposable',
    '--only',
    'EKS-ARN,EKS-PAGES',
    '--format',
    'json',
    '-o',
    'out.json',
    '--recording',
    'seen.json',
  );
  expect([ran.code, ran.stdout]).toEqual([0, '']);
  expect(JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8'))).toMatchObject({ counts: { held: 2, broken: 0 } });
  const seen = readFileSync(join(cwd, 'seen.json'), 'utf8');
  expect(seen).toContain('ListAddons');
  expect(seen).not.toContain(DISPOSABLE.cluster.account);
}, 270_000);

test('a file has no colours, whatever the terminal shows', async () => {
  await open('development');
  const ran = await conformanceWith({ FORCE_COLOR: '1', NO_COLOR: '' }, 'disposable', '--only', 'EKS-ARN', '-o', 'held.txt');
  expect([ran.code, ran.stdout]).toEqual([0, '']);
  expect(readFileSync(join(cwd, 'held.txt'), 'utf8')).toMatch(/\nHeld:\n✓ EKS-ARN: [^\n]+\n$/);
}, 270_000);

test('2: a belief did not hold, and is named', async () => {
  await open('development', ['eks:lie=token-forgotten']);
  const ran = await conformance('--disposable', 'disposable', '--yes', '--without-temporal', '--only', 'EKS-ARN,EKS-TOKEN-SAME');
  expect([ran.code, ran.stdout]).toEqual([2, expect.stringMatching(/EKS-TOKEN-SAME[^]*ResourceInUseException/)]);
  expect(ran.stderr).toContain('1 belief did not hold on disposable');
}, 270_000);

test('1: what cannot be run is said with what would be right', async () => {
  await open('development');
  expect(await conformance()).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Which cluster? Name one from belay.yaml: belay conformance CLUSTER.\n',
  });
  const unknown = await conformance('disposable', '--only', 'EKS-ARM');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'Unknown belief: EKS-ARM. Did you mean EKS-ARN? docs/inside/beliefs.md lists them.\n',
  ]);
  const two = await conformance('other', '--disposable', 'disposable');
  expect([two.code, two.stderr]).toEqual([1, 'Name one cluster, not two: other or --disposable disposable.\n']);
}, 270_000);

test('a cluster of production is not disposable, and nothing of it is changed', async () => {
  await open('production');
  const ran = await conformance('--disposable', 'disposable', '--yes', '--without-temporal');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringContaining('production')]);
  expect(twin.stage.built.world.journal.mutations).toEqual([]);
}, 270_000);

test('without a terminal nobody is asked, and without --yes nothing is changed', async () => {
  await open('development');
  const ran = await conformance('--disposable', 'disposable', '--without-temporal');
  expect([ran.code, ran.stderr]).toEqual([2, 'Add --yes: there is no terminal to ask whether this cluster may be changed.\n']);
  expect(twin.stage.built.world.journal.mutations).toEqual([]);
}, 270_000);
