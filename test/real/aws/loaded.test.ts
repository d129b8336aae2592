/** kubectl and the AWS CLI, unmodified, against a world that was loaded from a snapshot: they print what they print of its source. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { SAMPLES } from '../../rehearsal/snapshot/sample-worlds.ts';
import { type CheckGround, openTwinGround } from '../../support/check-ground.ts';
import { takeFrom } from '../../support/snapshots.ts';
import { describeWithKubectl } from '../../support/tools.ts';
import { pythonTools } from './tools.ts';
import { printed } from './twin.ts';

let source: CheckGround;
let loaded: CheckGround;

beforeAll(async () => {
  const { shop } = SAMPLES;
  if (shop === undefined) throw new Error('there is no sample shop');
  source = await openTwinGround(shop);
  const file = join(source.directory, 'shop.snapshot.gz');
  await takeFrom(source, file);
  loaded = await openTwinGround(snapshotScenario(await readSnapshotFile(file), shop.to));
});
afterAll(async () => {
  await Promise.all([source.close(), loaded.close()]);
});

async function both(program: string, ...args: string[]): Promise<[string, string]> {
  const of = ({ env }: CheckGround): Promise<string> =>
    printed(program, args, { ...env, AWS_DEFAULT_REGION: env['AWS_REGION'], TZ: 'UTC' });
  return [await of(source), await of(loaded)];
}

test.each([
  ['describe-cluster', '--name', 'shop'],
  ['list-nodegroups', '--cluster-name', 'shop'],
  ['describe-nodegroup', '--cluster-name', 'shop', '--nodegroup-name', 'system'],
  ['list-addons', '--cluster-name', 'shop'],
  ['describe-addon', '--cluster-name', 'shop', '--addon-name', 'vpc-cni'],
  ['list-fargate-profiles', '--cluster-name', 'shop'],
])('aws eks %s %s %s', async (...args) => {
  const [before, after] = await both(join(pythonTools(), 'aws'), 'eks', ...args);
  expect(before.length).toBeGreaterThan(10);
  expect(elsewhere(after)).toBe(elsewhere(before));
});

describeWithKubectl('kubectl', () => {
  test.each([
    ['get', 'nodes,pods,pdb,deployments,statefulsets,pv,pvc,nodepools,nodeclaims', '-A', '-o', 'name'],
    ['get', 'nodes', '-o', 'wide'],
    ['get', 'pods,pdb', '-A'],
    ['describe', 'node', '-l', 'karpenter.sh/nodepool=data'],
    ['describe', 'pdb,deployment', '-n', 'internal'],
  ])('%s %s', async (...args) => {
    const [before, after] = await both('kubectl', ...args);
    expect(before.split('\n').length).toBeGreaterThan(5);
    expect(plain(after)).toBe(plain(before));
  });
});

/** Each has a server and a certificate of its own. */
const elsewhere = (text: string): string => text.replaceAll(/"(endpoint|data)": "[^"]+"/g, '"$1": "…"');

/** Without ages, which go on, and names among addresses: no snapshot keeps addresses, and a real node's stand-in has one. */
const plain = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^ +Hostname:/.test(line))
    .map((line) =>
      line
        .replaceAll(/\b(?:\d+[dhms]){1,2}\b/g, 'AGE')
        .replaceAll(/ +/g, ' ')
        .trimEnd(),
    )
    .join('\n');
