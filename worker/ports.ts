/** Wires the activities: clusters' clients, Slack, records, as belay.yaml and the environment say. */
import type { NativeConnection } from '@temporalio/worker';
import type { BelayActivities } from '../activities/contract/belay-activities.ts';
import { auditName } from '../activities/run/records/audit.ts';
import { readChain } from '../activities/run/records/audit-chain.ts';
import { createChangeLedger, noticeRestore } from '../activities/run/records/change-ledger.ts';
import type { ClusterClients } from '../activities/clients/clusters.ts';
import { type ActivityDeps, createActivities } from '../activities/create.ts';
import { ownPod } from '../activities/run/planning/own-cluster.ts';
import { createGrants, type Grants } from '../activities/run/authorization/grants.ts';
import { createRecordStore } from '../activities/run/records/records.ts';
import { createStartLedger } from '../activities/run/authorization/start-ledger.ts';
import { healthPng } from '../render/charts/health-chart.ts';
import { timelinePng } from '../render/charts/timeline.ts';
import { renderForecastHtml } from '../render/forecast/html.ts';
import { renderCheckHtml } from '../render/readiness/html.ts';
import type { Config } from '../domain/policy/config/config.ts';
import { createGroupReader, createNotifier } from '../slack/delivery/notifier.ts';
import { createPersonReader } from '../slack/api/members.ts';
import { afterRestore } from './config/after-restore.ts';
import { openClients, openClientsIn } from './config/clients.ts';
import { codecKeys } from './crypto/codec/keys.ts';
import { loadConfig } from './config/config.ts';
import { createDataConverter } from './crypto/codec/data-converter.ts';
import { sealingInterceptors } from './crypto/codec/seal-messages.ts';
import { slackProve } from './crypto/signing/key.ts';
import { createCampaignRuns } from './temporal/campaign-runs.ts';
import { grantHere, takeStartHere } from './temporal/interceptors/grants.ts';
import type { RestoreDeps } from './temporal/interceptors/restored.ts';
import { proxyOf } from './config/proxy.ts';
import { localPolicyOf } from './config/settings.ts';
import { createForecaster } from './local/forecasts/forecaster.ts';
import { thisRelease } from './releases/build-id.ts';
import { openStorage } from './config/storage.ts';
import { sinkOf } from './notifications/open.ts';
import { slackWebOf } from './config/slack-web.ts';
import { campaignOf, policyForStart, policyOf, readinessOf } from '../domain/policy/config/of-cluster.ts';
import { defined } from '../domain/core/defined.ts';

export interface Ports {
  activities: BelayActivities;
  clients: ClusterClients;
  /** Made and read with the keys of this process. */
  grants: Grants;
  /** What is known of runs outside of Temporal. */
  restores: Omit<RestoreDeps, 'startOf' | 'keptMs'>;
  /** Throws where nothing could be recorded now. */
  recordable: () => Promise<void>;
  /** Ends the clients' connections. */
  close(): Promise<void>;
}

/** Throws AfterRestoreError and ProxyError. Nothing is sent until an activity runs. Without SLACK_BOT_TOKEN nobody is told anything, and groups cannot be read. */
export function createPorts(
  config: Config,
  options: {
    namespace: string;
    env?: NodeJS.ProcessEnv;
    missingSearchAttributes?: () => readonly string[];
    /** The worker's; undefined: clusters without one are served. */
    network?: string;
    isPolled?: ActivityDeps['isPolled'];
    /** The worker's; undefined: this process works on no campaigns. */
    connection?: () => NativeConnection;
    /** Told what goes wrong beside the work. */
    warn?: NonNullable<ActivityDeps['elsewhere']>['warn'];
  },
): Ports {
  const env = options.env ?? process.env;
  const clients = openClientsIn(config, 'worker', options.network);
  const callers = openClients(config, 'worker');
  const web = slackWebOf(env);
  const grants = createGrants(codecKeys(env));
  const storage = openStorage(config, env);
  const store = createRecordStore(storage.texts);
  const restored = afterRestore(env, Date.now());
  // Said at the start, and not by the first activity of a run.
  proxyOf(env);
  const ledger = createChangeLedger(storage.changes);
  const activities = createActivities({
    clients,
    callers,
    ...defined({ isPolled: options.isPolled, campaigns: campaignsOf(config, env, options) }),
    policyOf: (name) => localPolicyOf(config, name),
    // The file as it is now: what people declare while the worker runs counts.
    windowsOf: (name) => policyOf(loadConfig(config.fileName), name).windows,
    publicKeys: () => loadConfig(config.fileName).publicKeys,
    grant: () => grantHere(grants),
    readinessOf: (name) => readinessOf(config, name),
    renderReport: renderCheckHtml,
    forecasts: { forecaster: createForecaster(() => loadConfig(config.fileName), thisRelease()), renderForecast: renderForecastHtml },
    missingSearchAttributes: options.missingSearchAttributes,
    takeStart: (words) => takeStartHere(createStartLedger(store), words),
    pod: ownPod(env),
    store,
    audit: storage.audit,
    onRestored: (notice) => noticeRestore(ledger, options.namespace, notice),
    helm: { env },
    istioctl: { env, ...defined({ binary: env['BELAY_ISTIOCTL'] }) },
    elsewhere: { sinkOf: (name) => sinkOf(loadConfig(config.fileName), name, env), ...defined({ warn: options.warn }) },
    ...(web === undefined
      ? {}
      : {
          notifier: createNotifier({
            web,
            namespace: options.namespace,
            picture: timelinePng,
            chart: healthPng,
            warn: (message) => options.warn?.({ delivery: 'slack', event: 'direct message' }, message),
          }),
          groups: createGroupReader({ web }),
          people: createPersonReader({ web }),
        }),
  });
  const record: RestoreDeps['record'] = async ({ cluster, runId }) =>
    readChain(await storage.audit.read(auditName(cluster, runId))).entries;
  const close = async (): Promise<void> => {
    storage.close();
    await Promise.all([clients.close(), callers.close()]);
  };
  const recordable = (): Promise<void> => storage.ready();
  return { activities, clients, grants, restores: { ledger, record, afterRestore: restored }, recordable, close };
}

/** belay.yaml as it is now, and runs that this worker starts and signs itself. */
function campaignsOf(
  config: Config,
  env: NodeJS.ProcessEnv,
  { connection, namespace }: { connection?: () => NativeConnection; namespace: string },
): ActivityDeps['campaigns'] {
  if (connection === undefined) return undefined;
  const now = (): Config => loadConfig(config.fileName);
  const prove = slackProve(env);
  return {
    campaignOf: (name) => {
      const file = now();
      return { campaign: campaignOf(file, name), policies: file.clusterNames.map((cluster) => localPolicyOf(file, cluster)) };
    },
    file: () => {
      const file = now();
      const policies = file.clusterNames.map((cluster) => localPolicyOf(file, cluster));
      return { campaigns: [...file.campaigns.values()], policies, ...defined({ proposals: file.proposals }) };
    },
    runs: createCampaignRuns({
      connection,
      namespace,
      dataConverter: createDataConverter(env),
      interceptors: sealingInterceptors(env),
      resolveCluster: (name) => policyOf(now(), name).cluster,
      checkStart: (name) => void policyForStart(now(), name),
      environmentOf: (name) => policyOf(now(), name).environment,
      ...defined({ prove }),
    }),
  };
}
