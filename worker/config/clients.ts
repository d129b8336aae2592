/** Clients as belay.yaml and the environment say. Nothing is sent until one is used. */
import { type ClusterClients, createClusterClients } from '../../activities/clients/clusters.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { settingsOf } from './settings.ts';

/** For every cluster of the file; close them when done. `purpose`: what sessions are named after that belong to no run. */
export function openClients(config: Config, purpose: string): ClusterClients {
  return createClusterClients({ settings: (name) => settingsOf(config, name), purpose });
}
