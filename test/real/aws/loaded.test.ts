/** kubectl and the AWS CLI, unmodified, against a world that was loaded from a snapshot: they print what they print of its source. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithKubectl } from '../../support/tools.ts';
import { type LoadedWorlds, openLoadedWorlds } from './loaded-worlds.ts';
import { pythonTools } from './tools.ts';

let worlds: LoadedWorlds;

beforeAll(async () => {
  worlds = await openLoadedWorlds();
});
afterAll(() => worlds.close());

test.each([
  ['describe-cluster', '--name', 'shop'],
  ['list-nodegroups', '--cluster-name', 'shop'],
  ['describe-nodegroup', '--cluster-name', 'shop', '--nodegroup-name', 'system'],
  ['list-addons', '--cluster-name', 'shop'],
  ['describe-addon', '--cluster-name', 'shop', '--addon-name', 'vpc-cni'],
  ['list-fargate-profiles', '--cluster-name', 'shop'],
])('aws eks %s %s %s', async (...args) => {
  const [before, after] = await worlds.both(join(pythonTools(), 'aws'), 'eks', ...args);
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
    const [before, after] = await worlds.both('kubectl', ...args);
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
