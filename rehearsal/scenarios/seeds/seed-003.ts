/** seeds/003: Karpenter's API from v1beta1 to v1 where Flux delivers everything: its charts, and the manifests of nodes. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addHelmRelease } from '../parts/delivery-parts.ts';
import { addOlderKarpenter, addOlderNodeClass, addOlderNodePool } from '../parts/karpenter-beta-parts.ts';
import { addControllerRole } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

/** Its CRDs serve v1 beside what they store, and nothing converts: webhooks are off unless somebody switches them on. */
const KARPENTER = '0.37.1';
const OF_FLUX = { 'helm.toolkit.fluxcd.io/name': 'karpenter', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };
/** Built six days before the scenario begins: what lives for this long ends six hours after, and by force once 1.0 runs. */
const EXPIRES_SOON = '150h';

function build(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.30.7-eksbuild.2');
  addOlderKarpenter(world, { version: KARPENTER, nodeGroup: 'system', labels: OF_FLUX });
  addControllerRole(world, { by: 'irsa', allows: [] });
  addHelmRelease(world, { name: 'karpenter-crd', version: KARPENTER, parent: 'platform' });
  addHelmRelease(world, { name: 'karpenter', version: KARPENTER, parent: 'platform' });
  addOlderNodeClass(world, { name: 'default', karpenter: KARPENTER, spec: { tags: { Intent: 'default' }, detailedMonitoring: true } });
  addOlderNodeClass(world, { name: 'batch', karpenter: KARPENTER });
  addOlderNodePool(world, {
    name: 'default',
    nodes: 3,
    template: {
      nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: 'default' },
      kubelet: { clusterDNS: ['172.20.0.10'], maxPods: 110 },
    },
    disruption: { consolidationPolicy: 'WhenUnderutilized', expireAfter: '1440h', budgets: [{ nodes: '1' }] },
  });
  addOlderNodePool(world, {
    name: 'batch',
    nodes: 1,
    template: { nodeClassRef: { name: 'batch' } },
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30m', expireAfter: EXPIRES_SOON },
  });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
}

export const seed003: Scenario = {
  ...small,
  name: 'seed-003',
  title: 'Karpenter’s API from v1beta1 to v1 with Flux, 1.30 → 1.31',
  description:
    'Karpenter 0.37.1 by Flux, its manifests in Git as v1beta1, and CRDs that convert nothing. The patch with webhooks first, then 1.0; charts and manifests are asked for, kubelet settings move before their annotation goes.',
  cluster: { name: 'eu-dev', account: '111122223333', region: 'eu-west-1' },
  from: '1.30',
  to: '1.31',
  startsAt: '2025-02-10T01:00:00Z',
  managedBy: { karpenter: 'flux' },
  migratesKarpenter: true,
  expectations: {
    controlPlane: '1.31',
    kubelets: '1.31',
    karpenter: { since: '1.0.6', kubelet: { default: { clusterDNS: ['172.20.0.10'], maxPods: 110 } } },
  },
  build,
};
