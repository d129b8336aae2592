/** Go durations as Karpenter writes them: "720h", "30m", "1h30m". */

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds; undefined for "Never" and for what is no duration. */
export function goDurationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[hms])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)([hms])/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}
