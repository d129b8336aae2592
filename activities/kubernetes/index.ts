/** The activities on the Kubernetes side of a cluster. */
export { createHelmRunner, type HelmOptions, type HelmRunner } from './helm/runner.ts';
export { type HelmKubeconfig, kubeconfigText } from '../clients/kubernetes/kubeconfig.ts';
export { createIstioActivities } from '../istio/index.ts';
export { createKarpenterActivities } from '../karpenter/index.ts';
export { createOtherNodeActivities } from '../eks/other-nodes.ts';
export { createWorkloadActivities } from './objects/scale-workloads.ts';
