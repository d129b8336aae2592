/** The time axis of both pictures, from the beginning of the upgrade on, in parts of the width: it is as wide as the screen is. */
import { duration } from '../../domain/core/text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR];
/** More would run into each other; a narrow screen shows every second one. */
const MOST_LABELS = 8;
/** A label beyond this has no room; on a narrow screen, beyond that. */
const LAST_PERCENT = 94;
const LAST_NARROW_PERCENT = 74;

export interface Axis {
  /** Percent of the width. */
  at: (ms: number) => number;
  /** Of round times. */
  ticks: string;
  /** Between two of them, percent. */
  stepPercent: number;
}

export function axisUntil(untilMs: number): Axis {
  const until = Math.max(untilMs, MINUTE);
  const at = (ms: number): number => Math.round((Math.min(Math.max(ms, 0), until) / until) * 10_000) / 100;
  const step = STEPS.find((each) => until / each <= MOST_LABELS) ?? Math.ceil(until / MOST_LABELS / (24 * HOUR)) * 24 * HOUR;
  const marks = Array.from({ length: Math.floor(until / step) + 1 }, (_, index) => index * step);
  const labels = marks.flatMap((ms) => {
    if (at(ms) > LAST_PERCENT) return [];
    const wide = at(ms) > LAST_NARROW_PERCENT ? 'class="wide" ' : '';
    return `<span ${wide}style="left:${at(ms)}%">${ms === 0 ? '0' : duration(ms)}</span>`;
  });
  return { at, ticks: `<div class="ticks" aria-hidden="true">${labels.join('')}</div>`, stepPercent: at(step) };
}
