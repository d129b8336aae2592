/** seeds/004: Karpenter's API from v1alpha5 where Terraform renders and applies its charts: Machines stay what they are, so their nodes have to move. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addNodeTemplate, addProvisioner } from '../parts/karpenter-alpha-parts.ts';
import { addOlderKarpenter } from '../parts/karpenter-beta-parts.ts';
import { addControllerRole } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

/** From 0.32 one could not go back to this patch. */
const KARPENTER = '0.31.0';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.28.15-eksbuild.4');
  addOlderKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  addControllerRole(world, { by: 'irsa', allows: [] });
  addNodeTemplate(world, 'default');
  addProvisioner(world, {
    name: 'default',
    nodes: 3,
    spec: { labels: { team: 'atlas' }, consolidation: { enabled: true }, ttlSecondsUntilExpired: 2_592_000 },
  });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
  addApp(world, { namespace: 'reports', name: 'reports', replicas: 1, nodeSelector: { 'karpenter.sh/provisioner-name': 'default' } });
}

/** Its pods find nodes of Provisioners and of NodePools. */
function selectByTeam({ store }: World): void {
  store.update('deployments', 'reports', 'reports', ({ spec }) => void (spec.template.spec.nodeSelector = { team: 'atlas' }));
}

export const seed004: Scenario = {
  ...small,
  name: 'seed-004',
  title: 'Karpenter’s API from v1alpha5 to v1 with Terraform, 1.28 → 1.29',
  description:
    'Karpenter 0.31 by Terraform, which only renders its charts. The bridge that sees both APIs, NodePools beside the Provisioners, nodes moved one by one, then the way to 1.0; webhooks that nobody takes away are left behind.',
  cluster: { name: 'atlas', account: '111122223333', region: 'us-east-1' },
  from: '1.28',
  to: '1.29',
  startsAt: '2024-12-10T08:00:00Z',
  managedBy: { karpenter: 'terraform' },
  migratesKarpenter: true,
  mends: [
    {
      gate: 'change:karpenter-migration@1.29/workloads#1',
      choice: 'look-again',
      does: 'the team of reports selects nodes by a label of its own instead of karpenter.sh/provisioner-name',
      act: selectByTeam,
    },
  ],
  expectations: { controlPlane: '1.29', kubelets: '1.29', karpenter: { since: '1.0.6' } },
  build,
};
