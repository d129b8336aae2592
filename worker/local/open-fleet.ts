/** The fleet over connections of its own: to Temporal, and to AWS where no worker answers. */
import { createVersionActivities } from '../../activities/run/planning/fleet-versions.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import type { FleetReading } from '../../domain/run/fleet-view/reading.ts';
import { openClients } from '../config/clients.ts';
import { openUpgrades } from './open-upgrades.ts';
import { type FleetPorts, readFleet } from './read-fleet.ts';

/** Reads only. Closes what it has opened. */
export async function openFleet(config: Config, names: readonly string[]): Promise<FleetReading> {
  const connected = openUpgrades(config);
  const clients = openClients(config, 'fleet');
  try {
    const readDirectly = async (direct: readonly string[]): Promise<FleetVersions> =>
      await createVersionActivities(clients).readVersions({ clusters: direct.map((name) => policyOf(config, name).cluster) });
    const openCampaigns: FleetPorts['openCampaigns'] = async (first) => await connected.openCampaigns(first);
    return await readFleet(config, names, { upgrades: connected.upgrades, openCampaigns, readDirectly });
  } finally {
    await Promise.all([connected.close(), clients.close()]);
  }
}
