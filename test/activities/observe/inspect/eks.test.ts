/** Kubernetes versions that EKS offers, and node groups. */
import { expect, test } from 'vitest';
import { listOfferedVersions, nodeGroupFact } from '../../../../activities/observe/inspect/eks.ts';
import { startFakeEks } from '../../support/fake-eks.ts';

test('each version is offered once, as it is listed first; an entry without a version is none', async () => {
  const eks = await startFakeEks();
  const clusterVersions = [
    { clusterVersion: '1.33', clusterType: 'eks', versionStatus: 'STANDARD_SUPPORT' },
    { clusterType: 'eks' },
    { clusterVersion: '1.33', clusterType: 'eks-local-outposts', versionStatus: 'EXTENDED_SUPPORT' },
    { clusterVersion: '1.32', clusterType: 'eks', versionStatus: 'EXTENDED_SUPPORT' },
  ];
  eks.extra = (_method, path) => (path === '/cluster-versions' ? { clusterVersions } : undefined);
  expect((await listOfferedVersions(eks.aws)).map(({ version, status }) => [version, status])).toEqual([
    ['1.33', 'STANDARD_SUPPORT'],
    ['1.32', 'EXTENDED_SUPPORT'],
  ]);
  await eks.close();
});

test.each([
  ['CAPACITY_BLOCK', true],
  ['ON_DEMAND', undefined],
  ['SPOT', undefined],
] as const)('a node group of capacity type %s: it is on a Capacity Block (%s)', (capacityType, capacityBlock) => {
  expect(nodeGroupFact({ nodegroupName: 'trains', capacityType }).capacityBlock).toBe(capacityBlock);
});
