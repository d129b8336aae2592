/** Wires the activities: clusters' clients, Slack, records, as belay.yaml and the environment say. */
import { createClusterClients } from '../activities/clients/clusters.ts';
import type { BelayActivities } from '../activities/contract.ts';
import { createActivities } from '../activities/create.ts';
import { createDirectoryStore } from '../activities/records.ts';
import type { Config } from '../domain/config/config.ts';
import { createGroupReader, createNotifier, createSlackWeb } from '../slack/notifier.ts';
import { besideConfig, localPolicyOf, settingsOf } from './settings.ts';

export interface Ports {
  activities: BelayActivities;
  /** Ends the clients' connections. */
  close(): Promise<void>;
}

/** Nothing is sent until an activity runs. Without SLACK_BOT_TOKEN nobody is told anything, and groups cannot be read. */
export function createPorts(config: Config, options: { namespace: string; env?: NodeJS.ProcessEnv }): Ports {
  const env = options.env ?? process.env;
  const clients = createClusterClients({ settings: (name) => settingsOf(config, name) });
  const token = env['SLACK_BOT_TOKEN'];
  const web = token ? createSlackWeb({ token, apiUrl: env['SLACK_API_URL'] }) : undefined;
  const activities = createActivities({
    clients,
    policyOf: (name) => localPolicyOf(config, name),
    store: createDirectoryStore(besideConfig(config, config.recordsDirectory)),
    helm: { env },
    ...(web === undefined ? {} : { notifier: createNotifier({ web, namespace: options.namespace }), groups: createGroupReader({ web }) }),
  });
  return { activities, close: () => clients.close() };
}
