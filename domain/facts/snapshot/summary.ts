/** What is in a snapshot, for whoever is about to send it to somebody. */
import type { Snapshot, SnapshotGap, SnapshotHeader } from './format.ts';

export interface SnapshotSummary extends Omit<SnapshotHeader, 'kind'> {
  endedAt: string;
  /** Of the file. */
  bytes: number;
  /** Objects by type, most first; types without any are left out. */
  objects: { type: string; count: number }[];
  /** Answers of AWS by service. */
  calls: { service: string; count: number }[];
  /** Samples of Prometheus by query. */
  metrics: { query: string; count: number }[];
  /** Types that this API server does not serve. */
  absent: string[];
  /** Lists that could not be read, and what else could not. */
  gaps: Omit<SnapshotGap, 'kind'>[];
  /** Namespaces, by name. */
  namespaces: string[];
}

export function summarize(snapshot: Snapshot, bytes: number): SnapshotSummary {
  const { header, endedAt, lists, calls, metrics, gaps, objects } = snapshot;
  const { kind: _kind, ...about } = header;
  const services = Map.groupBy(calls, ({ service }) => service);
  return {
    ...about,
    endedAt,
    bytes,
    objects: [...objects]
      .map(([type, all]) => ({ type, count: all.length }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count),
    calls: [...services].map(([service, all]) => ({ service, count: all.length })),
    metrics: metrics.map(({ query, samples }) => ({ query, count: samples.length })),
    absent: lists.filter(({ outcome }) => outcome === 'absent').map(({ apiVersion, plural }) => `${apiVersion} ${plural}`),
    gaps: [
      ...lists.flatMap(({ outcome, plural, why = '', denied }) =>
        outcome === 'unread' ? [{ what: plural, why, ...(denied === undefined ? {} : { denied }) }] : [],
      ),
      ...gaps.map(({ kind: _gap, ...gap }) => gap),
    ],
    namespaces: (objects.get('v1 namespaces') ?? []).map(({ metadata }) => metadata.name).toSorted((a, b) => a.localeCompare(b, 'en')),
  };
}
