/** Looks at open runs, at what stands beside them, and at records every 30 s, beside what the process does: over a connection of its own, and nothing waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../../../domain/policy/config/config.ts';
import { rollbackOfName } from '../../../domain/plan/campaign/plan-rollback.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { openStorage } from '../../config/storage.ts';
import { environmentIn } from '../../local/environment-in.ts';
import { openUpgrades } from '../../local/open-upgrades.ts';
import { campaignSeries } from './campaign-series.ts';
import { guardSeries } from './guard-series.ts';
import { recordSeries } from './record-series.ts';
import { runSeries } from './run-series.ts';
import { supportSeries } from './support-series.ts';

const LOOK_MS = 30_000;
/** Campaigns are asked at every second look: each answer is a worker's. */
const CAMPAIGNS_MS = 55_000;

/** Of a campaign of belay.yaml, or of what takes one of its rings back; undefined for any other name. */
export function ringsOf({ campaigns }: Pick<Config, 'campaigns'>, name: string): string[] | undefined {
  const back = rollbackOfName(name);
  const rings = campaigns.get(back?.campaign ?? name)?.rings.map((ring) => ring.name);
  return back === undefined || rings === undefined ? rings : rings.includes(back.ring) ? [back.ring] : undefined;
}

/** Begins at once. `warn` is told the first of several failures in a row. Returns how to stop. */
export function watchRuns(registry: Registry, config: Config, warn: (message: string) => void): () => Promise<void> {
  const of = { environmentOf: (cluster: ClusterRef) => environmentIn(config, cluster) };
  const runs = runSeries(registry, of);
  const guards = guardSeries(registry, of);
  const support = supportSeries(registry, of);
  const campaigns = campaignSeries(registry, { ringsOf: (name) => ringsOf(config, name) });
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
  let askedMs = -Infinity;
  /** Beside the others: a worker that does not answer holds no other series up, and where Temporal does not, they have said so. */
  const lookAtCampaigns = async (): Promise<void> => {
    if (Date.now() - askedMs < CAMPAIGNS_MS) return;
    askedMs = Date.now();
    try {
      campaigns.saw(await connected.openCampaigns(config.campaigns.keys()));
    } catch {
      campaigns.missed();
    }
  };
  const watching = (async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look();
      await lookAtCampaigns();
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
