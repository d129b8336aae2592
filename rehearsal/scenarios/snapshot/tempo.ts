/** How long things took in a recorded cluster: its own times where there are some, the rehearsal's usual ones elsewhere. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import { workloadOf } from '../../kubernetes/pods/workload.ts';
import type { WorldTempo } from '../../world/world.ts';
import { DEFAULT_TEMPO } from '../scenario.ts';
import { number, record, records, text, time } from './aws/calls.ts';

/** What takes longer was held up by something else. */
const LONGEST_MS = { node: 20 * 60_000, pod: 30 * 60_000 };

export function tempoOf(snapshot: Snapshot): WorldTempo {
  const pools = nodeTimes(snapshot);
  const workloads = podTimes(snapshot);
  return {
    ...DEFAULT_TEMPO,
    nodeLaunchMs: median([...pools.values()].flat()) ?? DEFAULT_TEMPO.nodeLaunchMs,
    podStartMs: median([...workloads.values()].flatMap(({ starts }) => starts)) ?? DEFAULT_TEMPO.podStartMs,
    pools: Object.fromEntries([...pools].map(([pool, times]) => [pool, { nodeLaunchMs: median(times) ?? DEFAULT_TEMPO.nodeLaunchMs }])),
    workloads: Object.fromEntries(
      [...workloads].map(([name, { starts, stopMs }]) => [
        name,
        { ...optional('podStartMs', median(starts)), ...optional('podStopMs', stopMs) },
      ]),
    ),
  };
}

const optional = (name: string, value: number | undefined): Record<string, number> => (value === undefined ? {} : { [name]: value });

/** From NodeClaim to a node that can be used, by NodePool. */
function nodeTimes(snapshot: Snapshot): Map<string, number[]> {
  const claims = objectsOf(snapshot, 'karpenter.sh/v1', 'nodeclaims') ?? objectsOf(snapshot, 'karpenter.sh/v1beta1', 'nodeclaims') ?? [];
  const times = new Map<string, number[]>();
  for (const claim of claims) {
    const tookMs = between(time(claim.metadata.creationTimestamp), since(claim, 'Initialized'), LONGEST_MS.node);
    const pool = claim.metadata.labels?.['karpenter.sh/nodepool'];
    if (tookMs !== undefined && pool !== undefined) times.set(pool, [...(times.get(pool) ?? []), tookMs]);
  }
  return times;
}

/** From a node to Ready, of pods whose containers have never ended since; and how long they sleep before they end. */
function podTimes(snapshot: Snapshot): Map<string, { starts: number[]; stopMs?: number }> {
  const sets = new Map((objectsOf(snapshot, 'apps/v1', 'replicasets') ?? []).map((set) => [keyOf(set), set]));
  const store = {
    get: (_plural: string, name: string, namespace = ''): KubeObject | undefined => sets.get(`${namespace}/${name}`),
  };
  const times = new Map<string, { starts: number[]; stopMs?: number }>();
  for (const pod of objectsOf(snapshot, 'v1', 'pods') ?? []) {
    const name = workloadOf(store, pod);
    const known = times.get(name) ?? { starts: [], ...stopOf(pod) };
    times.set(name, known);
    const restarts = records(record(pod['status'])['containerStatuses']).some(({ restartCount }) => (number(restartCount) ?? 0) > 0);
    const tookMs = restarts ? undefined : between(since(pod, 'PodScheduled'), since(pod, 'Ready'), LONGEST_MS.pod);
    if (tookMs !== undefined) known.starts.push(tookMs);
  }
  for (const [name, { starts, stopMs }] of times) if (starts.length === 0 && stopMs === undefined) times.delete(name);
  return times;
}

/** preStop.sleep is certain; how long a process takes after it is not recorded. */
function stopOf(pod: SnapshotKubeObject): { stopMs?: number } {
  const sleeps = records(record(pod['spec'])['containers']).map(
    (container) => number(record(record(record(container['lifecycle'])['preStop'])['sleep'])['seconds']) ?? 0,
  );
  const longest = Math.max(0, ...sleeps);
  return longest === 0 ? {} : { stopMs: longest * 1000 + 2000 };
}

const keyOf = ({ metadata }: SnapshotKubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** When a condition became True. */
function since(object: SnapshotKubeObject, type: string): number | undefined {
  const found = records(record(object['status'])['conditions']).find((condition) => condition['type'] === type);
  return text(found?.['status']) === 'True' ? time(found?.['lastTransitionTime']) : undefined;
}

function between(fromMs: number | undefined, toMs: number | undefined, longestMs: number): number | undefined {
  if (fromMs === undefined || toMs === undefined) return undefined;
  const tookMs = toMs - fromMs;
  return tookMs > 0 && tookMs <= longestMs ? tookMs : undefined;
}

function median(times: readonly number[]): number | undefined {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
