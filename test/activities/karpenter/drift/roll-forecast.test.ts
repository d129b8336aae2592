/** What a gate says before nodes roll. */
import { expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { budgetObject, nodeClaimObject, nodeObject, nodePoolObject, podObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

function world(): FakeKubernetes {
  const port = new FakeKubernetes()
    .put('v1', 'nodes', nodeObject('a', '1.32'))
    .put('v1', 'nodes', nodeObject('b', '1.32', { pool: 'gpu' }));
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a'));
  port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }));
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'web', { matchLabels: { app: 'web' } }, 1));
  const web = { kind: 'ReplicaSet', name: 'web-5d4f' };
  port.put('v1', 'pods', podObject('shop', 'web-5d4f-1', { node: 'a', owner: web }));
  return port.put('v1', 'pods', podObject('shop', 'web-5d4f-2', { node: 'elsewhere', owner: web }));
}

const forecast = async (port: FakeKubernetes) =>
  (
    await createKarpenterActivities(depsOf(port)).forecastRoll({
      cluster: CLUSTER,
      nodePools: ['default'],
      ownerKeys: ['team'],
      withinMs: 3_600_000,
    })
  ).evidence;

test('K16: names services of one replica, budgets that allow nothing and do-not-disrupt, with whose they are, and nodes that expire', async () => {
  const port = world();
  const ledger = { node: 'a', owner: { kind: 'ReplicaSet', name: 'ledger-77c' }, labels: { app: 'ledger', team: 'payments' } };
  port.put('v1', 'pods', podObject('shop', 'ledger-77c-x', ledger));
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', { matchLabels: { app: 'ledger' } }));
  port.put('v1', 'pods', podObject('shop', 'batch', { node: 'a', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }));
  port.put('v1', 'pods', podObject('shop', 'other', { node: 'b', owner: { kind: 'StatefulSet', name: 'other' } }));
  port.edit({ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: 'claim-a' }, (claim) => {
    claim.metadata.creationTimestamp = '2030-12-02T00:30:00Z';
    claim.spec = { ...(claim.spec as object), expireAfter: '720h' };
  });
  expect(await forecast(port)).toEqual([
    { title: 'Services of one replica, away for about a minute each', lines: ['shop/ledger (team payments)'] },
    { title: 'Budgets that allow nothing: people will be asked about these pods', lines: ['shop/ledger (team payments)'] },
    { title: 'Pods that say do-not-disrupt', lines: ['shop/batch'] },
    { title: 'Nodes that expire meanwhile', lines: ['1 NodeClaim will be drained by force whatever the pace is: claim-a'] },
  ]);
});

test('K16: a budget whose pods Kubernetes does not count allows nothing, too', async () => {
  const port = world();
  port.put('v1', 'pods', podObject('shop', 'ledger-0', { node: 'a', labels: { app: 'ledger' } }));
  const status = { disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 1, desiredHealthy: 0 };
  port.put('policy/v1', 'poddisruptionbudgets', { ...budgetObject('shop', 'ledger', { matchLabels: { app: 'ledger' } }), status });
  expect(await forecast(port)).toEqual([
    { title: 'Budgets that allow nothing: people will be asked about these pods', lines: ['shop/ledger-0'] },
  ]);
});

test('budgets count for pods of DaemonSets, and for none that stay on a node that Karpenter drains', async () => {
  const port = world();
  for (const app of ['agent', 'typha']) {
    port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', app, { matchLabels: { app } }));
    port.put('v1', 'pods', podObject('shop', `${app}-x`, { node: 'a', labels: { app }, owner: { kind: 'DaemonSet', name: app } }));
  }
  port.edit({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'typha-x' }, (pod) => {
    pod['spec'] = { ...(pod['spec'] as object), tolerations: [{ operator: 'Exists' }] };
  });
  expect(await forecast(port)).toEqual([
    { title: 'Budgets that allow nothing: people will be asked about these pods', lines: ['shop/agent'] },
  ]);
});

test('says nothing where nothing is in the way', async () => {
  expect(await forecast(world())).toEqual([]);
});

const CLAIM = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: 'claim-a' };
const KEEP = { 'karpenter.sh/do-not-disrupt': 'true' };

test('a terminationGracePeriod ends what budgets and do-not-disrupt hold: nobody is asked about these pods', async () => {
  const port = world();
  port.edit(CLAIM, (claim) => void (claim.spec = { ...(claim.spec as object), terminationGracePeriod: '1h' }));
  port.put('v1', 'pods', podObject('shop', 'ledger-0', { node: 'a', labels: { app: 'ledger' }, annotations: KEEP }));
  port.put('v1', 'pods', podObject('shop', 'batch', { node: 'a', annotations: KEEP }));
  port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', { matchLabels: { app: 'ledger' } }));
  expect(await forecast(port)).toEqual([
    {
      title: 'Deleted by force, whatever budgets and do-not-disrupt say, because their nodes have a terminationGracePeriod',
      lines: ['shop/ledger-0: 1h after its node begins to drain', 'shop/batch: 1h after its node begins to drain'],
    },
  ]);
});

test('do-not-disrupt counts on pods of DaemonSets, and no longer than it says', async () => {
  const port = world();
  const marked = (name: string, mark: string, startTime: string): void => {
    const pod = podObject('kube-system', name, {
      node: 'a',
      owner: { kind: 'DaemonSet', name },
      annotations: { 'karpenter.sh/do-not-disrupt': mark },
    });
    port.put('v1', 'pods', { ...pod, status: { phase: 'Running', startTime } });
  };
  marked('agent', 'true', '2020-01-01T00:00:00Z');
  marked('over', '1h', '2020-01-01T00:00:00Z');
  expect(await forecast(port)).toEqual([{ title: 'Pods that say do-not-disrupt', lines: ['kube-system/agent'] }]);
});

test('NodePools whose own budgets or limits stop the roll are named', async () => {
  const port = world();
  const office = { nodes: '0', schedule: '0 8 * * mon-fri', duration: '10h', reasons: ['Drifted'] };
  const consolidation = { nodes: '0', schedule: '@daily', duration: '10m', reasons: ['Underutilized'] };
  const pool = nodePoolObject('default', { budgets: [{ nodes: '10%' }, office, consolidation] });
  port.put('karpenter.sh/v1', 'nodepools', { ...pool, spec: { ...(pool['spec'] as object), replicas: 3, limits: { nodes: '3' } } });
  port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('gpu', { budgets: [office] }));
  expect(await forecast(port)).toEqual([
    {
      title: 'NodePools that stop their own nodes',
      lines: [
        'default: no node for 10h from each "0 8 * * mon-fri" (UTC)',
        'default: it is static, and limits.nodes (3) leaves no node for a replacement beside its 3 replicas; raise limits.nodes',
      ],
    },
  ]);
});
