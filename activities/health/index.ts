/** Health as Prometheus has it: alerts before a step, checks while it runs. */
import type { ClusterDeps } from '../clients/clusters.ts';
import { someAtOnce } from '../some-at-once.ts';
import { waitUntil } from '../wait-until.ts';
import type { WindowActivities } from '../windows/contract.ts';
import { alertsNow, look } from './ask.ts';
import type { HealthActivities } from './contract.ts';
import { HealthWatch } from './watch.ts';

/** "Until something is wrong": the step ends before that, or people decide. */
const FOR_EVER_MS = 400 * 24 * 60 * 60_000;

export interface HealthDeps extends Pick<ClusterDeps, 'clusterPorts'> {
  judgeWindow: WindowActivities['judgeWindow'];
}

export function createHealthActivities(deps: HealthDeps): HealthActivities {
  return {
    async judgeStart({ cluster, phases, needMs, ignore }) {
      const { prometheus } = await deps.clusterPorts(cluster);
      const [window, alerts] = await Promise.all([deps.judgeWindow({ cluster, phases, needMs }), alertsNow(prometheus, ignore)]);
      return { window, alerts };
    },

    judgeAlerts: async ({ cluster, ignore }) => alertsNow((await deps.clusterPorts(cluster)).prometheus, ignore),

    async awaitQuiet({ cluster, timing, ignore }) {
      const { prometheus } = await deps.clusterPorts(cluster);
      const doing = `waiting for the alerts of ${cluster.name} to be resolved`;
      const waited = await waitUntil({ timing, timeoutMs: FOR_EVER_MS, doing }, async () => {
        const verdict = await alertsNow(prometheus, ignore);
        return verdict.kind === 'quiet' ? { done: true, value: verdict } : { done: false, note: verdict.kind };
      });
      return { quiet: waited.kind === 'done' };
    },

    async watchHealth({ cluster, timing, phase, checks }) {
      const { prometheus } = await deps.clusterPorts(cluster);
      const watch = new HealthWatch(checks, phase === 'control-plane' ? timing.apiWeatherMs : 0);
      const intervalMs = Math.min(...checks.map(({ check }) => check.intervalMs));
      const steady = { ...timing, pollMinMs: intervalMs, pollMaxMs: intervalMs };
      const doing = `watching the health of ${cluster.name}`;
      const waited = await waitUntil({ timing: steady, timeoutMs: FOR_EVER_MS, doing }, async (elapsedMs) => {
        const looks = await someAtOnce(watch.due(elapsedMs), async ({ check }) => ({ check, seen: await look(prometheus, check) }));
        for (const { check, seen } of looks) watch.add(check.name, seen, elapsedMs);
        const trouble = watch.trouble();
        return trouble === undefined ? { done: false, note: watch.note() } : { done: true, value: trouble };
      });
      // It cannot time out before its own workflow does.
      return waited.kind === 'done' ? waited.value : { kind: 'inconclusive', checks: [], lines: ['the watch has ended'] };
    },
  };
}
