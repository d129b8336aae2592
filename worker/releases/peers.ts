/** Who polls Belay's task queue, and with which release. Two releases on one queue fail each other's runs, again and again: neither can replay the other's. */
import proto from '@temporalio/proto';
import type { DeploymentVersion, ServiceConnection } from '../../client/calls/worker-deployments.ts';
import { GRPC } from '../../client/calls/grpc-status.ts';
import { field } from '../../domain/core/unknown.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { ALIVE_S } from '../temporal/pollers.ts';

const { TaskQueueType, WorkerStatus } = proto.temporal.api.enums.v1;
/** Heartbeats come as often as polls do. */
const ALIVE_MS = ALIVE_S * 1_000;

/** A worker as the server knows it. */
export interface Peer {
  /** "1@belay-worker-7d9f": process and host, unless a worker names itself. */
  identity: string;
  /** Without it the worker says nothing of its release. */
  buildId: string | undefined;
  /** Of a worker with versions. */
  deploymentName?: string;
  /** Epoch, ms, by the server's clock: the last poll or heartbeat. */
  seenMs: number;
}

/** Whoever polled lately, the dead of the last minutes included: servers forget them late. Throws what the server answers. */
export async function peersOn(connection: ServiceConnection, namespace: string): Promise<Peer[]> {
  try {
    return await listedWorkers(connection, namespace);
  } catch (error) {
    // Temporal Server 1.29.1 does not list workers, 1.31.2 does.
    if (field(error, 'code') !== GRPC.unimplemented) throw error;
    return await pollers(connection, namespace);
  }
}

/** Peers that still live, by comparison with the one that was seen last: this machine's clock may be off. */
export function alive(peers: readonly Peer[]): Peer[] {
  const latestMs = Math.max(...peers.map(({ seenMs }) => seenMs));
  return peers.filter(({ seenMs }) => latestMs - seenMs <= ALIVE_MS);
}

/** Workers by their heartbeats: one that has ended is told apart. */
async function listedWorkers({ workflowService }: ServiceConnection, namespace: string): Promise<Peer[]> {
  const peers: Peer[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const answer = await workflowService.listWorkers({ namespace, nextPageToken });
    for (const { workerHeartbeat } of answer.workersInfo) {
      if (workerHeartbeat?.taskQueue !== TASK_QUEUE || workerHeartbeat.status === WorkerStatus.WORKER_STATUS_SHUTDOWN) continue;
      const { workerIdentity, deploymentVersion, heartbeatTime } = workerHeartbeat;
      peers.push(peer({ identity: workerIdentity, seen: heartbeatTime, ...deploymentVersion }));
    }
    nextPageToken = answer.nextPageToken;
  } while (nextPageToken.length > 0);
  return peers;
}

async function pollers({ workflowService }: ServiceConnection, namespace: string): Promise<Peer[]> {
  const taskQueueType = TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW;
  const answer = await workflowService.describeTaskQueue({ namespace, taskQueue: { name: TASK_QUEUE }, taskQueueType });
  return answer.pollers.map(({ identity, lastAccessTime, deploymentOptions, workerVersionCapabilities }) =>
    peer({
      identity,
      seen: lastAccessTime,
      deploymentName: deploymentOptions?.deploymentName,
      buildId: deploymentOptions?.buildId || workerVersionCapabilities?.buildId,
    }),
  );
}

type Timestamp = NonNullable<proto.temporal.api.taskqueue.v1.IPollerInfo['lastAccessTime']>;

interface Seen {
  identity?: string | null;
  buildId?: string | null;
  deploymentName?: string | null;
  seen?: Timestamp | null;
}

function peer({ identity, buildId, deploymentName, seen }: Seen): Peer {
  return {
    identity: identity ?? '?',
    buildId: buildId || undefined,
    ...(deploymentName ? { deploymentName } : {}),
    seenMs: Number(seen?.seconds ?? 0) * 1_000 + (seen?.nanos ?? 0) / 1_000_000,
  };
}

/** What is wrong with the workers of one queue. */
export type ReleaseFault =
  /** More than one release without versions; build ids in order. */
  | { kind: 'two-releases'; peers: Peer[] }
  /** Workers with versions beside some without. */
  | { kind: 'mixed-modes'; versioned: DeploymentVersion[]; without: Peer[] };

/** `peers`: those that live. */
export function releaseFaults(peers: readonly Peer[]): ReleaseFault[] {
  const without = peers.filter(({ deploymentName }) => deploymentName === undefined);
  const versioned = versionsOf(peers);
  const faults: ReleaseFault[] = [];
  if (new Set(without.map(({ buildId }) => buildId)).size > 1)
    faults.push({ kind: 'two-releases', peers: without.toSorted((one, other) => (one.buildId ?? '').localeCompare(other.buildId ?? '')) });
  if (versioned.length > 0 && without.length > 0) faults.push({ kind: 'mixed-modes', versioned, without });
  return faults;
}

/** Each version that polls, once. */
export function versionsOf(peers: readonly Peer[]): DeploymentVersion[] {
  const versions = peers.flatMap(({ deploymentName, buildId }) =>
    deploymentName === undefined || buildId === undefined ? [] : [{ deploymentName, buildId }],
  );
  return [...new Map(versions.map((version) => [JSON.stringify(version), version])).values()];
}
