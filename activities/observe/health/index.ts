/** Health as metrics have it: alerts before a step, checks while it runs. */
import type { PhaseId } from '../../../domain/core/phases.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import { lastHeartbeat } from '../../runtime/context.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { FOR_EVER_MS, waitUntil } from '../../runtime/wait-until.ts';
import type { WindowActivities } from '../../contract/windows.ts';
import { alertsNow, keepFor, look } from './query.ts';
import type { HealthActivities } from '../../contract/health.ts';
import { memoryIn } from './memory.ts';
import { HealthWatch } from './verdict.ts';

/** EKS replaces the API servers in either direction. */
const REPLACES_API_SERVERS: readonly PhaseId[] = ['control-plane', 'control-plane-back'];

export interface HealthDeps extends Pick<ClusterDeps, 'clusterPorts'> {
  judgeWindow: WindowActivities['judgeWindow'];
}

export function createHealthActivities(deps: HealthDeps): HealthActivities {
  return {
    async judgeStart({ cluster, phases, needMs, ignore }) {
      const ports = await deps.clusterPorts(cluster);
      const [window, alerts] = await Promise.all([deps.judgeWindow({ cluster, phases, needMs }), alertsNow(ports, ignore)]);
      return { window, alerts };
    },

    judgeAlerts: async ({ cluster, ignore }) => alertsNow(await deps.clusterPorts(cluster), ignore),

    async awaitQuiet({ cluster, timing, ignore }) {
      const ports = await deps.clusterPorts(cluster);
      const doing = `waiting for the alerts of ${cluster.name} to be resolved`;
      const waited = await waitUntil({ timing, timeoutMs: FOR_EVER_MS, doing }, async () => {
        const verdict = await alertsNow(ports, ignore);
        return verdict.kind === 'quiet' ? { done: true, value: verdict } : { done: false, note: verdict.kind };
      });
      return { quiet: waited.kind === 'done' };
    },

    async watchHealth({ cluster, timing, phase, checks }) {
      const ports = await deps.clusterPorts(cluster);
      const doing = `watching the health of ${cluster.name}`;
      const transientMs = REPLACES_API_SERVERS.includes(phase) ? timing.apiTransientMs : 0;
      const watch = new HealthWatch(checks, transientMs, memoryIn(lastHeartbeat(), doing));
      keepFor(
        ports,
        checks.map(({ check }) => check),
      );
      const intervalMs = Math.min(...checks.map(({ check }) => check.intervalMs));
      const steady = { ...timing, pollMinMs: intervalMs, pollMaxMs: intervalMs };
      const details = (): Record<string, unknown> => ({ memory: watch.memory });
      const waited = await waitUntil({ timing: steady, timeoutMs: FOR_EVER_MS, doing, details }, async (elapsedMs) => {
        const looks = await someAtOnce(watch.due(elapsedMs), async (watched) => ({ watched, seen: await look(ports, watched.check) }));
        for (const { watched, seen } of looks) watch.add(watched, seen, elapsedMs);
        const trouble = watch.trouble();
        if (trouble === undefined) return { done: false, note: watch.note() };
        if (trouble.kind === 'warn') return { done: true, value: trouble };
        return { done: true, value: { ...trouble, curves: watch.curves(trouble.checks, new Date(Date.now() - elapsedMs).toISOString()) } };
      });
      // It cannot time out before its own workflow does.
      return waited.kind === 'done' ? waited.value : { kind: 'inconclusive', checks: [], lines: ['the watch has ended'] };
    },
  };
}
