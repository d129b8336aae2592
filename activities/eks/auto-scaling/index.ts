/** All that Belay does with Auto Scaling groups of one's own. */
import type { SelfManagedDeps } from './group-calls.ts';
import type { SelfManagedActivities } from '../../contract/self-managed.ts';
import { examine } from './examine.ts';
import { putHook, removeHook } from './lifecycle-hook.ts';
import { addVersion, startRefresh, stopRefresh } from './instance-refresh.ts';
import { watchRefresh } from './watch-refresh.ts';

export function createRefreshActivities(deps: SelfManagedDeps): SelfManagedActivities {
  return {
    examineGroup: async ({ cluster, group, to, back = false }) =>
      await examine(deps.account(cluster), (await deps.clusterPorts(cluster)).kubernetes, { name: group, to, back }),
    addTemplateVersion: async (input) => await addVersion(deps.account(input.cluster), input),
    holdTerminating: async ({ cluster, group }) => await putHook(deps.account(cluster), group),
    releaseTerminating: async ({ cluster, group }) => await removeHook(deps.account(cluster), group),
    startInstanceRefresh: async (input) => await startRefresh(deps.account(input.cluster), input),
    watchInstanceRefresh: async (input) =>
      await watchRefresh(deps.account(input.cluster), (await deps.clusterPorts(input.cluster)).kubernetes, input),
    stopInstanceRefresh: async ({ cluster, group, how }) => await stopRefresh(deps.account(cluster), group, how),
  };
}
