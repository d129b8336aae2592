/** What runs have left behind is found by the marks that they leave, whichever activity has made them. */
import { expect, test } from 'vitest';
import { createLeftoverActivities } from '../../../../activities/run/planning/leftovers.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject, nodePoolObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { createOtherNodeActivities } from '../../../../activities/eks/other-nodes.ts';
import { createCordonActivities } from '../../../../activities/kubernetes/objects/cordon-node.ts';
import { createWorkloadActivities } from '../../../../activities/kubernetes/objects/scale-workloads.ts';

const cluster = CLUSTER;
const timing = quickTiming();
const definition = (name: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: { versions: [{ name: 'v1', storage: true }] },
});

function leftoversOf(port: FakeKubernetes, hooks: string[] = [], records: unknown[] = []) {
  const store = {
    write: async () => ({ location: '' }),
    upgradesOf: async () => [],
    newest: async () => records,
    read: async () => undefined,
    find: async () => undefined,
  };
  const groups = [
    { AutoScalingGroupName: 'batch', Tags: [] },
    { AutoScalingGroupName: 'managed', Tags: [{ Key: 'eks:nodegroup-name' }] },
  ];
  const autoScaling = {
    describeAutoScalingGroups: async () => ({ AutoScalingGroups: groups }),
    describeLifecycleHooks: async ({ AutoScalingGroupName }: { AutoScalingGroupName: string }) => ({
      LifecycleHooks: hooks.includes(AutoScalingGroupName) ? [{ LifecycleHookName: 'belay-drain' }] : [],
    }),
  };
  const account = () => ({ autoScaling: async () => autoScaling });
  return createLeftoverActivities({ ...depsOf(port), account: account as never, store }).findLeftovers({ cluster });
}

function twoNodes(): FakeKubernetes {
  const port = new FakeKubernetes()
    .put('apiextensions.k8s.io/v1', 'customresourcedefinitions', definition('nodepools.karpenter.sh'))
    .put('apiextensions.k8s.io/v1', 'customresourcedefinitions', definition('ec2nodeclasses.karpenter.k8s.aws'))
    .put('apps/v1', 'daemonsets', workloadObject('DaemonSet', 'kube-system', 'aws-node', {}))
    .put('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations', { metadata: { name: 'istio-revision-tag-prod' } })
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }))
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('a', 'ami-1'));
  for (const name of ['a', 'b']) port.put('v1', 'nodes', { ...nodeObject(name, '1.31'), spec: {} });
  port.put('v1', 'namespaces', { metadata: { name: 'shop' } });
  port.put('apps/v1', 'deployments', workloadObject('Deployment', 'kube-system', 'cluster-autoscaler', { replicas: 2 }));
  port.put('apps/v1', 'deployments', workloadObject('Deployment', 'shop', 'cart', { replicas: 1 }));
  port.put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'shop', 'ledger', { replicas: 1 }));
  port.put('autoscaling/v2', 'horizontalpodautoscalers', { metadata: { name: 'web', namespace: 'shop' }, spec: { minReplicas: 2 } });
  return port;
}

test('a cluster that no run has touched has nothing left', async () => {
  expect(await leftoversOf(twoNodes())).toEqual({ leftovers: [], unseen: [] });
});

test('freeze, waves, skipped and cordoned nodes, pinned AMIs, paused and scaled workloads, lifecycle hooks', async () => {
  const port = twoNodes();
  const karpenter = createKarpenterActivities(depsOf(port));
  await karpenter.freezeDrift({ cluster, guard: 'eks-upgrade/1/r/prod/freeze-drift@1.32', reasons: ['Drifted'] });
  await karpenter.holdNode({ cluster, node: 'a' });
  await createCordonActivities(depsOf(port)).cordonNode({ cluster, node: 'b' });
  await karpenter.holdWaves({ cluster, to: '1.32', by: 'count', nodesPerWave: 1 });
  await createOtherNodeActivities(depsOf(port)).pauseAutoscaler({ cluster, namespace: 'kube-system', name: 'cluster-autoscaler' });
  const workloads = createWorkloadActivities(depsOf(port));
  const quick = { ...timing, rolloutTimeoutMs: 1 };
  await workloads.scaleByOne({ cluster, timing: quick, kind: 'StatefulSet', namespace: 'shop', name: 'ledger' });
  port.edit({ apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' }, ({ metadata }) => {
    metadata.annotations = { 'belay.dev/ami-before': '{}', 'belay.dev/ami-move-before': '{}' };
  });
  expect(await leftoversOf(port, ['batch', 'managed'])).toEqual({
    leftovers: [
      { kind: 'freeze', guard: 'eks-upgrade/1/r/prod/freeze-drift@1.32', pools: ['default'], nodeCount: 0 },
      { kind: 'waves', nodeCount: 2 },
      { kind: 'skipped-node', node: 'a' },
      { kind: 'cordoned-node', node: 'b' },
      { kind: 'ami-hold', nodeClass: 'default' },
      { kind: 'for-people', resource: 'ec2nodeclasses/default', mark: 'belay.dev/ami-move-before' },
      { kind: 'autoscaler', namespace: 'kube-system', name: 'cluster-autoscaler', before: '2' },
      { kind: 'scaled', workload: 'StatefulSet', namespace: 'shop', name: 'ledger', before: '1' },
      { kind: 'lifecycle-hook', group: 'batch' },
    ],
    unseen: [],
  });
});

