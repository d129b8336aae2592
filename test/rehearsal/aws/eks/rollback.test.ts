/** Going back one minor, as the real client sees it: the window, the order, the refusals, and Auto Mode's nodes. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  CancelUpdateCommand,
  DescribeUpdateCommand,
  ListInsightsCommand,
  StartInsightsRefreshCommand,
  UpdateClusterVersionCommand,
  UpdateNodegroupVersionCommand,
} from '@aws-sdk/client-eks';
import { latestAmi } from '../../../../rehearsal/aws/eks/nodes/amis.ts';
import { AUTO_MODE_LABELS } from '../../../../rehearsal/controllers/auto-mode.ts';
import { nodesOfGroup } from '../../../../rehearsal/controllers/group-nodes.ts';
import { createNode, kubeletMinor } from '../../../../rehearsal/controllers/nodes.ts';
import { openTwin, type Twin } from '../../support.ts';
import { refusal } from './refusal.ts';

const name = 'small';
const DAY_MS = 24 * 3_600_000;
let twin: Twin;
afterEach(() => twin.close());

const back = (input: { force?: boolean; rollbackConfig?: { timeoutMinutes: number } } = {}): Promise<string> =>
  refusal(twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.31', ...input })));

/** Without Karpenter, whose nodes would follow the control plane. */
async function upgraded(): Promise<void> {
  twin = await openTwin('small');
  const { world } = twin;
  for (const pool of world.store.list('nodepools')) world.store.delete('nodepools', pool.metadata.name);
  for (const claim of world.store.list('nodeclaims')) world.store.delete('nodeclaims', claim.metadata.name);
  await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
  twin.until('the control plane is at 1.32', () => world.eks.cluster.version === '1.32');
  for (const node of world.store.list('nodes', { labels: { 'karpenter.sh/registered': 'true' } }))
    world.store.delete('nodes', node.metadata.name);
}

const autoNodes = () => twin.world.store.list('nodes', { labels: AUTO_MODE_LABELS });

function addAutoNodes(count: number, minor: string): void {
  const { world } = twin;
  world.eks.cluster.autoMode = true;
  const ami = latestAmi('bottlerocket', minor, world.clock.now());
  if (ami === undefined) throw new Error(`no image for ${minor}`);
  for (let index = 0; index < count; index += 1) createNode(world, { ami, labels: AUTO_MODE_LABELS, ready: true });
}

