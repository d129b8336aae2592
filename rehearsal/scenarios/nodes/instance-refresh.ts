/** Nodes in Auto Scaling groups of one's own alone: Belay refreshes one group, and asks for the one that Terraform keeps. */
import { launchOwnNode } from '../../controllers/instance-refresh.ts';
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addAddOn } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

export function addGroup(world: World, name: string, size: number, tags: Record<string, string> = {}): void {
  const { cluster, network } = world.eks;
  const id = `lt-0${Buffer.from(name.padEnd(8)).toString('hex')}`;
  const image = latestAmi('al2023', cluster.version, world.clock.now());
  network.launchTemplates.push({ id, name, defaultVersion: 1, versions: [{ number: 1, imageId: image?.id }] });
  const group = { name, size, launchTemplate: { id, version: '1' }, tags };
  network.autoScalingGroups.push(group);
  for (let index = 0; index < size; index += 1) launchOwnNode(world, group, group.launchTemplate, true);
}

function build(world: World): void {
  addGroup(world, 'batch', 3);
  addGroup(world, 'reports', 1, { 'managed-by': 'terraform' });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addApp(world, { namespace: 'shop', name: 'web', replicas: 4, budget: { maxUnavailable: 1 } });
}

export const instanceRefresh: Scenario = {
  ...small,
  name: 'instance-refresh',
  title: 'Groups of one’s own, refreshed by Belay, 1.31 → 1.32',
  description:
    'Three self-managed nodes go through an instance refresh that Belay starts and drains, within the budgets of what runs on them; the group that Terraform keeps is asked for.',
  cluster: { name: 'groups', account: '111122223333', region: 'eu-central-1' },
  managedBy: {},
  settings: { nodeGroups: { selfManaged: 'refresh' } },
  build,
};
