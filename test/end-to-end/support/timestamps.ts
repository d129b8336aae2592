/** Times and durations as Temporal's raw answers have them. */

interface Stamp {
  seconds?: { toString(): string } | number | null;
  nanos?: number | null;
}

/** Milliseconds; 0 where there is none. */
export function timestampMs(stamp: Stamp | null | undefined): number {
  return Number(stamp?.seconds?.toString() ?? 0) * 1000 + (stamp?.nanos ?? 0) / 1e6;
}
