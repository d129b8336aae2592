/** All that Belay does with nodes that neither EKS's node groups nor Karpenter replace. */
import type { OtherNodeActivities } from './contract.ts';
import type { KubernetesDeps } from '../../ports.ts';
import { createAutoscalerActivities } from './autoscaler.ts';
import { createFargateActivities } from './fargate.ts';
import { createFargateStopActivities } from './fargate-stop.ts';
import { createSelfManagedActivities } from './self-managed.ts';

export function createOtherNodeActivities(deps: KubernetesDeps): OtherNodeActivities {
  return {
    ...createFargateActivities(deps),
    ...createFargateStopActivities(deps),
    ...createSelfManagedActivities(deps),
    ...createAutoscalerActivities(deps),
  };
}
