/** Karpenter as it runs: what a node class's user data is taken for, and of which API its objects are. */
import { expect, test } from 'vitest';
import { readKarpenter } from '../../../../activities/observe/inspect/karpenter.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import type { KarpenterFact, NodeClassFact } from '../../../../domain/facts/facts.ts';
import { FakeKubernetes, type Seed } from '../../../support/fake-kubernetes.ts';
import { nodeClassObject, nodePoolObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { unread } from '../../../support/unread.ts';

function controller(version: string, namespace = 'kube-system', replicas = 1): Seed {
  const deployment = workloadObject('Deployment', namespace, 'karpenter', {
    replicas,
    template: { spec: { containers: [{ name: 'controller', image: `public.ecr.aws/karpenter/controller:${version}` }] } },
  });
  return { ...deployment, metadata: { ...deployment.metadata, labels: { 'app.kubernetes.io/name': 'karpenter' } } };
}

const running = (version: string): FakeKubernetes => new FakeKubernetes().put('apps/v1', 'deployments', controller(version));

async function read(port: FakeKubernetes): Promise<KarpenterFact | undefined> {
  const reader = createReader('unknown');
  const fact = await readKarpenter(port, reader, [], 0);
  expect(reader.unknowns).toEqual([]);
  return fact;
}

test.each<[kind: NodeClassFact['userData'], text: string | undefined]>([
  ['none', undefined],
  ['none', ' \n'],
  ['shell', '/etc/eks/bootstrap.sh prod --kubelet-extra-args --v=4'],
  ['shell', '#!/bin/bash\necho hello\n'],
  ['nodeadm', 'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n'],
  ['nodeadm', 'MIME-Version: 1.0\n\n--//\n\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n'],
  ['mime', 'Content-Type: multipart/mixed\nmime-version: 1.0\n\n--//\n\n#!/bin/bash\n'],
  ['toml', '# ours\n  [settings.kubernetes]\nmax-pods = 40\n'],
  ['other', 'hello [settings'],
])('user data is taken for %s: %j', async (kind, userData) => {
  const port = running('1.8.2')
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', {}))
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default', { ...(userData !== undefined && { userData }) }));
  expect((await read(port))?.nodeClasses.map((nodeClass) => nodeClass.userData)).toEqual([kind]);
});

const named = (name: string): Seed => ({ metadata: { name }, spec: {} });

test.each([
  { version: '1.0.2', pools: { 'karpenter.sh/v1': 'nodepools' }, api: undefined },
  { version: 'v0.37.0', pools: { 'karpenter.sh/v1beta1': 'nodepools' }, api: 'v1beta1' },
  { version: 'v0.37.0', pools: { 'karpenter.sh/v1beta1': 'nodepools', 'karpenter.sh/v1alpha5': 'provisioners' }, api: 'v1beta1' },
  { version: 'v0.32.1', pools: { 'karpenter.sh/v1beta1': 'nodepools', 'karpenter.sh/v1alpha5': 'provisioners' }, api: 'v1alpha5' },
  { version: 'v0.31.0', pools: { 'karpenter.sh/v1alpha5': 'provisioners' }, api: 'v1alpha5' },
])('Karpenter $version, where the cluster has $pools, works on $api', async ({ version, pools, api }) => {
  const port = running(version)
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'))
    .put('karpenter.k8s.aws/v1beta1', 'ec2nodeclasses', nodeClassObject('default'));
  for (const [apiVersion, plural] of Object.entries(pools)) port.put(apiVersion, plural, named(plural));
  const seen = await read(port);
  expect(seen?.api).toBe(api);
  const left = api === 'v1alpha5' ? Object.values(pools) : ['nodepools'];
  expect(seen?.nodePools.map(({ name }) => name)).toEqual(left);
});

test('of two Deployments with the label of Karpenter neither is believed: whoever owns a namespace can write one', async () => {
  const port = new FakeKubernetes()
    .put('apps/v1', 'deployments', controller('1.9.0', 'a-team'))
    .put('apps/v1', 'deployments', controller('1.0.2'))
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', {}));
  const reader = createReader('throw');
  expect(await readKarpenter(port, reader, [], 0)).toBeUndefined();
  // By this name a plan is refused.
  expect(reader.unknowns).toEqual([
    { ...unread('the Karpenter Deployment'), why: expect.stringContaining('2 Deployments have the label') as unknown },
  ]);
  expect(reader.unknowns[0]?.why).toContain('(a-team/karpenter, kube-system/karpenter); delete those that are not Karpenter');
});

test('the Deployment that a move between namespaces has left at 0 replicas is not the Karpenter that runs', async () => {
  const left = (): FakeKubernetes =>
    new FakeKubernetes()
      .put('apps/v1', 'deployments', controller('1.0.2', 'karpenter', 0))
      .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', {}))
      .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'));
  const moved = left().put('apps/v1', 'deployments', controller('1.8.2'));
  expect(await read(moved)).toMatchObject({ version: '1.8.2', namespace: 'kube-system' });
  // Nothing else runs: it is the one, and checks say that it does not.
  expect(await read(left())).toMatchObject({ version: '1.0.2', namespace: 'karpenter' });
});
