/** Managed node groups in the twin, from scale-up to scale-down, and what stops them. */
import { afterEach, describe, expect, test } from 'vitest';
import { DescribeUpdateCommand, UpdateNodegroupVersionCommand } from '@aws-sdk/client-eks';
import { nodesOfGroup } from '../../../rehearsal/controllers/group-nodes.ts';
import { kubeletMinor } from '../../../rehearsal/controllers/nodes.ts';
import { addBudget } from '../../../rehearsal/scenarios/parts/cluster-parts.ts';
import { openTwin, type Twin } from '../support.ts';

let twin: Twin;
afterEach(() => twin.close());

async function roll(scenario: string, group: { force?: boolean } = {}, faults: string[] = []): Promise<string> {
  twin = await openTwin(scenario, faults);
  twin.world.eks.cluster.version = '1.32';
  return begin(group);
}

async function begin(group: { force?: boolean } = {}): Promise<string> {
  const clusterName = twin.scenario.cluster.name;
  const { update } = await twin.eks.send(
    new UpdateNodegroupVersionCommand({ clusterName, nodegroupName: 'default', version: '1.32', ...group }),
  );
  return update?.id ?? '';
}

const statusOf = (id: string): string | undefined => twin.world.eks.updates.find((u) => u.id === id)?.status;

async function errorsOf(id: string): Promise<string[]> {
  const { update } = await twin.eks.send(
    new DescribeUpdateCommand({ name: twin.scenario.cluster.name, nodegroupName: 'default', updateId: id }),
  );
  return (update?.errors ?? []).map((e) => `${e.errorCode}: ${e.errorMessage}`);
}

/** A pod on the group's only node that no budget lets go. */
function pinPod(): void {
  const { store } = twin.world;
  const labels = { app: 'pinned' };
  const template = {
    metadata: { labels },
    spec: { nodeSelector: { 'eks.amazonaws.com/nodegroup': 'default' }, containers: [{ name: 'c', image: 'c:1' }] },
  };
  store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'pinned', namespace: 'shop' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  addBudget(twin.world, { namespace: 'shop', name: 'pinned', labels, spec: { minAvailable: 1 } });
  twin.until('the pinned pod runs', () => store.get('deployments', 'pinned', 'shop')?.status.readyReplicas === 1);
}

test('comes out with as many nodes as before, all new, and Karpenter never without a pod', async () => {
  const id = await roll('seed-000');
  const { world } = twin;
  let most = 0;
  let fewestKarpenterPods = 2;
  twin.until('the group is through', () => {
    most = Math.max(most, nodesOfGroup(world, 'default').length);
    fewestKarpenterPods = Math.min(
      fewestKarpenterPods,
      world.store.get('deployments', 'karpenter', 'kube-system')?.status.readyReplicas ?? 0,
    );
    return statusOf(id) === 'Successful';
  });
  expect(most).toBe(9);
  expect(nodesOfGroup(world, 'default').map(kubeletMinor)).toEqual(['1.32', '1.32', '1.32']);
  expect(fewestKarpenterPods).toBe(1);
  expect(world.eks.nodeGroups[0]).toMatchObject({ version: '1.32', releaseVersion: '1.32.3-20250403', status: 'ACTIVE' });
  expect(twin.diff()).toEqual([]);
});

describe('a pod that may not be evicted', () => {
  test('A19: fails the update after a quarter of an hour, names the pod, and leaves the group usable', async () => {
    twin = await openTwin('small');
    pinPod();
    twin.world.eks.cluster.version = '1.32';
    const id = await begin();
    twin.until('the update failed', () => statusOf(id) === 'Failed');
    const pod = twin.world.store.list('pods', { labels: { app: 'pinned' } })[0]?.metadata.name;
    expect(await errorsOf(id)).toEqual([
      `PodEvictionFailure: Reached max retries while trying to evict pods from nodes in node group default. Pod shop/${pod} is protected by PodDisruptionBudget pinned.`,
    ]);
    expect(nodesOfGroup(twin.world, 'default').map((n) => [kubeletMinor(n), n.spec.unschedulable ?? false])).toEqual([['1.31', false]]);
    twin.world.store.delete('poddisruptionbudgets', 'pinned', 'shop');
    const again = await begin();
    twin.until('the second update is through', () => statusOf(again) === 'Successful');
  });

  test('goes anyway when the update is forced', async () => {
    twin = await openTwin('small');
    pinPod();
    twin.world.eks.cluster.version = '1.32';
    const id = await begin({ force: true });
    twin.until('the group is through', () => statusOf(id) === 'Successful');
    expect(nodesOfGroup(twin.world, 'default').map(kubeletMinor)).toEqual(['1.32']);
  });
});

test('A20: fails once when new nodes do not join, and keeps the old ones', async () => {
  const id = await roll('small', {}, ['node-group-fails']);
  twin.until('the update failed', () => statusOf(id) === 'Failed');
  expect((await errorsOf(id))[0]).toMatch(/^NodeCreationFailure: /);
  expect(nodesOfGroup(twin.world, 'default').map(kubeletMinor)).toEqual(['1.31']);
  const again = await begin();
  twin.until('the second update is through', () => statusOf(again) === 'Successful');
});
