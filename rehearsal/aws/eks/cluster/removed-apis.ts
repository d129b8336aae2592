/** What EKS remembers of calls of APIs that a later minor does not serve. */
import { DEPRECATED_VERSIONS } from '../../../kubernetes/deprecated-versions.ts';
import type { World } from '../../../world/world.ts';
import type { DeprecationDetail } from '../state.ts';

const REMOVED: readonly Omit<DeprecationDetail, 'clientStats'>[] = DEPRECATED_VERSIONS.map(
  ({ group, plural, version, replacement, sinceMinor, removedMinor }) => ({
    usage: `/apis/${group}/${version}/${plural}`,
    replacedWith: `/apis/${group}/${replacement}/${plural}`,
    stopServingVersion: `1.${removedMinor}`,
    startServingReplacementVersion: `1.${sinceMinor}`,
  }),
);

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
