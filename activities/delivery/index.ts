/** Bringing a new version of what runs beside Kubernetes: by Helm, or through the objects of Flux and Argo CD. */
import type { HelmDeps } from '../kubernetes/helm-upgrade.ts';
import { createCanaryActivities } from '../kubernetes/karpenter/canary-node.ts';
import { type ChangeDeps, createKarpenterChangeActivities } from '../kubernetes/karpenter/change.ts';
import { createKarpenterHelmActivities } from '../kubernetes/karpenter/helm.ts';
import type { DeliveryActivities } from './contract.ts';
import { createGitOpsActivities } from './gitops.ts';

export function createDeliveryActivities(deps: ChangeDeps & HelmDeps): DeliveryActivities {
  return {
    ...createKarpenterChangeActivities(deps),
    ...createCanaryActivities(deps),
    ...createKarpenterHelmActivities(deps),
    ...createGitOpsActivities(deps),
  };
}
