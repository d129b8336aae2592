/** Maintenance windows of every cluster of belay.yaml, for forecasts of campaigns. */
import { startsIn } from '../../activities/run/windows/ahead.ts';
import type { Fits } from '../../domain/plan/campaign/lay-out.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { placeId } from '../../domain/run/fleet-view/reading.ts';

/** Clusters with the same windows share what is worked out. One that belay.yaml does not name has none, and may always start. */
export function windowFits(config: Config): Fits {
  const byText = new Map<string, ReturnType<typeof startsIn>>();
  const byPlace = new Map(
    config.clusterNames.flatMap((name) => {
      const { cluster, windows } = policyOf(config, name);
      if (windows === undefined || (windows.maintenance.length === 0 && windows.exclusions.length === 0)) return [];
      const text = JSON.stringify(windows);
      const starts = byText.get(text) ?? startsIn(windows);
      byText.set(text, starts);
      return [[placeId(cluster), starts] as const];
    }),
  );
  return (cluster, atMs, needMs) => {
    const starts = byPlace.get(placeId(cluster));
    return starts === undefined ? atMs : starts(atMs, needMs);
  };
}
