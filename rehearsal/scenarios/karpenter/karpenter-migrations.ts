/** Karpenter's API migrated by Belay itself: charts by helm or through Flux, objects that somebody applied once and keeps nowhere. */
import { KUBECTL } from '../../controllers/karpenter/migration/manifests.ts';
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addHelmRelease } from '../parts/delivery-parts.ts';
import { addNodeTemplate, addProvisioner } from '../parts/karpenter-alpha-parts.ts';
import { addOlderKarpenter, addOlderNodeClass, addOlderNodePool } from '../parts/karpenter-beta-parts.ts';
import { addControllerRole } from '../parts/karpenter-parts.ts';
import { karpenterPolicy } from '../parts/karpenter-policies.ts';
import { recordKarpenter } from '../parts/karpenter-release.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

const ALPHA = '0.31.0';
/** The webhooks of its charts are off unless somebody switches them on. */
const BETA = '0.37.1';
const OF_FLUX = { 'helm.toolkit.fluxcd.io/name': 'karpenter', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };

function addApps(world: World): void {
  addApp(world, { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } });
  addApp(world, { namespace: 'shop', name: 'cart', replicas: 2, budget: { minAvailable: 1 } });
}

function addAlpha(world: World): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addAddOn(world, 'kube-proxy', 'v1.28.15-eksbuild.4');
  addOlderKarpenter(world, { version: ALPHA, nodeGroup: 'system' });
  addControllerRole(world, { by: 'irsa', allows: [] });
  recordKarpenter(world, { version: `v${ALPHA}`, nodeGroup: 'system' });
  addNodeTemplate(world, 'default', KUBECTL);
  addProvisioner(world, { name: 'default', nodes: 3, by: KUBECTL, spec: { consolidation: { enabled: true } } });
  addApps(world);
}

function addBeta(world: World, labels: Record<string, string> = {}): void {
  addNodeGroup(world, { name: 'system', size: 2 });
  addAddOn(world, 'kube-proxy', 'v1.30.7-eksbuild.2');
  addOlderKarpenter(world, { version: BETA, nodeGroup: 'system', labels });
  addControllerRole(world, { by: 'irsa', allows: [], policy: 'v1beta1' });
  addOlderNodeClass(world, { name: 'default', karpenter: BETA, byHand: true });
  addOlderNodePool(world, {
    name: 'default',
    nodes: 3,
    byHand: true,
    template: { nodeClassRef: { name: 'default' }, kubelet: { maxPods: 110 } },
    disruption: { consolidationPolicy: 'WhenUnderutilized', expireAfter: '1440h', budgets: [{ nodes: '1' }] },
  });
  addApps(world);
}

/** Beside the one that is there. */
function attachPolicy({ eks }: World): void {
  for (const role of eks.controllerRoles)
    role.policies?.push({ name: 'KarpenterControllerPolicy-v1', document: karpenterPolicy('v1', eks.cluster), managed: true });
}

const beta = {
  ...small,
  from: '1.30',
  to: '1.31',
  startsAt: '2025-02-10T01:00:00Z',
  migratesKarpenter: true as const,
  expectations: { controlPlane: '1.31', kubelets: '1.31', karpenter: { since: '1.0.6', kubelet: { default: { maxPods: 110 } } } },
};

export const karpenterAlphaHelm: Scenario = {
  ...small,
  name: 'karpenter-alpha-helm',
  title: 'Karpenter’s API from v1alpha5 to v1 by Helm, 1.28 → 1.29',
  description:
    'Karpenter 0.31 by the real helm, Provisioners that somebody applied once: Belay brings every chart, makes the new objects, and deletes the old ones. Needs helm.',
  cluster: { ...small.cluster, name: 'karpenter-alpha-helm' },
  from: '1.28',
  to: '1.29',
  startsAt: '2024-12-10T08:00:00Z',
  managedBy: { karpenter: 'helm' },
  migratesKarpenter: true,
  expectations: { controlPlane: '1.29', kubelets: '1.29', karpenter: { since: '1.0.6' } },
  build: addAlpha,
};

export const karpenterBetaHelm: Scenario = {
  ...beta,
  name: 'karpenter-beta-helm',
  title: 'Karpenter’s API from v1beta1 to v1 by Helm, 1.30 → 1.31',
  description:
    'Karpenter 0.37.1 by the real helm, objects that somebody applied once: Belay brings every chart and moves the kubelet settings itself; its role lacks the policy of 1.0 until somebody attaches it. Needs helm.',
  cluster: { ...small.cluster, name: 'karpenter-beta-helm' },
  managedBy: { karpenter: 'helm' },
  mends: [
    {
      gate: 'change:karpenter-migration@1.31/v1#1',
      choice: 'look-again',
      does: 'somebody attaches the policy of 1.0 to Karpenter’s role',
      act: attachPolicy,
    },
  ],
  build(world) {
    addBeta(world);
    recordKarpenter(world, { version: BETA, nodeGroup: 'system' });
  },
};

export const karpenterBetaFlux: Scenario = {
  ...beta,
  name: 'karpenter-beta-flux',
  title: 'Karpenter’s API from v1beta1 to v1 through Flux that nobody keeps, 1.30 → 1.31',
  description: 'Karpenter 0.37.1 by HelmReleases that are in no Git: Belay sets version and webhooks on them, one chart at a time.',
  cluster: { ...small.cluster, name: 'karpenter-beta-flux' },
  managedBy: { karpenter: 'flux' },
  build(world) {
    addBeta(world, OF_FLUX);
    addHelmRelease(world, { name: 'karpenter-crd', version: BETA });
    addHelmRelease(world, { name: 'karpenter', version: BETA });
  },
};
