/** All that Belay does with nodes that neither EKS's node groups nor Karpenter replace. */
import type { OtherNodeActivities } from '../../contract.ts';
import type { KubernetesDeps } from '../../ports.ts';
import { createFargateActivities } from './fargate.ts';

export function createOtherNodeActivities(deps: KubernetesDeps): OtherNodeActivities {
  return { ...createFargateActivities(deps) };
}
