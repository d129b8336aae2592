/** Durations as people write them: "500ms", "30s", "10m", "24h", "7d", "1h30m". */

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_PATTERN = '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$';
const SHAPE = new RegExp(DURATION_PATTERN);

/** Milliseconds, or undefined where the text is not a duration. A number is milliseconds already; a negative one is none. */
export function parseDurationMs(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  const text = value.trim();
  if (!SHAPE.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    totalMs += Number(amount) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
  return Math.round(totalMs);
}

/** The shortest exact way to write it, e.g. 5_400_000 → "1h30m", 0 → "0s". */
export function formatDuration(durationMs: number): string {
  let restMs = Math.round(durationMs);
  if (restMs === 0) return '0s';
  let text = '';
  for (const [unit, unitMs] of Object.entries(UNITS_MS).reverse()) {
    const count = Math.floor(restMs / unitMs);
    if (count > 0) text += `${count}${unit}`;
    restMs -= count * unitMs;
  }
  return text;
}
