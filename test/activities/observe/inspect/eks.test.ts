/** Kubernetes versions that EKS offers. */
import { expect, test } from 'vitest';
import { listOfferedVersions } from '../../../../activities/observe/inspect/eks.ts';
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
