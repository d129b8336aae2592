/** Times and durations as people read them; Slack shows times in the reader's own zone. */

/** "Mar 3, 12:03 PM" in the reader's zone; UTC where a client cannot. Not a date: as it is given, cut. */
export function when(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return 'an unknown time';
  const fallback = `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {time}|${fallback}>`;
}

/** "45 s", "12 min", "3 h 20 min", "2 d 4 h". */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '0 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return join(hours, 'h', minutes % 60, 'min');
  return join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** "3 min of ~10 min". */
export function progress(elapsedMs: number, expectedMs: number): string {
  return expectedMs > 0 ? `${duration(elapsedMs)} of ~${duration(expectedMs)}` : duration(elapsedMs);
}

function join(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;
}
