/** Clients as belay.yaml and the environment say. Nothing is sent until one is used. */
import { type ClusterClients, createClusterClients } from '../../activities/clients/clusters.ts';
import type { ClusterSettings } from '../../activities/contract/ports.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { whyNotServed } from './network.ts';
import { settingsOf } from './settings.ts';

/** For every cluster of the file; close them when done. `purpose`: what sessions are named after that belong to no run. */
export function openClients(config: Config, purpose: string): ClusterClients {
  return createClusterClients({ settings: (name) => settingsOf(config, name), purpose });
}

/** For the clusters of one network, or of none: whatever an activity asks of another cluster, in its input or beside it, is refused before anything is sent. */
export function openClientsIn(config: Config, purpose: string, network: string | undefined): ClusterClients {
  const settings = (name: string): ClusterSettings => {
    const why = whyNotServed(config, network, name);
    if (why !== undefined) throw new Error(why);
    return settingsOf(config, name);
  };
  return createClusterClients({ settings, purpose });
}
