/** Windows in the words that people read. */
import { DateTime } from 'luxon';
import { duration } from '../../../domain/core/text.ts';
import { type MaintenanceExclusion, type WindowPolicy, windowsText } from '../../../domain/policy/windows.ts';
import type { Interval } from './intervals.ts';
import type { Closed, Excluded } from './openings.ts';

/** People read times where their windows are. */
export function zoneOf({ maintenance, exclusions }: WindowPolicy, running?: MaintenanceExclusion): string {
  return [running, ...maintenance, ...exclusions].find((each) => each !== undefined)?.timeZone ?? 'UTC';
}

/** "Sat 2026-01-17 22:00 Europe/Berlin"; with its offset where the clock shows this time twice. */
export function moment(atMs: number, zone: string): string {
  return DateTime.fromMillis(atMs, { zone }).getPossibleOffsets().length > 1 ? opening(atMs, zone) : plain(atMs, zone);
}

/** "Sat 2026-01-17 22:00 Europe/Berlin (UTC+01:00)": people set an alarm by it, perhaps beyond a change of clocks. */
export function opening(atMs: number, zone: string): string {
  const offset = DateTime.fromMillis(atMs, { zone }).toFormat('ZZ');
  return zone === 'UTC' ? plain(atMs, zone) : `${plain(atMs, zone)} (UTC${offset})`;
}

const plain = (atMs: number, zone: string): string =>
  `${DateTime.fromMillis(atMs, { zone, locale: 'en' }).toFormat('ccc yyyy-LL-dd HH:mm')} ${zone}`;

export function whyClosed(policy: WindowPolicy, needMs: number, nowMs: number, { running, around, cutBy }: Closed): string {
  const zone = zoneOf(policy, running?.exclusion);
  if (running !== undefined) return `${exclusionText(running)} lasts until ${moment(running.interval.endMs, zone)}`;
  if (around === undefined) return `it is ${moment(nowMs, zone)}, outside the maintenance windows (${windowsText(policy)})`;
  const ends = cutBy === undefined ? 'the window closes' : `${exclusionText(cutBy)} begins`;
  const needed = `${duration(needMs)}${cutBy === undefined ? ' of it' : ''} are needed`;
  return `${ends} ${moment(around.endMs, zone)}, in ${duration(around.endMs - nowMs)}, and ${needed}`;
}

/** 'maintenance exclusion "Christmas trade" (no-upgrades)' */
const exclusionText = ({ exclusion: { reason, scope } }: Excluded): string => `maintenance exclusion "${reason}" (${scope})`;

/** Why a later opening is the next one, and not the windows before it. */
export function passedOver(excluded: readonly Excluded[]): string {
  return excluded.map((each) => `; ${exclusionText(each)} keeps windows before then closed`).join('');
}

export function never({ maintenance }: WindowPolicy, needMs: number): string {
  return maintenance.length === 0
    ? '; no end of it is in sight'
    : `; no window of the next year is open for the ${duration(needMs)} that are needed: make one longer, or divide the work into waves`;
}

/** `longest`: of all openings of the next year. */
export function nothingFits(policy: WindowPolicy, needMs: number, longest: Interval | undefined): string {
  if (longest === undefined) return '; no window opens within a year';
  const lasts = `${duration(longest.endMs - longest.startMs)}, from ${opening(longest.startMs, zoneOf(policy))}`;
  return `; no opening of the next year lasts the ${duration(needMs)} that are needed; the longest has ${lasts}`;
}
