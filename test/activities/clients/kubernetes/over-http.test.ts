/** The same activities through the real adapter against the Kubernetes stand-in: what the fake promises holds on the wire. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectionFactory } from '../../../../activities/clients/kubernetes/connection.ts';
import { createTransport, type Transport } from '../../../../activities/clients/kubernetes/transport.ts';
import { createKubernetesPort } from '../../../../activities/clients/kubernetes/client.ts';
import type { KubernetesDeps } from '../../../../activities/contract/ports.ts';
import type { KubeObject } from '../../../../rehearsal/kubernetes/store.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, quickTiming, type Seed } from '../../../support/fake-kubernetes.ts';
import {
  budgetObject,
  nodeClaimObject,
  nodeClassObject,
  nodeObject,
  nodePoolObject,
  podObject,
  workloadObject,
} from '../../../support/kubernetes-objects.ts';
import { startStandIn } from '../../../rehearsal/kubernetes/harness.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { createWorkloadActivities } from '../../../../activities/kubernetes/objects/scale-workloads.ts';

const cluster = CLUSTER;
const REASONS = ['Drifted', 'Underutilized', 'Empty'];

let standIn: Awaited<ReturnType<typeof startStandIn>>;
let transport: Transport;
let deps: KubernetesDeps;

beforeEach(async () => {
  standIn = await startStandIn();
  const { url: endpoint, caData } = standIn.server;
  const tokens = { token: async () => 'human', renew: () => undefined };
  transport = createTransport(connectionFactory({ ref: CLUSTER }, { endpoint: async () => ({ endpoint, caData }), tokens }));
  deps = depsOf(createKubernetesPort(transport));
});
afterEach(async () => {
  await transport.close();
  await standIn.server.close();
});

function create(plural: string, seed: Seed): KubeObject {
  const { apiVersion = 'v1', kind = '', ...rest } = structuredClone(seed);
  const status: unknown = rest['status'];
  const created = standIn.store.create(plural, { ...rest, apiVersion, kind });
  const { name, namespace } = created.metadata;
  return status === undefined ? created : standIn.store.update(plural, name, namespace, (copy) => void (copy['status'] = status));
}

const accepted = (): string[] =>
  standIn.journal.mutations.filter((mutation) => mutation.accepted).map(({ operation, resource }) => `${operation} ${resource}`);

describe('freeze', () => {
  test.each([
    ['the default', { budgets: [{ nodes: '10%' }] }],
    ['no limit', { budgets: [] }],
    ['a schedule', { budgets: [{ nodes: '0', reasons: ['Drifted'], schedule: '0 9 * * mon-fri', duration: '8h' }] }],
    ['the key absent', { consolidateAfter: '0s' }],
  ])('on, paced, off with %s: as before, one patch each', async (_title, disruption) => {
    const before = structuredClone(create('nodepools', nodePoolObject('default', disruption)));
    const karpenter = createKarpenterActivities(deps);
    const freeze = () => karpenter.freezeDrift({ cluster, guard: 'guard', reasons: REASONS });
    expect(await freeze()).toEqual({ pools: ['default'], adopted: [], previousGuards: [] });
    expect((await freeze()).adopted).toEqual(['default']);
    expect(standIn.store.get('nodepools', 'default')?.['spec'].disruption.budgets.at(-1)).toEqual({ nodes: '0', reasons: REASONS });
    expect((await karpenter.setDriftPace({ cluster, nodes: '1', reasons: REASONS })).intact).toBe(true);
    expect((await karpenter.restoreBudgets({ cluster })).restored).toEqual(['default']);
    expect((await karpenter.restoreBudgets({ cluster })).restored).toEqual([]);
    const after = standIn.store.get('nodepools', 'default');
    expect(after?.['spec']).toEqual(before['spec']);
    expect(after?.metadata.annotations).toEqual(before.metadata.annotations);
    expect(accepted()).toEqual([
      'patch nodepools nodepools/default',
      'patch nodepools nodepools/default',
      'patch nodepools nodepools/default',
    ]);
  });

  test('somebody else writes between look and patch: the server refuses, the second look wins', async () => {
    create('nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }));
    const { kubernetes } = await deps.clusterPorts(cluster);
    let once = true;
    const racing: KubernetesDeps = depsOf({
      ...kubernetes,
      patch: async (ref, patch) => {
        if (once)
          standIn.store.update('nodepools', 'default', undefined, (copy) => void (copy['spec'].disruption.budgets = [{ nodes: '33%' }]));
        once = false;
        return await kubernetes.patch(ref, patch);
      },
    });
    await createKarpenterActivities(racing).freezeDrift({ cluster, guard: 'guard', reasons: REASONS });
    expect(standIn.store.get('nodepools', 'default')?.['spec'].disruption.budgets).toEqual([
      { nodes: '33%' },
      { nodes: '0', reasons: REASONS },
    ]);
  });
});

test('holds: node and AMIs, given back without a trace', async () => {
  create('nodepools', nodePoolObject('default', { budgets: [] }));
  const classBefore = structuredClone(create('ec2nodeclasses', nodeClassObject('default')));
  const nodeBefore = structuredClone(create('nodes', nodeObject('a', '1.32')));
  create('nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-1' }));
  const activities = createKarpenterActivities(deps);
  await activities.holdNode({ cluster, node: 'a' });
  expect(await activities.holdAmis({ cluster })).toEqual({ held: ['default'], refused: [] });
  expect(standIn.store.get('ec2nodeclasses', 'default')?.['spec']).toMatchObject({
    amiFamily: 'AL2023',
    amiSelectorTerms: [{ id: 'ami-1' }],
  });
  await activities.releaseNode({ cluster, node: 'a' });
  expect(await activities.releaseAmis({ cluster })).toEqual({ released: ['default'], failed: [] });
  expect(standIn.store.get('ec2nodeclasses', 'default')?.['spec']).toEqual(classBefore['spec']);
  expect(standIn.store.get('ec2nodeclasses', 'default')?.metadata.annotations).toEqual(classBefore.metadata.annotations);
  expect(standIn.store.get('nodes', 'a')?.metadata.annotations).toEqual(nodeBefore.metadata.annotations);
});

test('a blocked node is named with budget and workload; selectors and field selectors work on the wire', async () => {
  create('nodepools', nodePoolObject('default', { budgets: [] }));
  create('nodes', nodeObject('a', '1.32'));
  create('nodeclaims', nodeClaimObject('claim-a', 'a', { drifted: true }));
  standIn.store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  create('deployments', workloadObject('Deployment', 'shop', 'ledger'));
  const uid = standIn.store.get('deployments', 'ledger', 'shop')?.metadata.uid ?? '';
  const replicaSet = create('replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'ledger-5d4f',
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'ledger', uid, controller: true }],
    },
    spec: { replicas: 1, selector: { matchLabels: { app: 'ledger' } } },
  });
  const pod = podObject('shop', 'ledger-x', { node: 'a', labels: { app: 'ledger' } });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'ledger-5d4f', uid: replicaSet.metadata.uid ?? '', controller: true };
  create('pods', { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
  create(
    'poddisruptionbudgets',
    budgetObject('shop', 'ledger', { matchExpressions: [{ key: 'app', operator: 'In', values: ['ledger', 'books'] }] }),
  );
  const outcome = await createKarpenterActivities(deps).watchDrift({
    cluster,
    timing: quickTiming(),
    to: '1.33',
    ignoreNodes: [],
    startedAt: '2026-03-02T09:00:00Z',
  });
  expect(outcome).toMatchObject({
    kind: 'blocked',
    node: {
      node: 'a',
      pdb: { namespace: 'shop', name: 'ledger' },
      pod: { name: 'ledger-x' },
      workload: { kind: 'Deployment', name: 'ledger', replicas: 1 },
    },
  });

  const workloads = createWorkloadActivities(deps);
  const which = { cluster, kind: 'Deployment' as const, namespace: 'shop', name: 'ledger' };
  expect(await workloads.scaleByOne({ ...which, timing: quickTiming({ rolloutTimeoutMs: 60 }) })).toMatchObject({ before: 1, after: 2 });
  expect(await workloads.scaleBack(which)).toEqual({ restored: true, changedByOthers: false });
  expect(standIn.store.get('deployments', 'ledger', 'shop')).toMatchObject({ spec: { replicas: 1 } });
  expect(standIn.store.get('deployments', 'ledger', 'shop')?.metadata.annotations).toBeUndefined();
  await workloads.deletePod({ cluster, namespace: 'shop', name: 'ledger-x' });
  await workloads.deletePod({ cluster, namespace: 'shop', name: 'ledger-x' });
  expect(accepted().filter((line) => line.includes('pods/shop'))).toHaveLength(1);
});

test('a wave moves by label and comes back exactly, with one patch per thing', async () => {
  standIn.store.create('namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'cart', labels: { 'istio-injection': 'enabled', team: 'a' } },
  });
  create('deployments', workloadObject('Deployment', 'cart', 'web'));
  const istio = createIstioActivities(deps);
  const before = structuredClone(standIn.store.get('namespaces', 'cart'));
  const wave = await istio.readWave({ cluster, namespaces: ['cart'] });
  const move = () => istio.moveNamespaces({ cluster, namespaces: ['cart'], revision: '1-28', restartedAt: '2026-03-02T09:00:00Z' });
  expect(await move()).toEqual({ restarted: 1, skipped: [] });
  expect(await move()).toEqual({ restarted: 1, skipped: [] });
  expect(standIn.store.get('namespaces', 'cart')?.metadata.labels).toMatchObject({ 'istio.io/rev': '1-28', team: 'a' });
  expect(standIn.store.get('namespaces', 'cart')?.metadata.labels).not.toHaveProperty('istio-injection');
  await istio.moveBack({ cluster, before: wave.before, restartedAt: '2026-03-02T10:00:00Z' });
  const after = standIn.store.get('namespaces', 'cart');
  expect([after?.metadata.labels, after?.metadata.annotations]).toEqual([before?.metadata.labels, before?.metadata.annotations]);
  expect(accepted()).toEqual([
    'patch namespaces namespaces/cart',
    'patch deployments deployments/cart/web',
    'patch namespaces namespaces/cart',
    'patch deployments deployments/cart/web',
  ]);
});
