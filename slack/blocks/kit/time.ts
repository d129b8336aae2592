/** Times as people read them; Slack shows them in the reader's own zone. */
import { duration } from '../../../domain/core/text.ts';

/** "Mar 3, 12:03 PM" in the reader's zone; UTC where a client cannot. Not a date: as it is given, cut. */
export function when(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return 'an unknown time';
  const fallback = `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {time}|${fallback}>`;
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

/** "2026-03-03T12:00:00Z", "2026-03-03 12:00 UTC"; not after a weekday, which may be another one in the reader's zone. */
const UTC_TIME =
  /(?<!(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) |[\w^|-])(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z| UTC)(?![\w>])/g;

/** Times that a text of mrkdwn says in UTC, in the reader's own zone: but for those in code, which are for copying. */
export function inReadersTime(text: string): string {
  return text
    .split(/(```[^]*?```|`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(UTC_TIME, (whole, day: string, time: string) => {
            const iso = `${day}T${time}Z`;
            return Number.isNaN(Date.parse(iso)) ? whole : when(iso);
          }),
    )
    .join('');
}
