/** Bringing a new version of what runs beside Kubernetes: by Helm, or through the objects of Flux and Argo CD. */
import type { HelmDeps } from '../kubernetes/helm/upgrade.ts';
import { createCanaryActivities } from '../karpenter/controller/canary-node.ts';
import { type ChangeDeps, createKarpenterChangeActivities } from '../karpenter/controller/verify-change.ts';
import { createKarpenterHelmActivities } from '../karpenter/controller/helm-upgrade.ts';
import type { DeliveryActivities } from '../contract/delivery.ts';
import { createGitOpsActivities } from '../kubernetes/gitops/await-delivered.ts';

export function createDeliveryActivities(deps: ChangeDeps & HelmDeps): DeliveryActivities {
  return {
    ...createKarpenterChangeActivities(deps),
    ...createCanaryActivities(deps),
    ...createKarpenterHelmActivities(deps),
    ...createGitOpsActivities(deps),
  };
}
