/** Checks of what stands in the way of pods: volumes left on nodes that are gone, webhooks without a Service. */
import { describe, expect, test } from '@jest/globals';
import { checkVolumes } from '../../activities/checks/volumes.ts';
import { checkWebhooks } from '../../activities/checks/webhooks.ts';
import { FakeKubernetes } from '../support/fake-kubernetes.ts';

const attachment = (name: string, nodeName: string) => ({
  metadata: { name },
  spec: { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: `pv-${name}` } },
});

describe('volumes', () => {
  const cluster = (): FakeKubernetes => new FakeKubernetes().put('v1', 'nodes', { metadata: { name: 'here' } });
  const STORAGE = 'storage.k8s.io/v1';

  test('K15: one that is attached to a node that is gone is named, and no success', async () => {
    const port = cluster()
      .put(STORAGE, 'volumeattachments', attachment('a', 'here'))
      .put(STORAGE, 'volumeattachments', attachment('b', 'gone'));
    expect(await checkVolumes(port)).toMatchObject({
      code: 'BLY-K8S-010',
      severity: 'required',
      status: 'fail',
      message: 'Attached to a node that is gone: pv-b on gone. Pods that want them cannot start elsewhere.',
    });
  });

  test('K15: all on nodes that are there', async () => {
    const port = cluster().put(STORAGE, 'volumeattachments', attachment('a', 'here'));
    expect(await checkVolumes(port)).toMatchObject({ status: 'pass' });
  });
});

describe('webhooks', () => {
  const rules = [{ apiGroups: [''], operations: ['CREATE'], resources: ['pods'] }];
  const service = { name: 'policy', namespace: 'security' };
  const webhook = (change: object = {}) => ({
    metadata: { name: 'policy' },
    webhooks: [{ name: 'policy.example.com', clientConfig: { service }, failurePolicy: 'Fail', rules, ...change }],
  });
  const cluster = (change: object = {}): FakeKubernetes =>
    new FakeKubernetes().put('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', webhook(change));

  test('K19: one that fails closed without its Service is named', async () => {
    expect(await checkWebhooks(cluster())).toMatchObject({
      code: 'BLY-K8S-011',
      severity: 'required',
      status: 'fail',
      message: 'No Service behind policy (Service security/policy), and failurePolicy is Fail: pods that match cannot be created.',
    });
  });

  test('K19: without a failurePolicy it is Fail', async () => {
    expect(await checkWebhooks(cluster({ failurePolicy: undefined }))).toMatchObject({ status: 'fail' });
  });

  test.each<[string, object]>([
    ['fails open', { failurePolicy: 'Ignore' }],
    ['is not asked about pods', { rules: [{ apiGroups: ['apps'], operations: ['CREATE'], resources: ['deployments'] }] }],
    ['is outside the cluster', { clientConfig: { url: 'https://policy.example.com' } }],
  ])('K19: one that %s does not count', async (_what, change) => {
    expect(await checkWebhooks(cluster(change))).toMatchObject({ status: 'pass' });
  });

  test('K19: nor one whose Service is there', async () => {
    const port = cluster().put('v1', 'services', { metadata: { name: 'policy', namespace: 'security' } });
    expect(await checkWebhooks(port)).toMatchObject({ status: 'pass' });
  });
});
