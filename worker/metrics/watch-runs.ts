/** Looks at open runs, at what stands beside them, and at records every 30 s, beside what the process does: over a connection of its own, and nothing waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../../domain/policy/config/config.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { openStorage } from '../config/storage.ts';
import { environmentIn } from '../local/environment-in.ts';
import { openUpgrades } from '../local/open-upgrades.ts';
import { guardSeries } from './guard-series.ts';
import { recordSeries } from './record-series.ts';
import { runSeries } from './run-series.ts';
import { supportSeries } from './support-series.ts';

const LOOK_MS = 30_000;

/** Begins at once. `warn` is told the first of several failures in a row. Returns how to stop. */
export function watchRuns(registry: Registry, config: Config, warn: (message: string) => void): () => Promise<void> {
  const of = { environmentOf: (cluster: ClusterRef) => environmentIn(config, cluster) };
  const runs = runSeries(registry, of);
  const guards = guardSeries(registry, of);
  const support = supportSeries(registry, of);
  const storage = openStorage(config);
  const records = recordSeries(registry, storage);
  const connected = openUpgrades(config);
  const stopping = new AbortController();
  let failed = false;
  const look = async (): Promise<void> => {
    support.recorded(await records());
    try {
      runs.saw(await connected.census());
      const seen = await connected.guards();
      guards.saw(seen);
      support.saw(seen.windows);
      failed = false;
    } catch (error) {
      runs.missed();
      guards.missed();
      if (!failed && !stopping.signal.aborted) warn(`metrics of open runs cannot be read: ${messageOf(error)}`);
      failed = true;
    }
  };
  const watching = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look();
      await sleep(LOOK_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort();
    await connected.close();
    await watching;
    storage.close();
  };
}
