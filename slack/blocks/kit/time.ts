/** Times as people read them; Slack shows them in the reader's own zone. */
import { duration, replaceTimes, utcMinute } from '../../../domain/core/text.ts';

/** "12:03 PM today", "12:03 PM Mar 3, 2026" in the reader's zone; UTC where a client cannot. Not a date: as it is given, cut. */
export function when(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return 'an unknown time';
  const fallback = utcMinute(new Date(ms).toISOString());
  return `<!date^${Math.floor(ms / 1000)}^{time} {date_short_pretty}|${fallback}>`;
}

const BAR_WIDTH = 10;

/** "▓▓▓▓░░░░░░": full only when everything is done. */
export function bar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const full = Number.isNaN(share) ? 0 : Math.floor(share * BAR_WIDTH);
  return '▓'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

/** "3 min of ~10 min". */
export function progress(elapsedMs: number, expectedMs: number): string {
  return expectedMs > 0 ? `${duration(elapsedMs)} of ~${duration(expectedMs)}` : duration(elapsedMs);
}

/** Times that a text of mrkdwn says, in the reader's own zone: but for those in code, which are for copying. */
export function inReadersTime(text: string): string {
  return replaceTimes(text, when);
}
