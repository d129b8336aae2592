/** Single steps that are taken back again: after an upgrade that people stopped halfway, and after one that came to its end. */
import { addAddOn, addNodeGroup } from './cluster-parts.ts';
import { karpenterFlux } from './karpenter-gitops.ts';
import type { Scenario } from './scenario.ts';
import { small } from './small.ts';
import { addApp } from './workload-parts.ts';

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
