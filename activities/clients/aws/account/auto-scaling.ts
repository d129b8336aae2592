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
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';
import { changingClient } from './changing-client.ts';

export type AutoScaling = ReturnType<typeof openAutoScaling>;

/** Nothing is sent yet. `writing`: the configuration for changes, asked for at each of them. */
export function openAutoScaling(config: AutoScalingClientConfig, writing: () => Promise<AutoScalingClientConfig>) {
  const client = prepared(new AutoScalingClient(config));
  const { changer, destroy } = changingClient(client, writing, (other) => prepared(new AutoScalingClient(other)));
  return {
    cancelInstanceRefresh: async (input: CancelInstanceRefreshCommandInput, options: CallOptions) =>
      await (await changer()).send(new CancelInstanceRefreshCommand(input), options),
    completeLifecycleAction: async (input: CompleteLifecycleActionCommandInput, options: CallOptions) =>
      await (await changer()).send(new CompleteLifecycleActionCommand(input), options),
    deleteLifecycleHook: async (input: DeleteLifecycleHookCommandInput, options: CallOptions) =>
      await (await changer()).send(new DeleteLifecycleHookCommand(input), options),
    describeAutoScalingGroups: (input: DescribeAutoScalingGroupsCommandInput, options: CallOptions) =>
      client.send(new DescribeAutoScalingGroupsCommand(input), options),
    describeInstanceRefreshes: (input: DescribeInstanceRefreshesCommandInput, options: CallOptions) =>
      client.send(new DescribeInstanceRefreshesCommand(input), options),
    describeLifecycleHooks: (input: DescribeLifecycleHooksCommandInput, options: CallOptions) =>
      client.send(new DescribeLifecycleHooksCommand(input), options),
    putLifecycleHook: async (input: PutLifecycleHookCommandInput, options: CallOptions) =>
      await (await changer()).send(new PutLifecycleHookCommand(input), options),
    recordLifecycleActionHeartbeat: async (input: RecordLifecycleActionHeartbeatCommandInput, options: CallOptions) =>
      await (await changer()).send(new RecordLifecycleActionHeartbeatCommand(input), options),
    rollbackInstanceRefresh: async (input: RollbackInstanceRefreshCommandInput, options: CallOptions) =>
      await (await changer()).send(new RollbackInstanceRefreshCommand(input), options),
    startInstanceRefresh: async (input: StartInstanceRefreshCommandInput, options: CallOptions) =>
      await (await changer()).send(new StartInstanceRefreshCommand(input), options),
    destroy,
  };
}
