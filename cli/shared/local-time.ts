/** Times in the zone of whoever reads a terminal. */
import { replaceTimes } from '../../domain/core/text.ts';

/** "2026-03-03 13:05", in the zone of the machine unless another is named. Not a date: as it is given. */
export function localMinute(atMs: number, timeZone?: string): string {
  if (Number.isNaN(new Date(atMs).getTime())) return 'an unknown time';
  const part = partsOf(atMs, timeZone);
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

/** The same with the zone: "2026-03-03 13:05 CET", "2026-03-03 17:35 GMT+5:30", "2026-03-03 12:05 UTC". */
export function zonedMinute(iso: string, timeZone?: string): string {
  const atMs = Date.parse(iso);
  return `${localMinute(atMs, timeZone)} ${partsOf(atMs, timeZone)('timeZoneName')}`;
}

/** A text for a terminal whose times are in UTC, or in another zone that is named, with the reader's own. */
export function inLocalTime(text: string, timeZone?: string): string {
  return replaceTimes(text, (iso) => zonedMinute(iso, timeZone));
}

function partsOf(atMs: number, timeZone: string | undefined): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = formatIn(timeZone).formatToParts(atMs);
  return (type) => parts.find((each) => each.type === type)?.value ?? '';
}

/** Making one takes longer than writing a hundred times with it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const zone = timeZone ?? '';
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  formats.set(zone, format);
  return format;
}
