/** The activities on the Kubernetes side of a cluster. */
export { createHelmRunner, type HelmOptions, type HelmRunner } from './helm.ts';
export { type HelmKubeconfig, kubeconfigText } from './helm-kubeconfig.ts';
export { createIstioActivities } from './istio/index.ts';
export { createKarpenterActivities } from './karpenter/index.ts';
export { createOtherNodeActivities } from './other-nodes/index.ts';
export { createWorkloadActivities } from './workloads.ts';
