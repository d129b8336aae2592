/** The connection to Temporal: environment first (as the temporal CLI reads it), then belay.yaml, then localhost. */
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../domain/config/config.ts';

export interface TemporalSettings {
  address: string;
  namespace: string;
  connection: Pick<NativeConnectionOptions, 'address' | 'tls' | 'apiKey' | 'metadata'>;
}

/** Temporal does not answer. The message names the address and the fix. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';

  constructor(settings: TemporalSettings, cause: unknown) {
    super(`Temporal is not reachable at ${settings.address} (${why(cause)}). ${advice(cause)}`, { cause });
  }
}

export function temporalSettings(temporal: Config['temporal']): TemporalSettings {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = connectionOptions.address ?? temporal.address ?? 'localhost:7233';
  const { tls, apiKey, metadata } = connectionOptions;
  return {
    address,
    namespace: namespace ?? temporal.namespace ?? 'default',
    connection: { address, tls, ...(apiKey === undefined ? {} : { apiKey }), ...(metadata === undefined ? {} : { metadata }) },
  };
}

/** Throws TemporalUnreachableError after a few seconds. */
export async function connectTemporal(settings: TemporalSettings): Promise<Connection> {
  try {
    return await Connection.connect({ ...settings.connection, connectTimeout: '5s' });
  } catch (error) {
    throw new TemporalUnreachableError(settings, error);
  }
}

/** A refusal that waiting does not cure: credentials or certificates. */
export function isRefusal(error: unknown): boolean {
  return /UNAUTHENTICATED|PERMISSION_DENIED|Unauthenticated|PermissionDenied|InvalidCertificate|certificate/i.test(why(error));
}

/** The last line of a chain of causes, in short. */
export function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : why(error.cause);
  const text = cause === '' ? error.message : cause;
  return text.split('\n')[0]?.slice(0, 200) ?? '';
}

function advice(cause: unknown): string {
  if (isRefusal(cause)) return 'Check TEMPORAL_API_KEY or the certificates named by TEMPORAL_TLS_*.';
  return 'Start it ("docker compose up" or "temporal server start-dev"), or set TEMPORAL_ADDRESS.';
}