describe('conditions', () => {
  test('within seven days it goes back, once', async () => {
    await upgraded();
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.31' }));
    expect([update?.type, update?.params]).toEqual([
      'VersionRollback',
      [
        { type: 'Version', value: '1.31' },
        { type: 'PlatformVersion', value: 'eks.22' },
      ],
    ]);
    twin.until('the control plane is at 1.31', () => twin.world.eks.cluster.version === '1.31');
    expect(await refusal(twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.30' })))).toBe(
      '400 InvalidParameterException: Unsupported Kubernetes minor version update from 1.31 to 1.30',
    );
  });

  test('after seven days it is refused, and force does not help', async () => {
    await upgraded();
    const [hop] = twin.world.eks.updates;
    if (hop?.endedAtMs !== undefined) hop.endedAtMs -= 7 * DAY_MS;
    const expected =
      /^400 InvalidRequestException: Cluster small cannot be rolled back to 1\.31: the 7-day rollback window is closed\. It closed at 2025-04-29T08:0/;
    expect(await back()).toMatch(expected);
    expect(await back({ force: true })).toMatch(expected);
  });

  test('a target in extended support wants the extended policy first', async () => {
    await upgraded();
    const { eks } = twin.world;
    eks.cluster.supportType = 'STANDARD';
    for (const version of eks.versions) if (version.version === '1.31') version.endOfStandardSupport = '2025-01-01';
    expect(await back({ force: true })).toBe(
      '400 InvalidRequestException: Cluster small cannot be rolled back to 1.31, which is in extended support: set the upgrade policy to EXTENDED first.',
    );
    eks.cluster.supportType = 'EXTENDED';
    expect(await back()).toBe('accepted');
  });

  test('the time that nodes have is between two hours and seven days, and only a rollback has it', async () => {
    await upgraded();
    expect(await back({ rollbackConfig: { timeoutMinutes: 60 } })).toBe(
      '400 InvalidParameterException: timeoutMinutes must be between 120 and 10080.',
    );
    await twin.close();
    twin = await openTwin('small');
    const up = new UpdateClusterVersionCommand({ name, version: '1.32', rollbackConfig: { timeoutMinutes: 120 } });
    expect(await refusal(twin.eks.send(up))).toBe(
      '400 InvalidParameterException: rollbackConfig can only be given for a version rollback.',
    );
  });
});

describe('the order', () => {
  const rollGroup = (version: string): Promise<string> =>
    refusal(twin.eks.send(new UpdateNodegroupVersionCommand({ clusterName: name, nodegroupName: 'default', version })));

  test('A28: nodes go back before the control plane: a newer kubelet blocks, and a node group may return', async () => {
    await upgraded();
    expect(await rollGroup('1.32')).toBe('accepted');
    twin.until('the group is at 1.32', () => twin.world.eks.nodeGroups[0]?.version === '1.32');
    expect(await back()).toBe('400 InvalidStateException: EKS detected rollback readiness issues: 1 node runs a kubelet newer than 1.31.');
    expect(await rollGroup('1.30')).toBe(
      '400 InvalidParameterException: Nodegroup Kubernetes version 1.30 must not be older than its present version 1.32.',
    );
    expect(await rollGroup('1.31')).toBe('accepted');
    twin.until('the group is at 1.31', () => twin.world.eks.nodeGroups[0]?.version === '1.31');
    expect(nodesOfGroup(twin.world, 'default').map(kubeletMinor)).toEqual(['1.31']);
    expect(await back()).toBe('accepted');
  });

  test('an add-on that the older minor does not support blocks, and insights say which', async () => {
    await upgraded();
    const proxy = twin.world.eks.addOns.find((a) => a.name === 'kube-proxy');
    if (proxy !== undefined) proxy.version = 'v1.32.0-eksbuild.2';
    expect(await back()).toBe(
      '400 InvalidStateException: EKS detected rollback readiness issues: Add-on versions that Kubernetes 1.31 does not support: kube-proxy v1.32.0-eksbuild.2.',
    );
    await twin.eks.send(new StartInsightsRefreshCommand({ clusterName: name }));
    twin.step(20_000);
    const filter = { categories: ['ROLLBACK_READINESS' as const] };
    const { insights } = await twin.eks.send(new ListInsightsCommand({ clusterName: name, filter }));
    expect(insights?.map((i) => [i.name, i.kubernetesVersion, i.insightStatus?.status])).toEqual([
      ['Kubelet version rollback compatibility', '1.31', 'PASSING'],
      ['EKS add-on version rollback compatibility', '1.31', 'ERROR'],
    ]);
    expect(await back({ force: true })).toBe('accepted');
  });
});

describe('Auto Mode', () => {
  const cancel = (updateId: string | undefined): Promise<string> => refusal(twin.eks.send(new CancelUpdateCommand({ name, updateId })));
  async function beginBack(timeoutMinutes = 720): Promise<string | undefined> {
    const command = new UpdateClusterVersionCommand({ name, version: '1.31', rollbackConfig: { timeoutMinutes } });
    return (await twin.eks.send(command)).update?.id;
  }
  const described = async (updateId: string | undefined) => (await twin.eks.send(new DescribeUpdateCommand({ name, updateId }))).update;

  test('takes its own nodes back first, then the control plane; by then it cannot be cancelled', async () => {
    await upgraded();
    addAutoNodes(3, '1.32');
    const id = await beginBack();
    twin.step(5_000);
    expect(twin.world.eks.cluster.status).toBe('ACTIVE');
    twin.until('the nodes are back', () => autoNodes().every((n) => kubeletMinor(n) === '1.31'));
    expect([autoNodes().length, twin.world.eks.cluster.version]).toEqual([3, '1.32']);
    twin.step(30_000);
    expect(await cancel(id)).toBe(`400 InvalidStateException: Update ${id} cannot be cancelled: the control plane is rolling back.`);
    twin.until('the control plane is at 1.31', () => twin.world.eks.cluster.version === '1.31');
    expect((await described(id))?.status).toBe('Successful');
  });

  test('is cancelled while nodes go back, and the cluster stays where it is', async () => {
    await upgraded();
    addAutoNodes(3, '1.32');
    const id = await beginBack();
    twin.step(5_000);
    expect(await cancel(id)).toBe('accepted');
    expect((await described(id))?.cancellation).toEqual({ status: 'InProgress', reason: 'Cancelled by CancelUpdate' });
    expect(await cancel(id)).toBe(`409 ResourceInUseException: Update ${id} is being cancelled.`);
    twin.step(10_000);
    expect(await described(id)).toMatchObject({ status: 'Cancelled', cancellation: { status: 'Successful' } });
    expect([twin.world.eks.cluster.version, autoNodes().some((n) => n.spec?.unschedulable === true)]).toEqual(['1.32', false]);
  });

  test('a budget of 0 and a marked node block it, and hold their nodes even where it is forced', async () => {
    await upgraded();
    addAutoNodes(2, '1.32');
    const { store } = twin.world;
    const [marked, frozen] = autoNodes();
    store.create('nodepools', {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'batch' },
      spec: {
        template: { spec: { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' } } },
        disruption: { budgets: [{ nodes: '0', reasons: ['Drifted'] }] },
      },
    });
    store.update(
      'nodes',
      frozen?.metadata.name ?? '',
      undefined,
      (node) => void Object.assign(node.metadata.labels ?? {}, { 'karpenter.sh/nodepool': 'batch' }),
    );
    const mark = { 'karpenter.sh/do-not-disrupt': 'true' };
    store.update('nodes', marked?.metadata.name ?? '', undefined, (node) => void (node.metadata.annotations = mark));
    expect(await back()).toBe(
      '400 InvalidStateException: EKS detected rollback readiness issues: NodePools whose budgets allow no disruption: batch. Nodes that must not be disrupted: 1.',
    );
    expect(await back({ force: true })).toBe('accepted');
    twin.step(600_000);
    expect(autoNodes().map(kubeletMinor)).toEqual(['1.32', '1.32']);
    store.update('nodepools', 'batch', undefined, (pool) => void (pool.spec.disruption.budgets = [{ nodes: '1' }]));
    twin.until('the node of the pool is back', () => autoNodes().map(kubeletMinor).includes('1.31'));
    expect(autoNodes().map(kubeletMinor).toSorted()).toEqual(['1.31', '1.32']);
  });

  test('ends by itself when the nodes take too long', async () => {
    await upgraded();
    addAutoNodes(1, '1.32');
    const id = await beginBack(120);
    const update = twin.world.eks.updates.find((u) => u.id === id);
    if (update !== undefined) update.createdAtMs -= 121 * 60_000;
    twin.step(5_000);
    expect(await described(id)).toMatchObject({
      status: 'Cancelled',
      cancellation: { status: 'Successful', reason: 'The nodes did not roll back in time' },
    });
  });

  test('an upgrade cannot be cancelled', async () => {
    twin = await openTwin('small');
    const { update } = await twin.eks.send(new UpdateClusterVersionCommand({ name, version: '1.32' }));
    expect(await cancel(update?.id)).toBe(
      `400 InvalidRequestException: Update ${update?.id} is a VersionUpdate; only a VersionRollback can be cancelled.`,
    );
    expect(await cancel('x')).toBe('404 ResourceNotFoundException: No update found for ID: x');
  });
});
