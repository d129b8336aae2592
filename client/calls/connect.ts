/** A client of Temporal, configured by TEMPORAL_* and belay.yaml. */
import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defined } from '../../domain/core/defined.ts';
import type { UpgradesSettings } from './contract.ts';
import { createRetries, type Retries } from './grpc-retries.ts';
import { replaceable } from './replaceable.ts';

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

export interface ConnectedClient {
  client: Client;
  /** Goes on with the certificates that TEMPORAL_* name now. Throws where they cannot be read or do not belong together, and goes on with the old ones. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A client over a connection of its own, configured by TEMPORAL_* as @temporalio/envconfig reads them; `address` and `namespace` are used
 * where the environment names none. Connects lazily, so Temporal may be down when the process starts.
 */
export function connectClient(settings: ConnectSettings): ConnectedClient {
  const retries = createRetries();
  const connected = replaceable(() => connect(settings, retries));
  const { dataConverter, interceptors } = settings;
  const client = new Client({
    connection: connected.connection,
    namespace: loadClientConnectConfig().namespace ?? settings.namespace ?? 'default',
    dataConverter,
    interceptors: { workflow: interceptors },
  });
  return {
    client,
    renew: () => connected.replace(),
    async close() {
      await retries.end();
      await connected.close();
    },
  };
}

function connect(settings: ConnectSettings, { interceptor }: Retries): Connection {
  const { connectionOptions } = loadClientConnectConfig();
  const { metadata } = connectionOptions;
  const apiKey = settings.apiKey ?? connectionOptions.apiKey;
  const tls = connectionOptions.tls ?? (apiKey === undefined ? undefined : true);
  const address = connectionOptions.address ?? settings.address;
  return Connection.lazy({ tls, metadata, interceptors: [interceptor], ...defined({ apiKey, address }) });
}
