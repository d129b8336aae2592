/** Belay's own lifecycle hook: Auto Scaling keeps an instance that is to end until it has been drained. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { during } from '../../runtime/translate-errors.ts';
import { signalled } from './group-calls.ts';

export const HOOK = 'belay-drain';
/** The longest that Auto Scaling allows between two heartbeats; it holds an instance for two days in all. */
const HEARTBEAT_SECONDS = 7_200;

/** The same request again changes nothing. */
export function putHook(clients: AccountClients, group: string): Promise<void> {
  return during(`putting lifecycle hook ${HOOK} on ${group}`, async () => {
    const autoScaling = await clients.autoScaling();
    await autoScaling.putLifecycleHook(
      {
        AutoScalingGroupName: group,
        LifecycleHookName: HOOK,
        LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
        HeartbeatTimeout: HEARTBEAT_SECONDS,
        DefaultResult: 'CONTINUE',
      },
      signalled(),
    );
  });
}

export function hasHook(clients: AccountClients, group: string): Promise<boolean> {
  return during(`reading the lifecycle hooks of ${group}`, async () => {
    const autoScaling = await clients.autoScaling();
    const query = { AutoScalingGroupName: group, LifecycleHookNames: [HOOK] };
    const { LifecycleHooks = [] } = await autoScaling.describeLifecycleHooks(query, signalled());
    return LifecycleHooks.length > 0;
  });
}

export function removeHook(clients: AccountClients, group: string): Promise<void> {
  return during(`removing lifecycle hook ${HOOK} of ${group}`, async () => {
    const autoScaling = await clients.autoScaling();
    const which = { AutoScalingGroupName: group };
    if (await hasHook(clients, group)) await autoScaling.deleteLifecycleHook({ ...which, LifecycleHookName: HOOK }, signalled());
  });
}

/** The instance is drained: it may end. */
export function letGo(clients: AccountClients, group: string, instanceId: string): Promise<void> {
  return during(`letting instance ${instanceId} go`, async () => {
    const autoScaling = await clients.autoScaling();
    await autoScaling.completeLifecycleAction(
      { AutoScalingGroupName: group, LifecycleHookName: HOOK, InstanceId: instanceId, LifecycleActionResult: 'CONTINUE' },
      signalled(),
    );
  });
}

/** Its drain goes on: Auto Scaling shall wait another two hours. */
export function keepWaiting(clients: AccountClients, group: string, instanceId: string): Promise<void> {
  return during(`holding instance ${instanceId}`, async () => {
    const autoScaling = await clients.autoScaling();
    const which = { AutoScalingGroupName: group, LifecycleHookName: HOOK, InstanceId: instanceId };
    await autoScaling.recordLifecycleActionHeartbeat(which, signalled());
  });
}
