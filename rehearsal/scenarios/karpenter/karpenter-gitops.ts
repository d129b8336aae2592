/** Karpenter by Flux and by Argo CD: patched where nobody keeps the objects as in Git, asked for where somebody does. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';
import { addApplication, addHelmRelease } from '../parts/delivery-parts.ts';
import { addControllerRole, addKarpenter, addNodeClass, addNodePool } from '../parts/karpenter-parts.ts';
import type { Scenario } from '../scenario.ts';
import { small } from '../small.ts';
import { addApp } from '../parts/workload-parts.ts';

/** The newest that supports 1.31 and not 1.32. */
const VERSION = '1.1.10';

function addCluster(world: World, marks: { labels?: Record<string, string>; annotations?: Record<string, string> }): void {
  addNodeGroup(world, { name: 'default', size: 2 });
  addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
  addKarpenter(world, { version: VERSION, nodeGroup: 'default', ...marks });
  addControllerRole(world, { by: 'pod-identity', allows: [] });
  addNodeClass(world, { name: 'default', alias: 'al2023@latest', karpenter: VERSION });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 2, budgets: [{ nodes: '1' }] });
  addApp(world, { namespace: 'shop', name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
}

const OF_FLUX = { 'helm.toolkit.fluxcd.io/name': 'karpenter', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };

const common = { ...small, environment: 'staging', from: '1.31', to: '1.32', expectations: { controlPlane: '1.32', kubelets: '1.32' } };

export const karpenterFlux: Scenario = {
  ...common,
  name: 'karpenter-flux',
  title: 'Karpenter by Flux, and nobody keeps its HelmReleases, 1.31 → 1.32',
  description:
    'The CRDs come from a HelmRelease, the controller from an OCIRepository; neither is in Git. Belay freezes drift, asks at a gate, and changes both.',
  cluster: { ...small.cluster, name: 'karpenter-flux' },
  managedBy: { karpenter: 'flux' },
  build(world) {
    addCluster(world, { labels: OF_FLUX, annotations: {} });
    addHelmRelease(world, { name: 'karpenter-crd', version: VERSION });
    addHelmRelease(world, { name: 'karpenter', version: VERSION, oci: true });
  },
};

export const karpenterCanary: Scenario = {
  ...karpenterFlux,
  name: 'karpenter-canary',
  title: 'Karpenter by Flux with a canary node, 1.31 → 1.32',
  description:
    'Once the new controller runs it launches one node more, on which no pod lands; only when that node is Ready and gone again does the upgrade go on.',
  cluster: { ...small.cluster, name: 'karpenter-canary' },
  karpenter: { canaryNode: 'default' },
};

export const karpenterFluxGit: Scenario = {
  ...common,
  name: 'karpenter-flux-git',
  title: 'Karpenter by Flux, kept as in Git by a Kustomization, 1.31 → 1.32',
  description: 'A change in the cluster would be put back within minutes: Belay asks for the merge, and watches until Flux has delivered.',
  cluster: { ...small.cluster, name: 'karpenter-flux-git' },
  managedBy: { karpenter: 'flux' },
  build(world) {
    addCluster(world, { labels: OF_FLUX, annotations: {} });
    addHelmRelease(world, { name: 'karpenter-crd', version: VERSION, parent: 'platform' });
    addHelmRelease(world, { name: 'karpenter', version: VERSION, oci: true, parent: 'platform' });
  },
};

export const karpenterArgo: Scenario = {
  ...common,
  name: 'karpenter-argo',
  title: 'Karpenter by Argo CD with self-heal, 1.31 → 1.32',
  description:
    'Two Applications, the controller’s with automated sync and self-heal: Belay changes the Applications, never what they deliver, and starts one sync each.',
  cluster: { ...small.cluster, name: 'karpenter-argo' },
  managedBy: { karpenter: 'argocd' },
  build(world) {
    addCluster(world, {});
    addApplication(world, { name: 'karpenter-crd', chart: 'karpenter-crd', version: VERSION });
    addApplication(world, { name: 'karpenter', chart: 'karpenter', version: VERSION, automated: { prune: true, selfHeal: true } });
  },
};
