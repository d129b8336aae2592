/** EC2 Auto Scaling: the operations that are asked of it, so that a bundle has no others. */
import {
  AutoScalingClient,
  type AutoScalingClientConfig,
  CancelInstanceRefreshCommand,
  type CancelInstanceRefreshCommandInput,
  CompleteLifecycleActionCommand,
  type CompleteLifecycleActionCommandInput,
  DeleteLifecycleHookCommand,
  type DeleteLifecycleHookCommandInput,
  DescribeAutoScalingGroupsCommand,
  type DescribeAutoScalingGroupsCommandInput,
  DescribeInstanceRefreshesCommand,
  type DescribeInstanceRefreshesCommandInput,
  DescribeLifecycleHooksCommand,
  type DescribeLifecycleHooksCommandInput,
  PutLifecycleHookCommand,
  type PutLifecycleHookCommandInput,
  RecordLifecycleActionHeartbeatCommand,
  type RecordLifecycleActionHeartbeatCommandInput,
  RollbackInstanceRefreshCommand,
  type RollbackInstanceRefreshCommandInput,
  StartInstanceRefreshCommand,
  type StartInstanceRefreshCommandInput,
} from '@aws-sdk/client-auto-scaling';
import type { CallOptions } from './call-options.ts';

export type AutoScaling = ReturnType<typeof openAutoScaling>;

/** Nothing is sent yet. */
export function openAutoScaling(config: AutoScalingClientConfig) {
  const client = new AutoScalingClient(config);
  return {
    cancelInstanceRefresh: (input: CancelInstanceRefreshCommandInput, options: CallOptions) =>
      client.send(new CancelInstanceRefreshCommand(input), options),
    completeLifecycleAction: (input: CompleteLifecycleActionCommandInput, options: CallOptions) =>
      client.send(new CompleteLifecycleActionCommand(input), options),
    deleteLifecycleHook: (input: DeleteLifecycleHookCommandInput, options: CallOptions) =>
      client.send(new DeleteLifecycleHookCommand(input), options),
    describeAutoScalingGroups: (input: DescribeAutoScalingGroupsCommandInput, options: CallOptions) =>
      client.send(new DescribeAutoScalingGroupsCommand(input), options),
    describeInstanceRefreshes: (input: DescribeInstanceRefreshesCommandInput, options: CallOptions) =>
      client.send(new DescribeInstanceRefreshesCommand(input), options),
    describeLifecycleHooks: (input: DescribeLifecycleHooksCommandInput, options: CallOptions) =>
      client.send(new DescribeLifecycleHooksCommand(input), options),
    putLifecycleHook: (input: PutLifecycleHookCommandInput, options: CallOptions) =>
      client.send(new PutLifecycleHookCommand(input), options),
    recordLifecycleActionHeartbeat: (input: RecordLifecycleActionHeartbeatCommandInput, options: CallOptions) =>
      client.send(new RecordLifecycleActionHeartbeatCommand(input), options),
    rollbackInstanceRefresh: (input: RollbackInstanceRefreshCommandInput, options: CallOptions) =>
      client.send(new RollbackInstanceRefreshCommand(input), options),
    startInstanceRefresh: (input: StartInstanceRefreshCommandInput, options: CallOptions) =>
      client.send(new StartInstanceRefreshCommand(input), options),
    destroy: () => client.destroy(),
  };
}
