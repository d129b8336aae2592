/** The package runs from an empty folder: the first look at a cluster, the plan, and a whole rehearsal, all from compiled code. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseReport } from '../../render/readiness/json-report.ts';
import { CHECKOUT_ENGINES, PACKED_ENGINES } from '../../scripts/release/manifest.ts';
import { BELAY_ACCESS_KEY } from '../../rehearsal/world/core/rights.ts';
import { type Ran, runBelay, type RunOptions } from '../cli/run-belay.ts';
import { root } from '../deploy/files.ts';
import { processesOf } from '../support/processes.ts';
import { type RunningWorld, startWorld } from '../support/world.ts';
import { install, pack, type Packed } from './installed.ts';

const HOME = process.env['HOME'] ?? '';
let folder: string;
let packed: Packed;
let main: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-packed-'));
  packed = pack(folder);
  main = install(packed.tarball, folder);
}, 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifestIn = (path: string): unknown => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
const belay = (args: string[], options: RunOptions = {}): Promise<Ran> =>
  runBelay(args, { cwd: folder, ...options, main, env: { TMPDIR: folder, ...options.env } });

test('the tarball has the command, its compiled code and what people copy, and nothing that only developers need', () => {
  const wanted = [
    'cli/bin.mjs',
    'dist/bundle/LICENSES.txt',
    'dist/bundle/main.cjs',
    'dist/bundle-processes/LICENSES.txt',
    'dist/bundle-processes/main.cjs',
    'dist/cli/main.js',
    'dist/rehearsal/neighbours/slack/page/index.html',
    'docs/readiness.schema.json',
    'deploy/iam-policy.json',
    'deploy/kubernetes-rbac.yaml',
    'slack/manifest.yaml',
    'belay.example.yaml',
    'README.md',
    'LICENSE',
  ];
  expect(wanted.filter((path) => !packed.files.includes(path))).toEqual([]);
  expect(
    packed.files.filter((path) => /^(test|scripts|actions|\.github)\/|(?<!\.d)\.ts$|\.env$|\.tgz$|(^|\/)belay\.yaml$/.test(path)),
  ).toEqual([]);
});

test('the tarball is small, and says on which Node it runs; the checkout is as it was', () => {
  expect(statSync(packed.tarball).size).toBeLessThan(20_000_000);
  expect(manifestIn(join(folder, 'node_modules/eks-belay'))).toMatchObject({ engines: { node: PACKED_ENGINES } });
  expect(manifestIn(root)).toMatchObject({ engines: { node: CHECKOUT_ENGINES } });
});

test('schemas are imported by name, and no code is', () => {
  const load = createRequire(join(folder, 'index.js'));
  expect(load('eks-belay/schemas/readiness.json')).toHaveProperty('$schema');
  expect(() => load.resolve('eks-belay')).toThrow('No "exports" main defined');
});

test('it knows its version and what it may at most', async () => {
  expect(await belay(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  expect((await belay(['check', '--permissions'])).stdout).toContain('name: belay-check');
});

test('what is loaded only where it is needed is found in the package: a snapshot is checked, planned and simulated in a thread', async () => {
  const snapshot = join(root, 'rehearsal/scenarios/samples/small.snapshot.gz');
  const of = (command: string): Promise<Ran> => belay([command, '--snapshot', snapshot, '--target', '1.32', '--format', 'json']);
  expect(parseReport((await of('check')).stdout)).toMatchObject({ target: '1.32' });
  expect(JSON.parse((await of('plan')).stdout)).toMatchObject({ kind: 'plan', plan: { hops: ['1.32'] } });
  expect(await of('forecast')).toMatchObject({ code: 0, stderr: '' });
});

test('an unreachable Temporal is named by the bundle, too', async () => {
  writeFileSync(
    join(folder, 'away.yaml'),
    'clusters:\n  small: { region: eu-central-1, account: "111122223333" }\ntemporal: { address: "127.0.0.1:1" }\n',
  );
  expect(await belay(['status', '--config', 'away.yaml'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Temporal at 127.0.0.1:1 does not answer. Start it, or set TEMPORAL_ADDRESS to a running server.\n',
  });
});

describe('an older Node', () => {
  /** As a Node 20 introduces itself. */
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.1'}})`;
  const version = (): Promise<Ran> => belay(['--version'], { nodeOptions: [`--import=${pretend}`] });

  test('is told what to do', async () => {
    expect(await version()).toEqual({
      code: 1,
      stdout: '',
      stderr: 'belay needs Node 22.19 or later, and this is 20.11.1. Install a newer Node, or "npm install node@24" beside eks-belay.\n',
    });
  });

  test('hands over to the one that is installed beside', async () => {
    const beside = join(folder, 'node_modules', 'node');
    mkdirSync(join(beside, 'bin'), { recursive: true });
    writeFileSync(join(beside, 'package.json'), '{"name":"node"}');
    cpSync(process.execPath, join(beside, 'bin', 'node'));
    try {
      expect(await version()).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    } finally {
      rmSync(beside, { recursive: true });
    }
  });
});

