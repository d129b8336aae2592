/** Quantiles of cumulative buckets, as Prometheus interpolates them (prometheus.io, "histogram_quantile"). */

export interface Bucket {
  /** Upper bound, the last one infinite. */
  le: number;
  /** Of everything up to the bound. */
  count: number;
}

/** Linear within a bucket, from zero in the lowest; the second highest bound for what lies in the last; NaN without any observation. */
export function quantileOf(share: number, buckets: readonly Bucket[]): number {
  const sorted = buckets.toSorted((a, b) => a.le - b.le);
  const last = sorted.at(-1);
  if (last === undefined || last.le !== Number.POSITIVE_INFINITY || sorted.length < 2 || last.count === 0) return Number.NaN;
  const rank = share * last.count;
  const at = sorted.findIndex(({ count }) => count >= rank);
  const bucket = sorted[at];
  if (bucket === undefined || bucket.le === Number.POSITIVE_INFINITY) return sorted.at(-2)?.le ?? Number.NaN;
  const below = sorted[at - 1] ?? { le: 0, count: 0 };
  return below.le + ((bucket.le - below.le) * (rank - below.count)) / (bucket.count - below.count);
}
