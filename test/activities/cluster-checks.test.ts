/** Checks of what stands in the way of pods: volumes left on nodes that are gone, webhooks with nobody behind them, budgets, lone replicas. */
import { describe, expect, test } from '@jest/globals';
import { checkDisruptionBudgets } from '../../activities/checks/disruption.ts';
import { checkVolumes } from '../../activities/checks/volumes.ts';
import { checkWebhooks } from '../../activities/checks/webhooks.ts';
import { checkWorkloads } from '../../activities/checks/workloads.ts';
import { failureOf } from '../../activities/translate-errors.ts';
import { FakeKubernetes, type Seed } from '../support/fake-kubernetes.ts';
import { budgetObject, podObject, workloadObject } from '../support/kubernetes-objects.ts';

/** Nothing may be listed. */
function blind(): FakeKubernetes {
  const port = new FakeKubernetes();
  port.list = (query) => Promise.reject(failureOf('AccessDenied', `not permitted: it needs list on ${query.plural}`));
  return port;
}

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
      code: 'K8S010',
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
      code: 'K8S011',
      severity: 'required',
      status: 'fail',
      message: 'Nobody behind policy (Service security/policy is not there), and failurePolicy is Fail: pods that match cannot be created.',
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

  const served = (conditions: object, type = 'ClusterIP'): FakeKubernetes =>
    cluster()
      .put('v1', 'services', { metadata: { name: 'policy', namespace: 'security' }, spec: { type } })
      .put('discovery.k8s.io/v1', 'endpointslices', {
        metadata: { name: 'policy-x7', namespace: 'security', labels: { 'kubernetes.io/service-name': 'policy' } },
        endpoints: [{ conditions }],
      });

  test('K19: one whose Service has no ready endpoint is named', async () => {
    expect(await checkWebhooks(served({ ready: false }))).toMatchObject({
      status: 'fail',
      message:
        'Nobody behind policy (Service security/policy has no ready endpoint), and failurePolicy is Fail: pods that match cannot be created.',
    });
  });

  test.each<[string, FakeKubernetes]>([
    ['a ready endpoint', served({ ready: true })],
    ['an endpoint of which nothing is said', served({})],
    ['a name outside the cluster', served({ ready: false }, 'ExternalName')],
  ])('K19: nor one with %s behind its Service', async (_what, port) => {
    expect(await checkWebhooks(port)).toMatchObject({ status: 'pass' });
  });
});

describe('disruption budgets', () => {
  const cluster = (...budgets: Seed[]): FakeKubernetes => {
    const port = new FakeKubernetes()
      .put('v1', 'pods', podObject('shop', 'cart-1', { labels: { app: 'cart', tier: 'web' } }))
      .put(
        'v1',
        'pods',
        podObject('shop', 'agent-1', { labels: { app: 'cart', tier: 'web' }, owner: { kind: 'DaemonSet', name: 'agent' } }),
      )
      .put('v1', 'pods', podObject('shop', 'job-1', { labels: { app: 'cart', tier: 'web' }, phase: 'Succeeded' }));
    for (const budget of budgets) port.put('policy/v1', 'poddisruptionbudgets', budget);
    return port;
  };
  const [cart, web] = [{ matchLabels: { app: 'cart' } }, { matchLabels: { tier: 'web' } }];

  test('K13: two on one pod are named, although each of them allows an eviction', async () => {
    const [, two] = await checkDisruptionBudgets(cluster(budgetObject('shop', 'cart', cart, 1), budgetObject('shop', 'web', web, 1)));
    expect(two).toMatchObject({
      code: 'K8S013',
      severity: 'required',
      status: 'fail',
      message:
        'Matched by more than one disruption budget: shop/cart-1 (cart, web). Eviction refuses such pods, so their nodes will not drain.',
      resources: ['shop/cart-1 (cart, web)'],
    });
  });

  test.each<[string, Seed[]]>([
    ['one', [budgetObject('shop', 'cart', cart, 1)]],
    ['one of another namespace', [budgetObject('shop', 'cart', cart, 1), budgetObject('bank', 'web', web, 1)]],
    ['one of other pods', [budgetObject('shop', 'cart', cart, 1), budgetObject('shop', 'db', { matchLabels: { app: 'db' } }, 1)]],
  ])('K13: with %s there is nothing to say', async (_what, budgets) => {
    expect((await checkDisruptionBudgets(cluster(...budgets))).map(({ status }) => status)).toEqual(['pass', 'pass']);
  });

  test('K13: what may not be listed is unknown', async () => {
    expect((await checkDisruptionBudgets(blind())).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  });
});

describe('workloads', () => {
  const cluster = (...deployments: Seed[]): FakeKubernetes => {
    const port = new FakeKubernetes();
    for (const deployment of deployments) port.put('apps/v1', 'deployments', deployment);
    return port;
  };
  const containers = (image: string): object => ({ template: { spec: { containers: [{ name: 'main', image }] } } });

  test('K16: one with one replica is named with the outage to expect, and stops nothing', async () => {
    const port = cluster(workloadObject('Deployment', 'shop', 'cart', { replicas: 2 }), workloadObject('Deployment', 'ci', 'atlantis'));
    port.put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'shop', 'db', { replicas: undefined }));
    expect((await checkWorkloads(port))[0]).toMatchObject({
      code: 'K8S012',
      severity: 'recommended',
      status: 'fail',
      message: 'One replica only: ci/atlantis, shop/db. Each is away for about a minute when its node is replaced.',
    });
  });

  test('K16: with two, or none, nothing is away', async () => {
    const port = cluster(...[2, 0].map((replicas) => workloadObject('Deployment', 'shop', `cart-${replicas}`, { replicas })));
    expect((await checkWorkloads(port))[0]).toMatchObject({ status: 'pass', message: 'Every workload has more than one replica.' });
  });

  test.each<[string, Seed]>([
    ['its name', workloadObject('Deployment', 'kube-system', 'prod-aws-cluster-autoscaler', { replicas: 2 })],
    [
      'its image',
      workloadObject('Deployment', 'kube-system', 'scaler', {
        replicas: 2,
        ...containers('registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0'),
      }),
    ],
  ])('K18: a cluster autoscaler is found by %s, with what to do', async (_what, deployment) => {
    expect((await checkWorkloads(cluster(deployment)))[1]).toMatchObject({
      code: 'K8S014',
      severity: 'recommended',
      status: 'fail',
      message: `A cluster autoscaler is at work (kube-system/${deployment.metadata.name}): it adds and removes nodes while they are replaced. Scale it to 0 until the upgrade is done.`,
    });
  });

  test.each<[string, Seed]>([
    ['scaled to 0', workloadObject('Deployment', 'kube-system', 'cluster-autoscaler', { replicas: 0 })],
    [
      'another one, of pods',
      workloadObject('Deployment', 'kube-system', 'cluster-proportional-autoscaler', {
        replicas: 2,
        ...containers('registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0'),
      }),
    ],
  ])('K18: one that is %s does not count', async (_what, deployment) => {
    expect((await checkWorkloads(cluster(deployment)))[1]).toMatchObject({ status: 'pass' });
  });

  test('K16 K18: what may not be listed is unknown', async () => {
    expect((await checkWorkloads(blind())).map(({ code, status }) => [code, status])).toEqual([
      ['K8S012', 'unknown'],
      ['K8S014', 'unknown'],
    ]);
  });
});
