/** What may be asked of Temporal by whoever may change nothing: queries and lists. Nothing here starts, signals or updates a workflow. */
import { connectClient, type ConnectSettings } from './connect.ts';
import type { Upgrades } from './contract.ts';
import { createOpenCampaigns, type OpenCampaign } from './open-campaigns.ts';
import { resolve } from './prepare-request.ts';
import { listRunning, readStatus } from './status.ts';

export interface Reader extends Pick<Upgrades, 'status' | 'list'> {
  openCampaigns(first: Iterable<string>): Promise<OpenCampaign[]>;
  close(): Promise<void>;
}

/** Connects lazily: Temporal may be down. */
export function connectReader(settings: Omit<ConnectSettings, 'prove' | 'interceptors'>): Reader {
  const connected = connectClient(settings);
  const { client } = connected;
  return {
    status: async (cluster) => await readStatus(client, settings, resolve(settings, cluster)),
    list: () => listRunning(client),
    openCampaigns: createOpenCampaigns(client),
    close: () => connected.close(),
  };
}
