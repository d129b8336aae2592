/** Wires the activities: clusters' clients, Slack, records, as belay.yaml and the environment say. */
import type { BelayActivities } from '../activities/contract.ts';
import { createDirectoryAudit } from '../activities/audit.ts';
import type { ClusterClients } from '../activities/clients/clusters.ts';
import { createActivities } from '../activities/create.ts';
import { createGrants, type Grants } from '../activities/grants.ts';
import { createDirectoryStore } from '../activities/records.ts';
import { createStartLedger } from '../activities/start-ledger.ts';
import { healthPng } from '../cli/render/health-chart.ts';
import { timelinePng } from '../cli/render/report/timeline.ts';
import { renderCheckHtml } from '../cli/render/check/html.ts';
import { type Config, policyOf, readinessOf } from '../domain/config/config.ts';
import { createGroupReader, createNotifier } from '../slack/notifier.ts';
import { createPersonReader } from '../slack/people.ts';
import { openClients } from './clients.ts';
import { codecKeys } from './codec/keys.ts';
import { loadConfig } from './config.ts';
import { grantHere, takeStartHere } from './granting.ts';
import { besideConfig, localPolicyOf } from './settings.ts';
import { slackWebOf } from './slack-web.ts';

export interface Ports {
  activities: BelayActivities;
  clients: ClusterClients;
  /** Made and read with the keys of this process. */
  grants: Grants;
  /** Ends the clients' connections. */
  close(): Promise<void>;
}

/** Nothing is sent until an activity runs. Without SLACK_BOT_TOKEN nobody is told anything, and groups cannot be read. */
export function createPorts(
  config: Config,
  options: { namespace: string; env?: NodeJS.ProcessEnv; missingSearchAttributes?: () => readonly string[] },
): Ports {
  const env = options.env ?? process.env;
  const clients = openClients(config, 'worker');
  const web = slackWebOf(env);
  const grants = createGrants(codecKeys(env));
  const records = besideConfig(config, config.recordsDirectory);
  const store = createDirectoryStore(records);
  const activities = createActivities({
    clients,
    policyOf: (name) => localPolicyOf(config, name),
    // The file as it is now: what people declare while the worker runs counts.
    windowsOf: (name) => policyOf(loadConfig(config.fileName), name).windows,
    publicKeys: () => loadConfig(config.fileName).publicKeys,
    grant: () => grantHere(grants),
    readinessOf: (name) => readinessOf(config, name),
    renderReport: renderCheckHtml,
    missingSearchAttributes: options.missingSearchAttributes,
    takeStart: (words) => takeStartHere(createStartLedger(store), words),
    store,
    audit: createDirectoryAudit(records),
    helm: { env },
    istioctl: { env, ...(env['BELAY_ISTIOCTL'] === undefined ? {} : { binary: env['BELAY_ISTIOCTL'] }) },
    ...(web === undefined
      ? {}
      : {
          notifier: createNotifier({ web, namespace: options.namespace, picture: timelinePng, chart: healthPng }),
          groups: createGroupReader({ web }),
          people: createPersonReader({ web }),
        }),
  });
  return { activities, clients, grants, close: () => clients.close() };
}
