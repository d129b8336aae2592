/** `belay snapshot` and `belay snapshot show`, against the twin. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, vi, test } from 'vitest';
import { snapshotCommand } from '../../../cli/commands/snapshot.ts';
import { exitCodeOf } from '../../../cli/shared/errors.ts';
import { writeKubeconfig } from '../../../rehearsal/world/core/endpoints.ts';
import { type CheckGround, openTwinGround } from '../../support/check-ground.ts';

let ground: CheckGround;
let file: string;
const out: string[] = [];
const err: string[] = [];

beforeAll(async () => {
  ground = await openTwinGround('small');
  Object.assign(process.env, ground.env);
  file = join(ground.directory, 'small.gz');
  await run(ground.cluster, '-o', file);
});
afterAll(() => ground.close());
beforeEach(() => {
  out.length = 0;
  err.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function run(...args: string[]): Promise<void> {
  await snapshotCommand().parseAsync(['node', 'belay', ...args]);
}

/** What it ends with, and its exit code. */
async function refusal(...args: string[]): Promise<string> {
  try {
    await run(...args);
  } catch (error) {
    return `${exitCodeOf(error)}: ${error instanceof Error ? error.message : String(error)}`;
  }
  throw new Error('it was not refused');
}

const linesOf = (name: string): string[] => gunzipSync(readFileSync(name)).toString().trimEnd().split('\n');

/** A copy of the snapshot with its lines changed. */
function altered(change: (lines: string[]) => string[]): string {
  const copy = join(ground.directory, 'altered.gz');
  writeFileSync(copy, gzipSync(`${change(linesOf(file)).join('\n')}\n`));
  return copy;
}

describe('taking one', () => {
  test('says what was written, and refuses to replace it', async () => {
    const other = join(ground.directory, 'other.gz');
    await run(ground.cluster, '-o', other);
    expect(err.join('')).toMatch(new RegExp(`${other}: \\d+ kB, \\d+ objects\\. See what is in it with "belay snapshot show ${other}"\\.`));
    const before = statSync(other).mtimeMs;
    expect(await refusal(ground.cluster, '-o', other)).toBe(`1: ${other} already exists. Name another file, or replace it with --force.`);
    await run(ground.cluster, '-o', other, '--force');
    expect(statSync(other).mtimeMs).toBeGreaterThan(before);
  });

  test('by a context of a kubeconfig, without belay.yaml', async () => {
    const { kubernetes, kubernetesToken } = ground.stage;
    const { name, region, account } = ground.stage.built.scenario.cluster;
    const kubeconfig = join(ground.directory, 'contexts.yaml');
    const by = join(ground.directory, 'by-context.gz');
    writeKubeconfig(kubeconfig, { ...kubernetes, cluster: `arn:aws:eks:${region}:${account}:cluster/${name}`, token: kubernetesToken });
    await run('--context', `arn:aws:eks:${region}:${account}:cluster/${name}`, '--kubeconfig', kubeconfig, '-o', by);
    expect(JSON.parse(linesOf(by)[0] ?? '')).toMatchObject({ cluster: { name, region, account } });
  });

  test.each([
    [[], '1: Which file? Name it with -o, for example: belay snapshot CLUSTER -o cluster.snapshot.json.gz'],
    [['-o', 'f'], '1: Which cluster? Name one from belay.yaml: belay snapshot CLUSTER -o FILE.'],
    [['small'], '1: Which file? Name it with -o, for example: belay snapshot CLUSTER -o cluster.snapshot.json.gz'],
    [
      ['small', '--context', 'x', '-o', 'f'],
      '1: Use either small or --context, not both: the first is looked up in AWS, the second in a kubeconfig.',
    ],
    [
      ['small', '--kubeconfig', 'x', '-o', 'f'],
      '1: Use either small or --kubeconfig, not both: the first is looked up in AWS, the second in a kubeconfig.',
    ],
    [['small', '--map', 'm', '-o', 'f'], '1: --map needs --anonymize: otherwise names stay as they are, and there is no map.'],
  ])('refuses %j', async (args, why) => {
    expect(await refusal(...args)).toBe(why);
  });

  test('a folder that is not there', async () => {
    const nowhere = join(ground.directory, 'nowhere', 'x.gz');
    expect(await refusal(ground.cluster, '-o', nowhere)).toMatch(
      /^1: \S+nowhere\/x\.gz cannot be written: .*ENOENT.*\. Choose another place with -o$/,
    );
  });

  test('a context of another cloud is named', async () => {
    const kubeconfig = join(ground.directory, 'gke.yaml');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'gke_project_zone_c', cluster: { server: 'https://192.0.2.1' } }],
        users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'gke-gcloud-auth-plugin' } } }],
        contexts: [{ name: 'gke', context: { cluster: 'gke_project_zone_c', user: 'u' } }],
      }),
    );
    expect(await refusal('--context', 'gke', '--kubeconfig', kubeconfig, '-o', 'f')).toBe(
      '1: Context "gke" is not recognized as an EKS cluster: its cluster name is neither an EKS ARN nor one by eksctl, and its user does not run "aws eks get-token". Name another one with --context, or the cluster with --cluster NAME --region REGION.',
    );
  });
});

