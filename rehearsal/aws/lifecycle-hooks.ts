/** Lifecycle hooks of one's own Auto Scaling groups over the query protocol, and the instances that they hold. */
import { globalTimeoutSeconds, terminate, terminatingHook } from '../controllers/instance-refresh.ts';
import type { World } from '../world/world.ts';
import { instancesOf } from './instances.ts';
import { invalid, requireGroup } from './instance-refreshes.ts';
import type { AutoScalingGroup, LifecycleHook } from './network.ts';
import { numbered } from './query.ts';
import type { XmlValue } from './xml.ts';

type Answer = Record<string, XmlValue>;

const HEARTBEAT_SECONDS = 3_600;

export function describeLifecycleHooks(world: World, form: URLSearchParams): Answer {
  const { name, hooks = [] } = requireGroup(world, form);
  const named = numbered(form, 'LifecycleHookNames.member');
  const wanted = hooks.filter((hook) => named.length === 0 || named.includes(hook.name));
  return {
    LifecycleHooks: wanted.map((hook) => ({
      LifecycleHookName: hook.name,
      AutoScalingGroupName: name,
      LifecycleTransition: hook.transition,
      HeartbeatTimeout: hook.heartbeatSeconds,
      GlobalTimeout: globalTimeoutSeconds(hook),
      DefaultResult: hook.defaultResult,
    })),
  };
}

/** Makes it, or changes what the request names. */
export function putLifecycleHook(world: World, form: URLSearchParams): Answer {
  const group = requireGroup(world, form);
  const name = form.get('LifecycleHookName') ?? '';
  const known = group.hooks?.find((hook) => hook.name === name);
  const transition = transitionOf(form.get('LifecycleTransition')) ?? known?.transition;
  if (transition === undefined) throw invalid('LifecycleTransition is required when creating a lifecycle hook.');
  const heartbeatSeconds = Number(form.get('HeartbeatTimeout') ?? known?.heartbeatSeconds ?? HEARTBEAT_SECONDS);
  if (heartbeatSeconds < 30 || heartbeatSeconds > 7_200) throw invalid('HeartbeatTimeout must be between 30 and 7200 seconds.');
  const defaultResult = form.get('DefaultResult') === 'CONTINUE' ? 'CONTINUE' : (known?.defaultResult ?? 'ABANDON');
  const others = (group.hooks ?? []).filter((hook) => hook !== known);
  group.hooks = [...others, { name, transition, heartbeatSeconds, defaultResult }];
  return {};
}

function transitionOf(text: string | null): LifecycleHook['transition'] | undefined {
  return text === 'autoscaling:EC2_INSTANCE_TERMINATING' || text === 'autoscaling:EC2_INSTANCE_LAUNCHING' ? text : undefined;
}

/** What it holds goes on to its end. */
export function deleteLifecycleHook(world: World, form: URLSearchParams): Answer {
  const group = requireGroup(world, form);
  const hook = requireHook(group, form);
  group.hooks = group.hooks?.filter((one) => one !== hook);
  if (terminatingHook(group) === undefined) for (const { node } of group.leaving ?? []) terminate(world, group, node);
  return {};
}

export function completeLifecycleAction(world: World, form: URLSearchParams): Answer {
  const { group, held } = requireHeld(world, form);
  terminate(world, group, held.node);
  return {};
}

export function recordLifecycleActionHeartbeat(world: World, form: URLSearchParams): Answer {
  requireHeld(world, form).held.sinceMs = world.clock.nowMs();
  return {};
}

function requireHook(group: AutoScalingGroup, form: URLSearchParams): LifecycleHook {
  const name = form.get('LifecycleHookName') ?? '';
  const hook = group.hooks?.find((one) => one.name === name);
  if (hook === undefined) throw invalid(`No Lifecycle Hook found with name ${name}`);
  return hook;
}

function requireHeld(world: World, form: URLSearchParams) {
  const group = requireGroup(world, form);
  requireHook(group, form);
  const id = form.get('InstanceId') ?? '';
  const node = instancesOf(world).find((instance) => instance.id === id)?.node;
  const held = group.leaving?.find((one) => one.node === node);
  if (held === undefined) throw invalid(`No active Lifecycle Action found with instance ID ${id}`);
  return { group, held };
}
