/** Schedules of Karpenter's budgets: five fields of UTC cron or a macro, with a duration in hours and minutes (karpenter.sh, NodePool Disruption Budgets). */
import { parseDurationMs } from '../../../core/parse-duration.ts';

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const NAMES: Record<string, number> = Object.fromEntries([
  ...['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((name, index) => [name, index] as const),
  ...['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, index) => [name, index + 1] as const),
]);
const MINUTE_MS = 60_000;

/** Is it open at this time? undefined: it cannot be read, and then Karpenter disrupts nothing. */
export function isOpen(schedule: string, duration: string, atMs: number): boolean | undefined {
  const until = openUntil(schedule, duration, atMs);
  return until === undefined ? undefined : until !== 'closed';
}

/** When what is open at this time closes, in ms; a later start that falls into it is not looked for. undefined: as in `isOpen`. */
export function openUntil(schedule: string, duration: string, atMs: number): number | 'closed' | undefined {
  const fields = (MACROS[schedule] ?? schedule).trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 7],
  ].map(([low = 0, high = 0], index) => valuesOf(fields[index] ?? '', low, high));
  const lengthMs = parseDurationMs(duration);
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday || lengthMs === undefined) return undefined;
  if (weekday.has(7)) weekday.add(0);
  const startMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  // Where both are restricted, either is enough.
  const either = fields[2] !== '*' && fields[4] !== '*';
  for (let back = 0; back < lengthMs; back += MINUTE_MS) {
    const then = new Date(startMs - back);
    if (!minute.has(then.getUTCMinutes()) || !hour.has(then.getUTCHours()) || !month.has(then.getUTCMonth() + 1)) continue;
    const [onDay, onWeekday] = [day.has(then.getUTCDate()), weekday.has(then.getUTCDay())];
    if (either ? onDay || onWeekday : onDay && onWeekday) return then.getTime() + lengthMs;
  }
  return 'closed';
}

function valuesOf(text: string, low: number, high: number): Set<number> | undefined {
  const values = new Set<number>();
  const number = (word: string): number => NAMES[word.toLowerCase()] ?? Number(word);
  for (const part of text.split(',')) {
    const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const [, first = '*', last, step] = match;
    const from = first === '*' ? low : number(first);
    const to = first === '*' ? high : last !== undefined ? number(last) : step === undefined ? from : high;
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < low || to > high || step === '0') return undefined;
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}
