/** The fleet over connections of its own: to Temporal, and to AWS where no worker answers. */
import type { Config } from '../../domain/policy/config/config.ts';
import type { FleetReading } from '../../domain/run/fleet-view/reading.ts';
import { openClients } from '../config/clients.ts';
import { openUpgrades } from './open-upgrades.ts';
import { type FleetPorts, readFleet, readVersionsBy } from './read-fleet.ts';

/** Reads only. Closes what it has opened. */
export async function openFleet(config: Config, names: readonly string[]): Promise<FleetReading> {
  const connected = openUpgrades(config);
  const clients = openClients(config, 'fleet');
  try {
    const readDirectly = readVersionsBy(clients, config);
    const openCampaigns: FleetPorts['openCampaigns'] = async (first) => await connected.openCampaigns(first);
    return await readFleet(config, names, { upgrades: connected.upgrades, openCampaigns, readDirectly });
  } finally {
    await Promise.all([connected.close(), clients.close()]);
  }
}
