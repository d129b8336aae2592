/** Single steps that are taken back again: after an upgrade that people stopped halfway, and after one that came to its end. */
import { installRevision, setDefaultValidator, setTag } from '../controllers/istio/revisions.ts';
import { settle } from '../kubernetes/controllers/index.ts';
import { addAddOn, addNodeGroup } from './parts/cluster-parts.ts';
import { karpenterFlux } from './karpenter/karpenter-gitops.ts';
import type { Scenario } from './scenario.ts';
import { small } from './small.ts';
import { recordReleases } from './istio/small-istio-helm.ts';
import { addApp, addNamespace } from './parts/workload-parts.ts';

export const undoneHalfway: Scenario = {
  ...karpenterFlux,
  name: 'undone-halfway',
  title: 'Stopped before the control plane, Karpenter and add-ons taken back, 1.31',
  description:
    'Karpenter and CoreDNS have moved when people say no to the control plane: each goes back to what it was, by a plan of its own.',
  cluster: { ...small.cluster, name: 'undone-halfway' },
  declines: 'before:control-plane@1.32#1',
  undoes: ['karpenter-controller', 'add-ons'],
  expectations: { controlPlane: '1.31', kubelets: '1.31' },
  build(world) {
    karpenterFlux.build(world);
    addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
  },
};

export const undoneAddOns: Scenario = {
  ...small,
  name: 'undone-add-ons',
  title: 'An upgrade, its add-ons and nodes taken back, 1.31 → 1.32',
  description:
    'kube-proxy and the node group go back to what they were; CoreDNS, whose version before 1.32 does not take, stays and is named.',
  cluster: { ...small.cluster, name: 'undone-add-ons' },
  managedBy: {},
  undoes: ['add-ons', 'node-groups'],
  expectations: { controlPlane: '1.32', kubelets: '1.31' },
  build(world) {
    addNodeGroup(world, { name: 'default', size: 2 });
    addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
    addAddOn(world, 'kube-proxy', 'v1.31.3-eksbuild.2');
    addApp(world, { namespace: 'shop', name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  },
};

export const undoneIstio: Scenario = {
  ...small,
  name: 'undone-istio',
  title: 'Stopped before the control plane, Istio taken back, 1.34',
  description:
    'Istio 1.28 → 1.30 by helm, the old revision retired, when people say no to the control plane: the old one is installed again as it was, namespaces, the default tag and its validator go back, and the new one goes. Needs helm.',
  cluster: { ...small.cluster, name: 'undone-istio' },
  from: '1.34',
  to: '1.35',
  startsAt: '2026-07-10T01:00:00Z',
  managedBy: { istio: 'helm' },
  istio: { moveBy: 'label', waves: [1] },
  declines: 'before:control-plane@1.35#1',
  undoes: ['istio'],
  expectations: { controlPlane: '1.34', kubelets: '1.34', istioRevisionGone: '1-30', meshNamespaces: ['docs', 'shop'] },
  build(world) {
    addNodeGroup(world, { name: 'default', size: 2 });
    addAddOn(world, 'coredns', 'v1.13.1-eksbuild.1');
    addAddOn(world, 'kube-proxy', 'v1.34.1-eksbuild.2');
    installRevision(world, { revision: '1-28', version: '1.28.3' });
    setDefaultValidator(world, '1-28');
    setTag(world, 'default', '1-28');
    recordReleases(world, { revision: '1-28', version: '1.28.3' });
    // istiod runs before the mesh's pods are made, or its webhook would refuse them.
    settle(world);
    addNamespace(world, 'docs', { 'istio.io/rev': '1-28' });
    addNamespace(world, 'shop', { 'istio-injection': 'enabled' });
    for (const namespace of ['docs', 'shop']) addApp(world, { namespace, name: 'web', replicas: 2, budget: { maxUnavailable: 1 } });
  },
};
