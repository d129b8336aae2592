/** Pods on Fargate up by a minor and back again: what owns them stands still while the control plane goes back. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { fargateProfile } from './fargate.ts';
import { addGroup } from './instance-refresh.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

function build(world: World): void {
  world.eks.fargateProfiles.push(fargateProfile(world, [{ namespace: 'batch' }]));
  addNodeGroup(world, { name: 'default', size: 1 });
  addGroup(world, 'own', 2);
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  addAddOn(world, 'kube-proxy', 'v1.32.0-eksbuild.2');
  addApp(world, { namespace: 'batch', name: 'worker', replicas: 2, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'batch', name: 'pdf', replicas: 1 });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
}

export const fargateBack: Scenario = {
  ...small,
  name: 'fargate-back',
  title: 'Pods on Fargate, and a group of one’s own, up and down again, 1.32 → 1.33 → 1.32',
  description:
    'A whole upgrade, then its way back. EKS would refuse it while pods on Fargate are newer, and every new one would be: their owners are scaled to 0 behind a gate, are down until the control plane is back, and start again with the replicas that they had. An Auto Scaling group of one’s own is refreshed to the image that it had before.',
  cluster: { name: 'fargate-back', account: '111122223333', region: 'eu-central-1' },
  environment: 'staging',
  from: '1.32',
  to: '1.33',
  startsAt: '2026-02-10T08:00:00Z',
  managedBy: {},
  settings: { rollback: { fargate: 'stop' }, nodeGroups: { selfManaged: 'refresh' } },
  goesBack: true,
  expectations: { controlPlane: '1.32', kubelets: '1.32' },
  build,
};
