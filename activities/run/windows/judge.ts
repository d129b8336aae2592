/** May a step begin now, and if not, when? Pure: time and windows are given. */
import { DateTime } from 'luxon';
import { duration } from '../../../domain/core/text.ts';
import {
  type MaintenanceExclusion,
  stopsPhase,
  type WindowPolicy,
  windowsText,
  type WindowVerdict,
} from '../../../domain/policy/windows.ts';
import { exclusionInterval, type Interval, weeklyIntervals, without } from './intervals.ts';
import type { WindowQuestion } from '../../../domain/plan/model/window-question.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Windows come back every week; only exclusions last for months, and are looked behind when the next fortnight has no room. */
const HORIZONS_MS = [15 * DAY_MS, 400 * DAY_MS];

/** A step may begin where it ends, as far as is expected, before the window closes and before an exclusion begins that is about it. */
export function judge(policy: WindowPolicy, { phases, needMs: askedMs }: WindowQuestion, nowMs: number): WindowVerdict {
  const needMs = Math.max(askedMs, policy.lastStartMs);
  const exclusions = policy.exclusions
    .filter(({ scope }) => phases.some((phase) => stopsPhase(scope, phase)))
    .map((exclusion) => ({ exclusion, interval: exclusionInterval(exclusion) }))
    .filter(({ interval }) => interval.endMs > nowMs);
  const fits = ({ startMs, endMs }: Interval): boolean => endMs - Math.max(startMs, nowMs) >= needMs;
  let opens: Interval | undefined;
  let around: Interval | undefined;
  for (const horizonMs of HORIZONS_MS) {
    const open = without(
      allowed(policy, nowMs, nowMs + horizonMs),
      exclusions.map(({ interval }) => interval),
    );
    around = open.find(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
    if (around !== undefined && fits(around)) return openUntil(around);
    opens = open.find((interval) => interval.startMs > nowMs && fits(interval));
    if (opens !== undefined) break;
  }
  const now = new Date(nowMs).toISOString();
  const running = exclusions.find(({ interval }) => interval.startMs <= nowMs);
  const zone = zoneOf(policy, running?.exclusion);
  const why = [whyClosed(policy, needMs, nowMs, { running, around, zone }), opens === undefined ? never(policy, needMs) : ''].join('');
  if (opens === undefined) return { kind: 'closed', why, now };
  return { kind: 'closed', why, now, opensAt: new Date(opens.startMs).toISOString(), opensText: moment(opens.startMs, zone) };
}

function openUntil({ endMs }: Interval): WindowVerdict {
  return Number.isFinite(endMs) ? { kind: 'open', closesAt: new Date(endMs).toISOString() } : { kind: 'open' };
}

function allowed({ maintenance }: WindowPolicy, fromMs: number, untilMs: number): Interval[] {
  return maintenance.length === 0 ? [{ startMs: -Infinity, endMs: Infinity }] : weeklyIntervals(maintenance, fromMs, untilMs);
}

function whyClosed(
  policy: WindowPolicy,
  needMs: number,
  nowMs: number,
  seen: { running?: { exclusion: MaintenanceExclusion; interval: Interval }; around?: Interval; zone: string },
): string {
  const { running, around, zone } = seen;
  if (running !== undefined) {
    const { reason, scope } = running.exclusion;
    return `maintenance exclusion "${reason}" (${scope}) lasts until ${moment(running.interval.endMs, zone)}`;
  }
  if (around === undefined) return `it is ${moment(nowMs, zone)}, outside the maintenance windows (${windowsText(policy)})`;
  return `the window closes ${moment(around.endMs, zone)}, in ${duration(around.endMs - nowMs)}, and ${duration(needMs)} of it are needed`;
}

function never({ maintenance }: WindowPolicy, needMs: number): string {
  return maintenance.length === 0
    ? '; no end of it is in sight'
    : `; no window of the next year is open for the ${duration(needMs)} that are needed: make one longer, or divide the work into waves`;
}

/** People read times where their windows are. */
function zoneOf({ maintenance }: WindowPolicy, exclusion: MaintenanceExclusion | undefined): string {
  return exclusion?.timeZone ?? maintenance[0]?.timeZone ?? 'UTC';
}

/** "Sat 2026-01-17 22:00 Europe/Berlin" */
function moment(atMs: number, zone: string): string {
  return `${DateTime.fromMillis(atMs, { zone, locale: 'en' }).toFormat('ccc yyyy-LL-dd HH:mm')} ${zone}`;
}
