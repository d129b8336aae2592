/** What other clusters run is read from their NodeClaims and node classes; what cannot be read says why. */
import { describe, expect, test } from 'vitest';
import { readPromotion } from '../../../../activities/observe/inspect/promotion.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER, NOW } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject } from '../../../support/kubernetes-objects.ts';

const AMI = 'amazon-eks-node-al2023-x86_64-standard-1.34-v20260801';
const from = { clusters: [{ ...CLUSTER, name: 'staging' }], bakedDays: 7 };

function staging(claims: Record<string, { image?: string; bornAt?: string; deleting?: boolean; nodeClass?: string; group?: string }>) {
  const port = new FakeKubernetes();
  port.now = NOW;
  const amis = [
    { id: 'ami-new', name: AMI },
    { id: 'ami-gpu', name: 'amazon-eks-node-al2023-x86_64-nvidia-1.34-v20260801' },
  ];
  port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', { ...nodeClassObject('default'), status: { amis } });
  port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('own', { amiFamily: 'Custom', amiSelectorTerms: [{ tags: {} }] }));
  for (const [name, { image = 'ami-new', bornAt = '2026-08-20T09:00:00Z', deleting, ...of }] of Object.entries(claims)) {
    const claim = nodeClaimObject(name, name, { image, ...of });
    const metadata = { ...claim.metadata, creationTimestamp: bornAt, ...(deleting === true ? { deletionTimestamp: NOW } : {}) };
    port.put('karpenter.sh/v1', 'nodeclaims', { ...claim, metadata });
  }
  return port;
}

const reading = (port: FakeKubernetes) => readPromotion({ clusterPorts: async () => ({ kubernetes: port }) }, from, 'unknown');

describe('what staging runs', () => {
  test('releases with their minors and ages; images that are not chosen any more, and those of others', async () => {
    const port = staging({
      a: {},
      b: { bornAt: '2026-09-01T09:00:00Z' },
      leaving: { image: 'ami-old', deleting: true },
      old: { image: 'ami-old' },
      gpu: { image: 'ami-gpu' },
      own: { nodeClass: 'own', image: 'ami-own' },
      auto: { group: 'eks.amazonaws.com', image: 'ami-auto' },
      stray: { nodeClass: 'gone', image: 'ami-gone' },
      starting: { image: '' },
    });
    expect(await reading(port)).toEqual([
      {
        cluster: 'staging',
        releases: [
          {
            family: 'al2023',
            release: 'v20260801',
            minors: ['1.34'],
            nodeCount: 2,
            firstAt: '2026-08-20T09:00:00Z',
            lastAt: '2026-09-01T09:00:00Z',
          },
        ],
        unknown: [{ family: 'al2023', nodeCount: 2 }],
        readAt: NOW,
      },
    ]);
  });

  test('a cluster that refuses, or has no Karpenter, is unseen with the reason', async () => {
    const refused = staging({});
    refused.list = async () => Promise.reject(failureOf('AccessDenied', 'listing ec2nodeclasses: forbidden'));
    expect(await reading(refused)).toMatchObject([{ releases: [], unseen: expect.stringContaining('forbidden') }]);
    expect((await reading(new FakeKubernetes()))[0]?.unseen).toContain('does not serve karpenter.k8s.aws/v1');
  });
});
