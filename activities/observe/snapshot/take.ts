/** Takes a snapshot of a cluster: what plans, checks and forecasts read of it, cut down by the allow-list, in one file. Reads only. */
import { LISTS } from '../../../domain/facts/snapshot/allowed/index.ts';
import {
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotGap,
  type SnapshotHeader,
  type SnapshotLine,
  type SnapshotList,
} from '../../../domain/facts/snapshot/format.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { SOURCES } from '../../../domain/readiness/model/sources.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import type { KubernetesPort, PrometheusPort } from '../../contract/ports.ts';
import { sharingLists } from '../../kubernetes/objects/shared-lists.ts';
import { see } from '../../runtime/see.ts';
import { ACCOUNT_SOURCES, readAccount } from './read-account.ts';
import { readObjects } from './read-objects.ts';
import { AwsRecorder } from './record-aws.ts';
import { SnapshotError } from '../../../domain/facts/snapshot/parse.ts';
import { SnapshotWriter } from './write-file.ts';
import { defined } from '../../../domain/core/defined.ts';
import { readApiServer, readMetrics } from './read-metrics.ts';

export interface TakeSnapshot {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
  /** Absent: belay.yaml names none. */
  prometheus?: PrometheusPort;
  ref: ClusterRef;
  timing: Timing;
  /** Where the file is to be. One that is there is replaced. */
  file: string;
  /** Belay's version. */
  belay: string;
  /** Labels and annotations that say whose a workload is, by belay.yaml. */
  ownerKeys?: readonly string[];
  /** Of AMIs that belay.yaml names. */
  aliases?: readonly string[];
  /** Of each line, before it is written: takes names out of it. */
  rewrite?: (line: SnapshotLine) => SnapshotLine;
  /** One of `SNAPSHOT_READINGS` was read, or could not be. */
  onRead?: (what: string) => void;
  /** Aborted: whoever asked wants no snapshot any more. */
  signal?: AbortSignal;
}

export interface TakenSnapshot {
  header: SnapshotHeader;
  endedAt: string;
  /** Of the file. */
  bytes: number;
  lists: SnapshotList[];
  gaps: SnapshotGap[];
}

/** Everything that is read, for progress. */
export const SNAPSHOT_READINGS: readonly string[] = [
  ...new Set([...ACCOUNT_SOURCES.map((id) => SOURCES[id].what), ...LISTS.map(({ plural }) => plural)]),
];

/**
 * Throws, and leaves no file, where the cluster itself cannot be described, where the file cannot be written, and SnapshotError where something in it
 * reads like a credential, and where `signal` is aborted. Whatever else cannot be read is a gap.
 */
export async function takeSnapshot(take: TakeSnapshot): Promise<TakenSnapshot> {
  const { aws, kubernetes, ref, onRead, signal } = take;
  const recorder = new AwsRecorder();
  const unwatch = recorder.watch(aws.eks);
  let writer: SnapshotWriter | undefined;
  const work = async (): Promise<TakenSnapshot> => {
    const { version: minor = '' } = await describeCluster(aws, ref);
    const reached = await see('reading /version', () => kubernetes.version());
    const header: SnapshotHeader = {
      kind: 'header',
      format: SNAPSHOT_FORMAT,
      version: SNAPSHOT_VERSION,
      takenAt: (reached.ok ? reached.value.serverDate : aws.eksDate()) ?? new Date().toISOString(),
      belay: take.belay,
      cluster: placeOf(ref),
      kubernetes: reached.ok ? { minor: reached.value.minor, gitVersion: reached.value.gitVersion } : { minor, gitVersion: '' },
      anonymized: take.rewrite !== undefined,
      ownerKeys: [...(take.ownerKeys ?? [])],
    };
    const rewrite = take.rewrite ?? ((line: SnapshotLine) => line);
    writer = new SnapshotWriter(take.file);
    await writer.line(rewrite(header));
    const [unread, lists] = await together(
      readAccount({
        ...take,
        account: recorder.around(take.account),
        kubernetes: sharingLists(kubernetes),
        aliases: take.aliases ?? [],
        ...(onRead === undefined ? {} : { onRead: (id) => onRead(SOURCES[id].what) }),
      }),
      readObjects({
        kubernetes,
        cluster: ref,
        writer,
        ownerKeys: take.ownerKeys ?? [],
        rewrite,
        ...(reached.ok ? {} : { away: reached.unseen.why }),
        ...(onRead === undefined ? {} : { onRead }),
      }),
    );
    const asked = take.prometheus === undefined || !reached.ok ? [] : await readMetrics(kubernetes, take.prometheus);
    const metrics = reached.ok ? [await readApiServer(kubernetes), ...asked] : [];
    const gaps = [...unread, ...metrics.filter((line) => line.kind === 'gap')];
    for (const line of [...recorder.calls, ...metrics.filter((each) => each.kind === 'metric'), ...gaps]) await writer.line(rewrite(line));
    const endedAt = kubernetes.serverDate() ?? aws.eksDate() ?? new Date().toISOString();
    return { header, endedAt, bytes: await writer.finish(endedAt), lists, gaps };
  };
  try {
    return await Promise.race([work(), stoppedBy(signal)]);
  } catch (error) {
    await writer?.abandon();
    throw error;
  } finally {
    unwatch();
  }
}

/** Nothing of a network or an identity. */
const placeOf = ({ name, eksName, account, region }: ClusterRef): ClusterRef => ({ name, ...defined({ eksName }), account, region });
/** Rejects once it is aborted; never settles otherwise. */
function stoppedBy(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new SnapshotError('Stopped: no snapshot was written'));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Both to their end, so that neither is left at work on what the other has given up. */
async function together<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([one, other]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return [first.value, second.value];
}
