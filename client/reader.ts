/** What may be asked of Temporal by whoever may change nothing: queries and lists. Nothing here starts, signals or updates a workflow. */
import { connectClient, type ConnectSettings } from './calls/connect.ts';
import type { Upgrades } from './calls/contract.ts';
import { createOpenCampaigns, type OpenCampaign } from './campaigns/open-campaigns.ts';
import { resolve } from './starting/prepare-request.ts';
import { listAll, readStatus } from './reading/status.ts';

export interface Reader extends Pick<Upgrades, 'status' | 'list' | 'listAll'> {
  openCampaigns(first: Iterable<string>): Promise<OpenCampaign[]>;
  close(): Promise<void>;
}

/** Connects lazily: Temporal may be down. */
export function connectReader(settings: Omit<ConnectSettings, 'prove' | 'interceptors'>): Reader {
  const connected = connectClient(settings);
  const { client } = connected;
  return {
    status: async (cluster) => await readStatus(client, settings, resolve(settings, cluster)),
    list: async () => (await listAll(client)).runs,
    listAll: () => listAll(client),
    openCampaigns: createOpenCampaigns(client),
    close: () => connected.close(),
  };
}
