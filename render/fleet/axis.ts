/** A time axis of pictures that are part of a page. */

export interface Axis {
  x: (iso: string) => number;
  /** Lines and labels at the beginnings of months, or of days where it is short. */
  grid: string;
}

const DAY_MS = 24 * 3_600_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** More labels than this would run into each other. */
const MOST_LABELS = 9;

/** From the earliest to the latest time, drawn between `left` and `right`; `height`: of the lines. Times that are none are left out. */
export function axisOf(times: readonly string[], { left, right, height }: { left: number; right: number; height: number }): Axis {
  const known = times.map((iso) => Date.parse(iso)).filter((ms) => !Number.isNaN(ms));
  const from = Math.min(...known);
  const until = Math.max(Math.max(...known), from + DAY_MS);
  const at = (ms: number): number => Math.round((left + ((ms - from) / (until - from)) * (right - left)) * 10) / 10;
  const marks = until - from > 60 * DAY_MS ? months(from, until) : days(from, until);
  const step = Math.max(1, Math.ceil(marks.length / MOST_LABELS));
  const lines = marks.map(({ ms, label }, index) => {
    const x = at(ms);
    const text = index % step === 0 && x < right - 30 ? `<text x="${x + 4}" y="14" class="date">${label}</text>` : '';
    return `<line x1="${x}" y1="4" x2="${x}" y2="${height}"/>${text}`;
  });
  return { x: (iso) => Math.min(right, Math.max(left, at(Date.parse(iso)))), grid: lines.join('') };
}

function months(from: number, until: number): { ms: number; label: string }[] {
  const first = new Date(from);
  const marks = [];
  for (let month = first.getUTCMonth() + 1; ; month += 1) {
    const ms = Date.UTC(first.getUTCFullYear(), month, 1);
    if (ms > until) return marks;
    const date = new Date(ms);
    marks.push({ ms, label: `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}` });
  }
}

function days(from: number, until: number): { ms: number; label: string }[] {
  const marks = [];
  for (let ms = Math.ceil(from / DAY_MS) * DAY_MS; ms <= until; ms += DAY_MS) {
    const date = new Date(ms);
    marks.push({ ms, label: `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}` });
  }
  return marks;
}
