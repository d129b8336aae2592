/** Pods on Fargate beside a node group: nobody replaces their nodes but who restarts their owners. */
import type { EksFargateProfile } from '../../aws/eks/state.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

export function fargateProfile({ eks: { cluster } }: World, selectors: EksFargateProfile['selectors']): EksFargateProfile {
  return {
    name: 'batch',
    status: 'ACTIVE',
    podExecutionRoleArn: `arn:aws:iam::${cluster.account}:role/fargate`,
    subnetIds: cluster.subnetIds,
    selectors,
    createdAtMs: cluster.createdAtMs,
  };
}

function build(world: World): void {
  world.eks.fargateProfiles.push(fargateProfile(world, [{ namespace: 'batch' }, { namespace: 'reports', labels: { app: 'pdf' } }]));
  addNodeGroup(world, { name: 'default', size: 2 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addApp(world, { namespace: 'batch', name: 'worker', replicas: 2, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'reports', name: 'pdf', replicas: 1 });
  addApp(world, { namespace: 'reports', name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
}

export const fargate: Scenario = {
  ...small,
  name: 'fargate',
  title: 'Pods on Fargate, 1.31 → 1.32',
  description:
    'Three pods on Fargate keep the kubelet of 1.31 until Belay restarts their owners, one namespace after the other. Control-plane logs are switched on first.',
  cluster: { name: 'serverless', account: '111122223333', region: 'eu-central-1' },
  managedBy: {},
  settings: { controlPlane: { logging: ['api', 'audit'] } },
  build,
};
