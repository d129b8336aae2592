/** The fleet over connections of its own: to Temporal, and to AWS where no worker answers. */
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import { createVersionActivities } from '../../activities/run/planning/fleet-versions.ts';
import { UpgradesError } from '../../client/contract.ts';
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
    const readDirectly = directly(config, clients);
    const openCampaigns: FleetPorts['openCampaigns'] = async (first) => await connected.openCampaigns(first);
    return await readFleet(config, names, { upgrades: connected.upgrades, openCampaigns, readDirectly });
  } finally {
    await Promise.all([connected.close(), clients.close()]);
  }
}

/** The same by AWS alone, of clusters that no belay.yaml names: workers know them by no name, and they have no environments. */
export async function readAccount(config: Config, names: readonly string[]): Promise<FleetReading> {
  const clients = openClients(config, 'fleet');
  const notAsked = (): Promise<never> =>
    Promise.reject(new UpgradesError('unreachable', 'There is no belay.yaml, and Temporal was not asked.'));
  const upgrades = { versions: notAsked, list: notAsked, status: notAsked };
  try {
    const reading = await readFleet(config, names, { upgrades, openCampaigns: notAsked, readDirectly: directly(config, clients) });
    const members = reading.members.map((member) => {
      const { environment: _, ...rest } = member;
      return rest;
    });
    return { ...reading, members };
  } finally {
    await clients.close();
  }
}

const directly =
  (config: Config, clients: ClusterClients): FleetPorts['readDirectly'] =>
  async (names): Promise<FleetVersions> =>
    await createVersionActivities(clients).readVersions({ clusters: names.map((name) => policyOf(config, name).cluster) });
