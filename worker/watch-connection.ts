/** What is looked at beside the work, over the connection that the worker has: its polls, other releases, other networks' queues, its credentials. */
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { DeploymentVersion } from '../client/calls/worker-deployments.ts';
import type { Logger } from './config/log.ts';
import { watchReleases } from './releases/watch-releases.ts';
import { connectNatively } from './temporal/connect-natively.ts';
import type { TemporalSettings } from './temporal/connection.ts';
import { watchCredentialFiles } from './temporal/credential-files.ts';
import { type PollState, watchPolls } from './temporal/poll-watch.ts';
import type { Queue } from './temporal/pollers.ts';
import { type QueuePolls, watchNetworks } from './temporal/watch-networks.ts';

export interface Watched {
  settings: TemporalSettings;
  /** With the credentials of this moment. */
  settingsNow: () => TemporalSettings;
  readyFile: string | undefined;
  polls: PollState;
  version: DeploymentVersion | undefined;
  queue: Queue;
  /** Each with its clusters. */
  networks: ReadonlyMap<string, readonly string[]>;
  queuePolls: QueuePolls;
  log: Logger;
}

/** Polls that are refused are said, and credentials that are renewed are used, while the worker runs. Connections that are made are added to the list. */
export function watchConnection(
  { settings, settingsNow, readyFile, polls: state, version, queue, networks, queuePolls, log }: Watched,
  worker: Worker,
  connections: NativeConnection[],
): () => Promise<void> {
  const connection = (): NativeConnection | undefined => connections.at(-1);
  const stop = new AbortController();
  const { identity, buildId } = worker.options;
  const { namespace } = settings;
  const watches = [watchPolls({ connection, namespace, queue, identity, log, readyFile, state }, stop.signal)];
  // Those that run workflows look: they are what goes on while a network's workers are away.
  if (queue.type === 'workflow')
    watches.push(
      watchReleases({ connection, namespace, self: { identity, buildId }, version, log }, stop.signal),
      watchNetworks({ connection, namespace, networks, polls: queuePolls, log }, stop.signal),
    );
  const stopLooking = watchCredentialFiles({
    async apiKey(key) {
      await connection()?.setApiKey(key);
      log.info({}, 'the Temporal API key was read again');
    },
    async certificates() {
      // The one before stays open: polls that wait are still on it.
      const next = await connectNatively(settingsNow());
      connections.push(next);
      worker.connection = next;
      await closeAllBut(2, connections);
      log.info({}, 'connected to Temporal with new certificates');
    },
    failed: (reason) => log.warn({ why: reason }, 'the changed credentials of Temporal cannot be used; trying again'),
  });
  return async () => {
    stop.abort();
    await stopLooking();
    await Promise.all(watches);
  };
}

/** The oldest go, and leave the list: what cannot be closed yet is closed the next time, or at the end. */
export async function closeAllBut(newest: number, connections: Pick<NativeConnection, 'close'>[]): Promise<void> {
  for (const old of connections.slice(0, -newest)) {
    try {
      await old.close();
      connections.splice(connections.indexOf(old), 1);
    } catch {
      // A worker may still hold it.
    }
  }
}
