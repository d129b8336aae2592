/** An Auto Scaling group of one's own beside a managed one. */
import { launchOwnNode } from '../../controllers/instance-refresh.ts';
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const TEMPLATE = 'lt-0bbbbbbbbbbbbbbb1';

function build(world: World): void {
  const { cluster, network } = world.eks;
  const image = latestAmi('al2023', cluster.version, world.clock.now());
  network.launchTemplates.push({ id: TEMPLATE, name: 'batch', defaultVersion: 1, versions: [{ number: 1, imageId: image?.id }] });
  const group = { name: 'batch', size: 2, launchTemplate: { id: TEMPLATE, version: '1' } };
  network.autoScalingGroups.push(group);
  for (let index = 0; index < group.size; index += 1) launchOwnNode(world, group, group.launchTemplate, true);
  addNodeGroup(world, { name: 'default', size: 2 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addAutoscaler(world);
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
}

function addAutoscaler(world: World): void {
  const labels = { 'app.kubernetes.io/name': 'aws-cluster-autoscaler' };
  const image = 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.31.1';
  world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cluster-autoscaler', namespace: 'kube-system', labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'cluster-autoscaler', image }] } },
    },
  });
}

export const selfManaged: Scenario = {
  ...small,
  name: 'self-managed',
  title: 'An Auto Scaling group of one’s own, 1.31 → 1.32',
  description:
    'Two self-managed nodes: Belay asks for an instance refresh with the commands, and waits for their kubelets. The Cluster Autoscaler is paused meanwhile.',
  cluster: { name: 'classic', account: '111122223333', region: 'eu-central-1' },
  managedBy: {},
  build,
};