test('a budget whose guard is not named any more is for people', async () => {
  const port = twoNodes();
  port.edit({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' }, ({ metadata }) => {
    metadata.annotations = { 'belay.dev/budgets-before': '{"budgets":null}' };
  });
  expect((await leftoversOf(port)).leftovers).toEqual([
    { kind: 'for-people', resource: 'nodepools/default', mark: 'belay.dev/budgets-before' },
  ]);
});

test('namespaces, gateways and tags that a wave of Istio has moved are for people', async () => {
  const port = twoNodes();
  const mark = ({ metadata }: { metadata: { annotations?: Record<string, string> } }) =>
    void (metadata.annotations = { 'belay.dev/istio-before': '{}' });
  port.edit({ apiVersion: 'v1', plural: 'namespaces', name: 'shop' }, mark);
  port.edit({ apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop', name: 'cart' }, mark);
  port.edit(
    { apiVersion: 'admissionregistration.k8s.io/v1', plural: 'mutatingwebhookconfigurations', name: 'istio-revision-tag-prod' },
    mark,
  );
  const found = (await leftoversOf(port)).leftovers;
  expect(found.map((each) => (each.kind === 'for-people' ? each.resource : each.kind))).toEqual([
    'namespaces/shop',
    'deployments/shop/cart',
    'mutatingwebhookconfigurations/istio-revision-tag-prod',
  ]);
});

test('what cannot be read is said, and the rest is found', async () => {
  const port = twoNodes();
  const list = port.list.bind(port);
  port.list = async (query, keep) => {
    if (query.plural === 'horizontalpodautoscalers') throw failureOf('AccessDenied', 'listing horizontalpodautoscalers: forbidden');
    return await list(query, keep);
  };
  expect(await leftoversOf(port, ['batch'])).toEqual({
    leftovers: [{ kind: 'lifecycle-hook', group: 'batch' }],
    unseen: [{ what: 'HorizontalPodAutoscalers', why: 'listing horizontalpodautoscalers: forbidden' }],
  });
});

test('at the end of a run, of what it has changed: by the object, and by what delivers it', async () => {
  const port = twoNodes();
  const object = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };
  port.edit(object, ({ metadata }) => {
    metadata.labels = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
  });
  port.put('kustomize.toolkit.fluxcd.io/v1', 'kustomizations', {
    metadata: { namespace: 'flux-system', name: 'apps' },
    spec: { suspend: true },
  });
  const { lookAtMerges } = createLeftoverActivities({ ...depsOf(port), account: () => ({}) as never, store: {} as never });
  const { spec } = port.look(object) as { spec?: { amiSelectorTerms?: unknown } };
  const field = { object, path: ['spec', 'amiSelectorTerms'], value: spec?.amiSelectorTerms };
  const changed = [{ object: 'EC2NodeClass default', fields: [field] }, { object: 'Istio' }];
  expect(await lookAtMerges({ cluster, changed })).toEqual({
    merges: [
      {
        object: 'EC2NodeClass default',
        state: 'not-synced',
        why: 'nothing on ec2nodeclasses/default tells what its file says; Kustomization flux-system/apps is suspended',
      },
      { object: 'Istio', state: 'unknown', why: 'the objects in the cluster do not tell: compare its file with them' },
    ],
  });
  const long = [{ object: 'EC2NodeClass default', fields: [{ ...field, path: Array.from({ length: 200 }, () => 'spec') }] }];
  expect((await lookAtMerges({ cluster, changed: long })).merges[0]?.why).toHaveLength(400);
});

test('of what the last run has changed, whether it stands in code; a run that changed nothing and a file of others are passed over', async () => {
  const move = { nodeClass: 'default', nodePools: ['default'], before: 'al2023@old', terms: [{ alias: 'al2023@v20260103' }], why: '' };
  const params = { phase: 'karpenter-drift', to: '1.32', nodePools: ['default'], nodeCount: 1, paces: [], moves: [move] };
  const groups = ['blue', 'green'].map((name) => ({ name, from: '1.31', count: 1 }));
  const planned = [
    { id: 'node-groups@1.32', params: { phase: 'node-groups', to: '1.32', groups, managedBy: 'eks' } },
    { id: 'karpenter-drift@1.32', params },
  ];
  const record = { report: { status: { steps: planned.map(({ id }) => ({ id, state: 'completed' })) } }, plan: { steps: planned } };
  const found = await leftoversOf(twoNodes(), [], [{ theirs: true }, { report: { status: { steps: [] } } }, record]);
  expect(found.merges).toEqual([
    { object: 'EC2NodeClass default', state: 'taken-back', why: expect.stringContaining('amiSelectorTerms says') },
    { object: 'Node group blue, Node group green', state: 'unknown', why: expect.stringContaining('planned') },
  ]);
});
