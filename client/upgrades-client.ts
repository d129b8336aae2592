/** Starts, decides, pauses and reports upgrades through the Temporal client: Slack actions and the CLI both call this. */
import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createCensus, type OpenRun } from './census.ts';
import { claimRequest } from './claim-request.ts';
import { startCheck } from './start-check.ts';
import { sendControl, sendDecision, sendExtension, sendHandOver, sendPace } from './send-commands.ts';
import { planUpgrade, startUpgrade } from './plan-and-start.ts';
import { reconcile } from './reconcile.ts';
import { createRefusals, type Refusals } from './refused-attempts.ts';
import { createRetries } from './grpc-retries.ts';
import { listRunning, readStatus } from './status.ts';
import { listUndo, readReadiness, readVersions } from './lookups.ts';
import { type Upgrades, UpgradesError, type UpgradesSettings } from './contract.ts';
import { resolve } from './prepare-request.ts';
import { defined } from '../domain/core/defined.ts';

export { UpgradesError };
export type {
  Answer,
  StartedCheck,
  StartedUpgrade,
  StatusAnswer,
  Upgrades,
  UpgradesSettings,
  VisibilityStatus,
} from './contract.ts';

export function createUpgrades(deps: { client: Client; refusals?: Refusals } & UpgradesSettings): Upgrades {
  const { client, refusals = createRefusals(deps.client, deps), ...settings } = deps;
  return {
    plan: (request) => planUpgrade(client, settings, request),
    start: (request) => startUpgrade(client, settings, request),
    planRollback: (request) => planUpgrade(client, settings, { ...request, back: true }),
    startBack: (request) => startUpgrade(client, settings, { ...request, back: true }),
    undoOptions: (cluster) => listUndo(client, settings, cluster),
    check: (request) => startCheck(client, settings, request),
    readiness: (request) => readReadiness(client, settings, request),
    versions: (clusters) => readVersions(client, settings, clusters),
    decide: (request) => sendDecision(client, settings, refusals, request),
    pause: (request) => sendControl(client, settings, 'pause', request),
    resume: (request) => sendControl(client, settings, 'resume', request),
    abort: (request) => sendControl(client, settings, 'abort', request),
    pace: (request) => sendPace(client, settings, request),
    extend: (request) => sendExtension(client, settings, request),
    handOver: (request) => sendHandOver(client, settings, request),
    reconcile: (request) => reconcile(client, settings, request),
    status: async (cluster) => await readStatus(client, settings, resolve(settings, cluster)),
    list: () => listRunning(client),
    claim: (requestId) => claimRequest(client, settings, requestId),
    refused: (refusal) => refusals.atTheDoor(refusal),
  };
}

export interface ConnectedUpgrades {
  upgrades: Upgrades;
  /** Every open run, for metrics. */
  census(): Promise<OpenRun[]>;
  close(): Promise<void>;
}

interface ConnectSettings extends UpgradesSettings {
  address?: string;
  namespace?: string;
  /** Asked at each call; default: TEMPORAL_API_KEY. */
  apiKey?: () => string;
  /** How payloads are read and written; default: plain. */
  dataConverter?: DataConverter;
  /** What is done to each message before it is written. */
  interceptors?: WorkflowClientInterceptor[];
}

/**
 * Upgrades over a connection of its own, configured by TEMPORAL_* as @temporalio/envconfig reads them; `address` and `namespace` are used
 * where the environment names none. Connects lazily, so Temporal may be down when the process starts.
 */
export function connectUpgrades(settings: ConnectSettings): ConnectedUpgrades {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const { metadata } = connectionOptions;
  const apiKey = settings.apiKey ?? connectionOptions.apiKey;
  const tls = connectionOptions.tls ?? (apiKey === undefined ? undefined : true);
  const address = connectionOptions.address ?? settings.address;
  const retries = createRetries();
  const connection = Connection.lazy({
    tls,
    metadata,
    interceptors: [retries.interceptor],
    ...defined({ apiKey, address }),
  });
  const { dataConverter, interceptors } = settings;
  const client = new Client({
    connection,
    namespace: namespace ?? settings.namespace ?? 'default',
    dataConverter,
    interceptors: { workflow: interceptors },
  });
  const refusals = createRefusals(client, settings);
  return {
    upgrades: createUpgrades({ client, refusals, ...settings }),
    census: createCensus(client),
    async close() {
      await refusals.end();
      await retries.end();
      await connection.close();
    },
  };
}
