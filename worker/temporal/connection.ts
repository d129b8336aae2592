/** The connection to Temporal: environment first (as the temporal CLI reads it), then belay.yaml, then localhost. */
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../../domain/policy/config/config.ts';
import { field } from '../../domain/core/unknown.ts';
import { apiKeyFile, readApiKey } from './credential-files.ts';
import { defined } from '../../domain/core/defined.ts';
import { type TlsTrouble, tlsTrouble } from './tls-trouble.ts';

export interface TemporalSettings {
  address: string;
  namespace: string;
  connection: Pick<NativeConnectionOptions, 'address' | 'tls' | 'apiKey' | 'metadata'>;
}

/** Temporal does not answer. The message names the address and the fix. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';

  /** What is wrong with the certificates, where they are what is wrong. */
  readonly trouble: TlsTrouble | undefined;

  constructor(settings: TemporalSettings, cause: unknown, trouble?: TlsTrouble) {
    if (trouble !== undefined) super(`Temporal at ${settings.address} cannot be used: ${trouble.what}. ${trouble.fix}`, { cause });
    else super(describe(settings, cause), { cause });
    this.trouble = trouble;
  }
}

function describe(settings: TemporalSettings, cause: unknown): string {
  const what = isRefusal(cause)
    ? `Temporal at ${settings.address} refuses this process`
    : `Temporal is not reachable at ${settings.address}`;
  return `${what} (${why(cause)}). ${advice(cause)}`;
}

export function temporalSettings(temporal: Config['temporal']): TemporalSettings {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = connectionOptions.address ?? temporal.address ?? 'localhost:7233';
  const { metadata } = connectionOptions;
  const keyFile = apiKeyFile();
  const apiKey = keyFile === undefined ? connectionOptions.apiKey : readApiKey(keyFile);
  // As for a key of the environment: it is not sent in the clear unless somebody says so.
  const tls = connectionOptions.tls ?? (keyFile === undefined ? undefined : true);
  return {
    address,
    namespace: namespace ?? temporal.namespace ?? 'default',
    connection: { address, tls, ...defined({ apiKey, metadata }) },
  };
}

/** Throws TemporalUnreachableError after a few seconds. */
export async function connectTemporal(settings: TemporalSettings): Promise<Connection> {
  try {
    return await Connection.connect({ ...settings.connection, connectTimeout: '5s' });
  } catch (error) {
    throw new TemporalUnreachableError(settings, error, await tlsTrouble(settings.connection));
  }
}

/** gRPC's PERMISSION_DENIED and UNAUTHENTICATED: https://grpc.io/docs/guides/status-codes/ */
const REFUSED: readonly unknown[] = [7, 16];
/** As the native client says it, which has no codes: the texts of tonic for these codes, and Temporal Cloud's for a key that is none. */
const REFUSED_TEXT =
  /UNAUTHENTICATED|PERMISSION_DENIED|Unauthenticated|PermissionDenied|InvalidCertificate|certificate|does not have permission to execute|does not have valid authentication credentials|Request unauthorized/i;

/** A refusal that waiting does not cure: credentials or certificates. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return REFUSED_TEXT.test(String(error));
  return (
    REFUSED.includes(field(error, 'code')) || REFUSED_TEXT.test(error.message) || (error.cause !== undefined && isRefusal(error.cause))
  );
}

/** The last line of a chain of causes, in short. */
export function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : why(error.cause);
  const text = cause === '' ? error.message : cause;
  return text.split('\n')[0]?.slice(0, 200) ?? '';
}

function advice(cause: unknown): string {
  if (isRefusal(cause))
    return 'Check TEMPORAL_API_KEY or the file of TEMPORAL_API_KEY_FILE, its rights in this namespace, or the certificates named by TEMPORAL_TLS_*.';
  return 'Start it ("docker compose up" or "temporal server start-dev"), or set TEMPORAL_ADDRESS.';
}