describe('showing one', () => {
  test('in a screen', async () => {
    await run('show', file);
    expect(out.join('')).toMatch(/^Snapshot of small \(account \d{12}, [\w-]+\), Kubernetes 1\.\d+\n/);
    expect(out.join('')).toMatch(/\n +\d+ {2}v1 pods\n/);
    expect(out.join('')).toContain('It is complete.');
  });

  test('as JSON', async () => {
    await run('show', file, '--format', 'json');
    expect(JSON.parse(out.join(''))).toMatchObject({ cluster: { name: 'small' }, anonymized: false, gaps: [] });
  });

  test('F63: without names, with the map and without it', async () => {
    const [quiet, map] = [join(ground.directory, 'quiet.gz'), join(ground.directory, 'map.json')];
    await run(ground.cluster, '-o', quiet, '--anonymize', '--map', map);
    expect(statSync(map).mode & 0o777).toBe(0o600);
    await run('show', quiet);
    expect(out.join('')).toMatch(/^Snapshot of cluster-[a-z]{6} \(account account-[a-z]{6}, /);
    out.length = 0;
    await run('show', quiet, '--map', map);
    expect(out.join('')).toMatch(/^Snapshot of small \(account \d{12}, /);
    expect(await refusal('show', file, '--map', map)).toBe(
      `1: ${file} contains the real names: --map is only for snapshots taken with --anonymize.`,
    );
    expect(await refusal('show', quiet, '--map', quiet)).toMatch(/^1: \S+quiet\.gz is not a map written by belay snapshot --anonymize \(/);
  });
});

describe('what is no whole snapshot', () => {
  test('F57: truncated in its middle', async () => {
    const copy = join(ground.directory, 'truncated.gz');
    writeFileSync(copy, readFileSync(file));
    truncateSync(copy, Math.floor(statSync(file).size / 2));
    expect(await refusal('show', copy)).toBe(`1: ${copy} ends in the middle: it is truncated, copy it again or take a new snapshot`);
  });

  test('F57: without its last line', async () => {
    const lines = linesOf(file).length;
    expect(
      await refusal(
        'show',
        altered((all) => all.slice(0, -1)),
      ),
    ).toBe(
      `1: The snapshot ends after ${lines - 1} lines without its last one: the file is truncated, copy it again or take a new snapshot`,
    );
  });

  test('F57: altered', async () => {
    const copy = altered((lines) => lines.map((line) => line.replace('"phase":"Running"', '"phase":"Pending"')));
    expect(await refusal('show', copy)).toBe(
      '1: The snapshot was altered after it was taken: its SHA-256 does not match; copy it again or take a new snapshot',
    );
  });

  test('F56: of a newer Belay', async () => {
    const copy = altered(([header = '', ...rest]) => [
      header.replace('"version":1', '"version":2').replace('"belay":"0.1.0"', '"belay":"9.1.0"'),
      ...rest,
    ]);
    expect(await refusal('show', copy)).toBe(
      '1: The snapshot has format version 2 and was taken by Belay 9.1.0; this Belay reads versions up to 1: use Belay 9.1.0 or newer',
    );
  });

  test('not compressed, no snapshot, not there', async () => {
    const plain = join(ground.directory, 'belay.yaml');
    expect(await refusal('show', plain)).toBe(
      `1: ${plain} is not compressed with gzip, so it is no snapshot; take one with belay snapshot`,
    );
    const other = altered(() => ['{"kind":"Deployment"}']);
    expect(await refusal('show', other)).toBe(
      "1: The file is no snapshot of Belay's: its first line is no header of format belay-snapshot",
    );
    expect(await refusal('show', 'nowhere.gz')).toBe(
      '1: There is no file nowhere.gz: take a snapshot with belay snapshot CLUSTER -o nowhere.gz',
    );
  });
});
