/** Temporal for a rehearsal: a server of its own, or that of somebody else whom the environment names. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Cast } from './cast.ts';
import type { KillOrder } from '../processes/kills.ts';
import { findTemporal, type TemporalSource } from '../processes/temporal-cli.ts';
import type { TemporalServer } from '../processes/temporal-server.ts';
import { type Credentials, until, Watcher } from './watch.ts';

const LIMIT_MS = 30_000;

export interface Raised {
  source: TemporalSource;
  temporal: TemporalServer;
  watcher: Watcher;
}

export interface TemporalWanted {
  /** Where its log lies. */
  directory: string;
  orders?: readonly KillOrder[];
  say: (line: string) => void;
  interrupted: AbortController;
}

/** Resolves when it answers. */
export async function raiseTemporal(cast: Cast, wanted: TemporalWanted): Promise<Raised> {
  const { orders = [], say } = wanted;
  const source = await findTemporal({ env: process.env, say });
  if (source.kind === 'server' && orders.some(({ process: name }) => name === 'temporal'))
    throw new Error('--kill temporal@… needs a Temporal server of the rehearsal’s own; unset TEMPORAL_ADDRESS.');
  const temporal = await cast.startTemporal(source);
  return { source, temporal, watcher: await watch(source, temporal, wanted) };
}

async function watch(source: TemporalSource, { address }: TemporalServer, { directory, interrupted }: TemporalWanted): Promise<Watcher> {
  const credentials = source.kind === 'server' ? credentialsOfEnvironment() : {};
  const watcher = new Watcher({ address, namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default', credentials });
  try {
    if (await until(() => watcher.answers(), { limitMs: LIMIT_MS, signal: interrupted.signal })) return watcher;
    const hint = source.kind === 'server' ? 'start it, or unset TEMPORAL_ADDRESS' : `${directory}/temporal.log says why`;
    throw new Error(`Temporal at ${address} does not answer; ${hint}.`);
  } catch (error) {
    await watcher.close();
    throw error;
  }
}

/** As Belay's own processes read them from TEMPORAL_TLS_* and TEMPORAL_API_KEY. */
function credentialsOfEnvironment(): Credentials {
  const { tls, apiKey, metadata } = loadClientConnectConfig().connectionOptions;
  return { tls, metadata, ...(apiKey === undefined ? {} : { apiKey }) };
}

/** What Belay's processes need of this one's environment to reach a server of somebody else. */
export function inheritedBy({ kind }: TemporalSource, env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  if (kind !== 'server') return {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith('TEMPORAL_') && entry[1] !== undefined),
  );
}
