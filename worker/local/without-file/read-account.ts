/** What AWS alone says of clusters that no belay.yaml names. */
import { UpgradesError } from '../../../client/calls/contract.ts';
import type { FleetReading } from '../../../domain/run/fleet-view/reading.ts';
import { openClients } from '../../config/clients.ts';
import type { FoundFleet } from './find-fleet.ts';
import { readFleet, readVersionsBy } from '../read-fleet.ts';

/** Workers know these clusters by no name, and they have no environments. Reads only. */
export async function readAccount({ config, unreadRegions }: FoundFleet, names: readonly string[]): Promise<FleetReading> {
  const clients = openClients(config, 'fleet');
  const notAsked = (): Promise<never> =>
    Promise.reject(new UpgradesError('unreachable', 'There is no belay.yaml, and Temporal was not asked.'));
  const upgrades = { versions: notAsked, listAll: notAsked, status: notAsked };
  try {
    const reading = await readFleet(config, names, { upgrades, openCampaigns: notAsked, readDirectly: readVersionsBy(clients, config) });
    const members = reading.members.map((member) => {
      const { environment: _, ...rest } = member;
      return rest;
    });
    return { ...reading, members, unreadRegions };
  } finally {
    await clients.close();
  }
}
