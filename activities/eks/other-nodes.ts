/** All that Belay does with nodes that neither EKS's node groups nor Karpenter replace. */
import type { OtherNodeActivities } from '../contract/other-nodes.ts';
import type { KubernetesDeps } from '../contract/ports.ts';
import { createAutoscalerActivities } from './auto-scaling/cluster-autoscaler.ts';
import { createFargateActivities } from './fargate/restart-fargate.ts';
import { createFargateStopActivities } from './fargate/stop-fargate.ts';
import { createSelfManagedActivities } from './auto-scaling/await-self-managed.ts';

export function createOtherNodeActivities(deps: KubernetesDeps): OtherNodeActivities {
  return {
    ...createFargateActivities(deps),
    ...createFargateStopActivities(deps),
    ...createSelfManagedActivities(deps),
    ...createAutoscalerActivities(deps),
  };
}
