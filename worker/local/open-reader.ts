/** Runs and the fleet for whoever may change nothing: Temporal is queried, AWS is read by this process. */
import { UpgradesError } from '../../client/calls/contract.ts';
import { connectReader, type Reader } from '../../client/reader.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { FleetReading } from '../../domain/run/fleet-view/reading.ts';
import { openClients } from '../config/clients.ts';
import { connectSettings } from '../temporal/connect-settings.ts';
import { readFleet, readVersionsBy } from './read-fleet.ts';

/** Close it when done. Throws CodecKeysError. */
export function openReader(config: Config, env: NodeJS.ProcessEnv = process.env): Reader {
  return connectReader(connectSettings(config, env));
}

/** As `openFleet`, but no worker is asked for versions: that would start a workflow. */
export async function readFleetDirectly(config: Config, names: readonly string[]): Promise<FleetReading> {
  const reader = openReader(config);
  const clients = openClients(config, 'fleet');
  const noWorker = (): Promise<never> => Promise.reject(new UpgradesError('no-worker', 'no worker is asked'));
  try {
    return await readFleet(config, names, {
      upgrades: { versions: noWorker, listAll: reader.listAll, status: reader.status },
      openCampaigns: async (first) => await reader.openCampaigns(first),
      readDirectly: readVersionsBy(clients, config),
    });
  } finally {
    await Promise.all([reader.close(), clients.close()]);
  }
}
