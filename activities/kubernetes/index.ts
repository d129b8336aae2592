/** The activities on the Kubernetes side of a cluster. */
export { createHelmRunner, type HelmOptions, type HelmRunner, kubeconfigText } from './helm.ts';
export { createIstioActivities } from './istio/index.ts';
export { createKarpenterActivities } from './karpenter/index.ts';
export { createWorkloadActivities } from './workloads.ts';
