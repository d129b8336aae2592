/** APIs that a minor no longer serves (Kubernetes deprecation guide), among those that the twin's minors have. */
import type { World } from '../world/world.ts';
import type { DeprecationDetail } from './state.ts';

type Removed = Omit<DeprecationDetail, 'clientStats'>;

const removed = (usage: string, replacedWith: string, stopServingVersion: string, startServingReplacementVersion: string): Removed => ({
  usage,
  replacedWith,
  stopServingVersion,
  startServingReplacementVersion,
});

const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io';
const REMOVED: readonly Removed[] = ['flowschemas', 'prioritylevelconfigurations'].flatMap((plural) => [
  removed(`${FLOW_CONTROL}/v1beta2/${plural}`, `${FLOW_CONTROL}/v1/${plural}`, '1.29', '1.29'),
  removed(`${FLOW_CONTROL}/v1beta3/${plural}`, `${FLOW_CONTROL}/v1/${plural}`, '1.32', '1.29'),
]);

const MEMORY_MS = 30 * 24 * 3_600_000;

/** Records a call of a deprecated API, seen in the audit log. Calls of other paths are not remembered. */
export function noteDeprecatedCall(world: World, call: { path: string; userAgent: string }): void {
  if (!REMOVED.some(({ usage }) => call.path.startsWith(usage))) return;
  world.eks.deprecatedCalls.push({ ...call, atMs: world.clock.nowMs() });
}

/** What was called in the last thirty days that a minor does not serve any more, with who called it. */
export function deprecationsFor(world: World, minor: string): DeprecationDetail[] {
  const sinceMs = world.clock.nowMs() - MEMORY_MS;
  return REMOVED.filter(({ stopServingVersion }) => stopServingVersion === minor).flatMap((api) => {
    const calls = world.eks.deprecatedCalls.filter(({ path, atMs }) => path.startsWith(api.usage) && atMs >= sinceMs);
    if (calls.length === 0) return [];
    const clientStats = [...Map.groupBy(calls, ({ userAgent }) => userAgent)].map(([userAgent, own]) => ({
      userAgent,
      requests: own.length,
      lastRequestMs: Math.max(...own.map(({ atMs }) => atMs)),
    }));
    return [{ ...api, clientStats }];
  });
}
