/** The clock of a soak: time under watch between two looks that both saw health, and no other time. */
import { defined } from '../../core/defined.ts';
import { someOf } from '../../core/text.ts';
import type { PlannedRing } from '../../plan/campaign/types.ts';
import type { Soak } from './state.ts';

/** Beyond so many periods between two looks nobody watched. */
const MOST_PERIODS = 2;

export interface HealthReading {
  seen: 'green' | 'red' | 'unread';
  /** What is red, or why it is not known. */
  why?: string;
}

/** Of several: red before what is not known, and each that is so says why. */
export function worstOf(readings: readonly HealthReading[]): HealthReading {
  for (const seen of ['red', 'unread'] as const) {
    const such = readings.filter((reading) => reading.seen === seen);
    if (such.length > 0) return { seen, ...defined({ why: whyOf(such) }) };
  }
  return { seen: 'green' };
}

function whyOf(readings: readonly HealthReading[]): string | undefined {
  const known = readings.flatMap(({ why }) => why ?? []);
  return known.length === 0 ? undefined : someOf(known);
}

export const startSoak = (now: string): Soak => ({ at: now, seen: 'unread', watchedMs: 0 });

/** `everyMs`: the period of looks. A pause of the campaign does not count, and red health begins the soak anew where the ring says so. */
export function lookAtSoak(
  soak: Soak,
  reading: HealthReading | 'paused',
  { now: read, everyMs, soakOnRed }: { now: string; everyMs: number } & Pick<PlannedRing, 'soakOnRed'>,
): Soak {
  // A clock that goes back would have the same time watched twice.
  const now = read > soak.at ? read : soak.at;
  const { restarted } = soak;
  const kept = restarted === undefined ? {} : { restarted };
  if (reading === 'paused') return { at: now, seen: 'paused', watchedMs: soak.watchedMs, ...kept };
  const why = reading.why === undefined ? {} : { why: reading.why };
  if (reading.seen === 'red' && soakOnRed === 'restart') {
    // Only once for each time that it turns red.
    const since = soak.seen === 'red' && restarted !== undefined ? restarted : { at: now, why: reading.why ?? 'health is red' };
    return { at: now, seen: 'red', watchedMs: 0, restarted: since, ...why };
  }
  const goneMs = Math.min(Date.parse(now) - Date.parse(soak.at), MOST_PERIODS * everyMs);
  const counts = soak.seen === 'green' && reading.seen === 'green' && goneMs > 0;
  return { at: now, seen: reading.seen, watchedMs: soak.watchedMs + (counts ? goneMs : 0), ...kept, ...why };
}

export const soakLeftMs = ({ watchedMs }: Soak, { soakMs }: Pick<PlannedRing, 'soakMs'>): number => Math.max(0, soakMs - watchedMs);
