/** A client of Temporal, configured by TEMPORAL_* and belay.yaml. */
import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defined } from '../../domain/core/defined.ts';
import type { UpgradesSettings } from './contract.ts';
import { createRetries } from './grpc-retries.ts';

export interface ConnectSettings extends UpgradesSettings {
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
 * A client over a connection of its own, configured by TEMPORAL_* as @temporalio/envconfig reads them; `address` and `namespace` are used
 * where the environment names none. Connects lazily, so Temporal may be down when the process starts.
 */
export function connectClient(settings: ConnectSettings): { client: Client; close(): Promise<void> } {
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
  return {
    client,
    async close() {
      await retries.end();
      await connection.close();
    },
  };
}
