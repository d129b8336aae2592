/** Says in the log which network's queue nobody polls, and keeps when each was polled last for `/metrics`. Done by workers of the workflows' queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { count } from '../../domain/core/text.ts';
import { networkQueue } from '../../workflows/contract/ids.ts';
import type { Logger } from '../config/log.ts';
import { networkPolls } from './pollers.ts';

const LOOK_MS = 15_000;

/** By task queue: when Temporal last saw a poll there, in seconds since 1970; 0 before the first. */
export type QueuePolls = Map<string, number>;

export interface NetworkWatch {
  /** The one that is used now: it may be replaced. */
  connection: () => ServiceConnection | undefined;
  namespace: string;
  /** Each with its clusters. */
  networks: ReadonlyMap<string, readonly string[]>;
  /** Kept up to date. */
  polls: QueuePolls;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Before the first look nothing was seen: unknown is no poll. */
export const noQueuePolls = (networks: Iterable<string>): QueuePolls => new Map([...networks].map((network) => [networkQueue(network), 0]));

/** "nobody polls task queue "belay-dmz", which 2 clusters of belay.yaml need: a, b". */
export function unpolledWords(network: string, clusters: readonly string[]): string {
  const [verb, names] = [clusters.length === 1 ? 'needs' : 'need', clusters.join(', ')];
  return `nobody polls task queue "${networkQueue(network)}", which ${count(clusters.length, 'cluster')} of belay.yaml ${verb}: ${names}`;
}

export const unpolledFix = (network: string): string => `start "belay worker --network ${network}" in that network`;

/** Looks until the signal aborts. What was said is said again only after it has changed. */
export async function watchNetworks(watch: NetworkWatch, signal: AbortSignal, lookMs = LOOK_MS): Promise<void> {
  if (watch.networks.size === 0) return;
  const said = new Map<string, string>();
  while (!signal.aborted) {
    const connection = watch.connection();
    if (connection !== undefined)
      for (const [network, clusters] of watch.networks) await look(watch, connection, { network, clusters, said });
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

async function look(
  { namespace, polls, log }: NetworkWatch,
  connection: ServiceConnection,
  { network, clusters, said }: { network: string; clusters: readonly string[]; said: Map<string, string> },
): Promise<void> {
  const queue = networkQueue(network);
  const before = said.get(network) ?? 'polled';
  try {
    const { identities, polledAtS } = await networkPolls(connection, namespace, network);
    if (polledAtS !== undefined) polls.set(queue, polledAtS);
    const now = identities.length > 0 ? 'polled' : 'unpolled';
    said.set(network, now);
    if (now === before) return;
    if (now === 'unpolled') log.warn({ taskQueue: queue, clusters }, `${unpolledWords(network, clusters)}; ${unpolledFix(network)}`);
    else log.info({ taskQueue: queue, workers: identities }, `task queue "${queue}" is polled`);
  } catch (error) {
    const why = messageOf(error).split('\n')[0] ?? '';
    if (said.get(network) !== why) log.info({ taskQueue: queue, why }, 'Temporal does not say who polls this queue; looking again');
    said.set(network, why);
  }
}
