/** EC2 Auto Scaling: the operations that are asked of it, so that a bundle has no others. */
import {
  AutoScalingClient,
  type AutoScalingClientConfig,
  DescribeAutoScalingGroupsCommand,
  type DescribeAutoScalingGroupsCommandInput,
} from '@aws-sdk/client-auto-scaling';
import type { CallOptions } from './call-options.ts';

export type AutoScaling = ReturnType<typeof openAutoScaling>;

/** Nothing is sent yet. */
export function openAutoScaling(config: AutoScalingClientConfig) {
  const client = new AutoScalingClient(config);
  return {
    describeAutoScalingGroups: (input: DescribeAutoScalingGroupsCommandInput, options: CallOptions) =>
      client.send(new DescribeAutoScalingGroupsCommand(input), options),
    destroy: () => client.destroy(),
  };
}
