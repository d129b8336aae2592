/** Says in the worker's log what nothing else says: another release that polls the same queue, and a deployment without a Current version. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  currentBuildId,
  type DeploymentVersion,
  type ServiceConnection,
  setCurrentCommand,
} from '../../client/calls/worker-deployments.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Logger } from '../config/log.ts';
import { releaseWords, thisRelease } from './build-id.ts';
import { NEWER_FIX, newerWords, runsOfNewerReleases } from './newer-releases.ts';
import { alive, type Peer, peersOn, releaseFaults } from './peers.ts';

const LOOK_MS = 10_000;

export interface ReleaseWatch {
  /** The one that is used now: it may be replaced. */
  connection: () => ServiceConnection | undefined;
  namespace: string;
  /** As Temporal knows this worker, which lives whatever it says. */
  self?: Pick<Peer, 'identity' | 'buildId'>;
  /** Of a worker with versions. */
  version: DeploymentVersion | undefined;
  log: Pick<Logger, 'error' | 'info' | 'warn'>;
}

/** Looks until the signal aborts. What was said is said again only after it has changed; a server that does not answer is left to the poll watch. */
export async function watchReleases(watch: ReleaseWatch, signal: AbortSignal, lookMs = LOOK_MS): Promise<void> {
  const look = watch.version === undefined ? lookForOthers(watch) : lookForCurrent(watch, watch.version);
  let unread: string | undefined;
  let isDowngradeTold = false;
  while (!signal.aborted) {
    const connection = watch.connection();
    try {
      if (connection !== undefined) {
        if (!isDowngradeTold) await tellDowngrade(watch, connection);
        isDowngradeTold = true;
        await look(connection);
      }
      unread = undefined;
    } catch (error) {
      const why = messageOf(error).split('\n')[0] ?? '';
      if (why !== unread) watch.log.info({ why }, 'Temporal does not say which releases poll; looking again');
      unread = why;
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Once: who starts an older release is there to read it. */
async function tellDowngrade({ namespace, log }: ReleaseWatch, connection: ServiceConnection): Promise<void> {
  const release = thisRelease();
  const newer = await runsOfNewerReleases(connection, namespace, release);
  if (newer.length > 0) log.error({ runs: newer }, `${newerWords(newer, release)}; ${NEWER_FIX}`);
}

type Look = (connection: ServiceConnection) => Promise<void>;

/**
 * Servers list dead workers for minutes, and the release before this one has just died in every deployment. So whoever was there at the first look counts
 * once it polls again, which takes a minute at most; whoever comes later, and this worker itself, counts at once.
 */
function lookForOthers({ namespace, self, log }: ReleaseWatch): Look {
  let atFirst: Map<string, number> | undefined;
  let said = '';
  return async (connection) => {
    const peers = await peersOn(connection, namespace);
    const first = (atFirst ??= new Map(peers.map((peer) => [keyOf(peer), peer.seenMs])));
    const isSelf = ({ identity, buildId }: Peer): boolean => identity === self?.identity && buildId === self.buildId;
    const live = alive(peers.filter((peer) => isSelf(peer) || first.get(keyOf(peer)) !== peer.seenMs));
    const lines = releaseFaults(live).map(faultWords);
    const now = lines.join(' ');
    if (now === said) return;
    for (const line of lines) log.warn({ peers: live.map(({ identity, buildId }) => ({ identity, buildId })) }, line);
    if (now === '') log.info({}, 'one release alone polls the task queue again');
    said = now;
  };
}

const keyOf = ({ identity, buildId, deploymentName }: Peer): string => JSON.stringify([identity, buildId, deploymentName]);

function faultWords(fault: ReturnType<typeof releaseFaults>[number]): string {
  if (fault.kind === 'two-releases') return `${twoReleases(fault.peers)}: ${TWO_RELEASES_FIX}`;
  return `${mixedModes(fault.versioned, fault.without)}: ${MIXED_MODES_FIX}`;
}

export const TWO_RELEASES_FIX =
  'stop the workers of one of them; where the old one has to finish its runs, use worker versioning (docs/operate/releases.md)';
export const MIXED_MODES_FIX = 'give all of them TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID, or none';

/** "two releases poll task queue …: 0.1.0 (bundle …) as 7@a, 0.2.0 (bundle …) as 9@b". */
export function twoReleases(peers: readonly Peer[]): string {
  const byBuild = Map.groupBy(peers, ({ buildId }) => buildId);
  const each = [...byBuild].map(([buildId, those]) => `${wordsOf(buildId)} by ${those.map(({ identity }) => identity).join(', ')}`);
  return `${byBuild.size} releases poll one task queue, and fail each other's runs: ${each.join('; ')}`;
}

export const mixedModes = (versioned: readonly DeploymentVersion[], without: readonly Peer[]): string =>
  `workers with versions (${versioned.map(({ deploymentName, buildId }) => `${deploymentName} ${buildId}`).join(', ')}) poll beside workers without (${without.map(({ identity }) => identity).join(', ')}), and only one kind gets new runs`;

const wordsOf = (buildId: string | undefined): string => (buildId === undefined ? 'an unknown release' : releaseWords(buildId));

/** Without a Current version new runs, and runs of workers without versions, stand still without an error anywhere. */
function lookForCurrent({ namespace, log }: ReleaseWatch, version: DeploymentVersion): Look {
  let said: string | undefined;
  const { deploymentName, buildId } = version;
  return async (connection) => {
    const current = await currentBuildId(connection, namespace, deploymentName);
    const now = current ?? '';
    if (now === said) return;
    said = now;
    if (current === undefined) {
      const command = setCurrentCommand(version, namespace);
      log.warn(
        { deploymentName, buildId },
        `deployment ${deploymentName} has no Current version, so no run starts or continues. Set it: ${command}`,
      );
    } else if (current === buildId) log.info({ deploymentName, buildId }, 'this version is the Current one of its deployment');
    else
      log.info(
        { deploymentName, buildId, current },
        'another version is the Current one: this worker gets only steps that are pinned to it',
      );
  };
}