describe('beside a cluster', () => {
  let world: RunningWorld;
  beforeAll(async () => {
    world = await startWorld(folder, 'small', main);
    writeFileSync(join(folder, 'belay.yaml'), 'clusters:\n  small: { region: eu-central-1, account: "111122223333" }\n');
  });
  afterAll(async () => {
    expect(await world.stop()).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });
  const read = (args: string[]): Promise<Ran> =>
    belay(args, {
      env: { AWS_ENDPOINT_URL: world.endpoints.eks, AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY, AWS_SECRET_ACCESS_KEY: 'rehearsal' },
    });

  test('with a kubeconfig of aws eks update-kubeconfig and nothing else: a check, its page, and what a belay.yaml would add', async () => {
    const { kubeconfig, eks } = world.endpoints;
    const arn = 'arn:aws:eks:eu-central-1:111122223333:cluster/small';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      args: ['eks', 'get-token', '--cluster-name', 'small'],
    };
    const { clusters }: { clusters: unknown[] } = parse(readFileSync(kubeconfig, 'utf8'));
    const users = [{ name: arn, user: { exec } }];
    const contexts = [{ name: arn, context: { cluster: 'small', user: arn } }];
    const bare = join(folder, 'bare');
    mkdirSync(bare);
    writeFileSync(
      join(bare, 'kubeconfig'),
      stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': arn, clusters, users, contexts }),
    );
    const ran = await belay(['check', '--output', 'report.html'], {
      cwd: bare,
      env: {
        KUBECONFIG: join(bare, 'kubeconfig'),
        AWS_ENDPOINT_URL: eks,
        AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY,
        AWS_SECRET_ACCESS_KEY: 'rehearsal',
      },
    });
    // Nothing that belay.yaml would have to say keeps the cluster from being ready.
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(`small is at 1.31, in account 111122223333, eu-central-1 (context ${arn}).`);
    expect(ran.stderr).toMatch(/Written to report\.html\.\nNo belay\.yaml was used: it adds /);
    expect(readFileSync(join(bare, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
    rmSync(bare, { recursive: true });
  });

  test('belay check', async () => {
    const { stdout, stderr } = await read(['check', 'small', '--target', '1.32', '--format', 'json', '--fail-on', 'never']);
    expect(stderr).not.toMatch(/\n\s+at /);
    const report = parseReport(stdout);
    expect(report).toMatchObject({ from: '1.31', target: '1.32' });
    expect(report?.nodes?.length).toBeGreaterThan(0);
    expect(report?.findings.find(({ code }) => code === 'EKS001')?.status).toBe('pass');
  });

  test('belay plan', async () => {
    const ran = await read(['plan', 'small', '--target', '1.32', '--format', 'json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'plan', plan: { from: '1.31', hops: ['1.32'] } });
  });
});

test('belay rehearse plays an upgrade to its end by worker and Slack app from their bundle, and leaves nothing', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'belay-packed-cache-'));
  const env = { HOME, NODE_COMPILE_CACHE: cache };
  const before = readdirSync(folder);
  const ran = await belay(['rehearse', '--scenario', 'small', '--speed', '600', '--auto', 'approve'], { env, limitMs: 150_000 });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('outcome      completed: small is at 1.32');
  expect(ran.stdout).toContain('left behind  nothing');
  expect(readdirSync(folder)).toEqual(before);
  expect(processesOf(folder)).toEqual([]);
  // What the bundles' loader keeps of a run.
  const kept = readdirSync(cache, { recursive: true, encoding: 'utf8' }).flatMap((path) => /(\w+)\.v8$/.exec(path)?.[1] ?? []);
  rmSync(cache, { recursive: true });
  expect(kept.toSorted()).toEqual(['slack', 'worker']);
});
