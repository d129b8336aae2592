/** The newest forecast of each cluster, beside the records: one small text for each cluster. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { parseStoredForecast, type StoredForecast } from '../../../domain/run/forecasts/stored.ts';
import type { RecordStore } from '../../contract/records.ts';
import { FORECAST } from './records.ts';

/** `kept`: one that was made later is there already, and stays. Throws where records cannot be read or written. */
export async function saveForecast(
  store: Pick<RecordStore, 'read' | 'write'>,
  forecast: StoredForecast,
): Promise<{ location: string } | 'kept'> {
  const there = await readForecast(store, forecast.cluster);
  if (there !== undefined && Date.parse(there.madeAt) > Date.parse(forecast.madeAt)) return 'kept';
  return await store.write(nameOf(forecast.cluster), JSON.stringify(forecast, undefined, 2));
}

/** undefined: there is none, or one that a newer Belay wrote. Throws where records cannot be read. */
export async function readForecast(store: Pick<RecordStore, 'read'>, cluster: ClusterRef): Promise<StoredForecast | undefined> {
  const found = parseStoredForecast(await store.read(nameOf(cluster)));
  return found !== undefined && isSame(found.cluster, cluster) ? found : undefined;
}

const nameOf = ({ account, region, name }: ClusterRef): string => `${FORECAST}${[account, region, name].join('_')}`;

/** Names of files are cut and cleaned, so the text itself says whose it is. */
const isSame = (a: ClusterRef, b: ClusterRef): boolean => a.name === b.name && a.account === b.account && a.region === b.region;
