/** Budget schedules: five-field UTC cron or a macro, with a duration in hours and minutes. */

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MINUTE_MS = 60_000;

/** Minutes of "8h", "1h30m", "90m"; undefined for anything else. */
export function durationMinutes(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:0s)?$/.exec(text);
  if (match === null || text === '') return undefined;
  return Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

type Field = (value: number) => boolean;

function field(text: string, low: number, high: number, names: readonly string[] = [], namesFrom = 0): Field | undefined {
  const allowed = new Set<number>();
  const number = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    return named >= 0 ? named + namesFrom : Number(word);
  };
  for (const part of text.split(',')) {
    const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const [, first = '*', last, step] = match;
    const from = first === '*' ? low : number(first);
    const to = first === '*' ? high : last !== undefined ? number(last) : step === undefined ? from : high;
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < low || to > high) return undefined;
    for (let value = from; value <= to; value += Number(step ?? 1)) allowed.add(value);
  }
  return (value) => allowed.has(value);
}

/** Is a window of `schedule` + `duration` open now? undefined: the schedule cannot be read. */
export function windowOpen(schedule: string, duration: string, at: Date): boolean | undefined {
  const parts = (MACROS[schedule] ?? schedule).trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = parts;
  const lengthMinutes = durationMinutes(duration);
  if (parts.length !== 5 || !minute || !hour || !day || !month || !weekday || lengthMinutes === undefined) return undefined;
  const minutes = field(minute, 0, 59);
  const hours = field(hour, 0, 23);
  const days = field(day, 1, 31);
  const months = field(month, 1, 12, MONTHS, 1);
  const weekdays = field(weekday, 0, 7, DAYS);
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const startMs = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  for (let back = 0; back < lengthMinutes; back += 1) {
    const t = new Date(startMs - back * MINUTE_MS);
    if (!minutes(t.getUTCMinutes()) || !hours(t.getUTCHours()) || !months(t.getUTCMonth() + 1)) continue;
    const onWeekday = weekdays(t.getUTCDay()) || (t.getUTCDay() === 0 && weekdays(7));
    const onDay = days(t.getUTCDate());
    // Cron: where both are restricted, either is enough.
    if (day !== '*' && weekday !== '*' ? onDay || onWeekday : onDay && onWeekday) return true;
  }
  return false;
}
