/**
 * A budget entry that ends by itself, however dead everybody is: its schedule is the minute at which it was written, its duration how long it lasts
 * (karpenter.sh, NodePool Disruption Budgets: "schedule" and "duration", UTC). It would come back after a year, so it is removed like any other.
 */
import type { FreezeEntry } from './before-image.ts';

const MINUTE_MS = 60_000;

/** The entry as if written now. `nowMs`: of the API server's clock. The CRD takes hours and minutes only. */
export function lasting({ nodes, reasons }: FreezeEntry, nowMs: number, lastsMs: number): FreezeEntry {
  const now = new Date(nowMs);
  const schedule = `${now.getUTCMinutes()} ${now.getUTCHours()} ${now.getUTCDate()} ${now.getUTCMonth() + 1} *`;
  const minutes = Math.max(1, Math.round(lastsMs / MINUTE_MS));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return { nodes, reasons, schedule, duration: `${hours === 0 ? '' : `${hours}h`}${rest === 0 ? '' : `${rest}m`}` };
}

/** Milliseconds that an entry still lasts, 0 once it has ended; undefined: it does not end, or was not written by us. */
export function leftMs({ schedule, duration }: FreezeEntry, nowMs: number): number | undefined {
  const cron = /^(\d+) (\d+) (\d+) (\d+) \*$/.exec(schedule ?? '');
  const length = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(duration ?? '');
  if (cron === null || length === null) return undefined;
  const [minute = 0, hour = 0, day = 1, month = 1] = cron.slice(1).map(Number);
  const lengthMs = (Number(length[1] ?? 0) * 60 + Number(length[2] ?? 0)) * MINUTE_MS;
  // Written last year, or a minute ahead of a clock that was put back: the start that is nearest to now.
  const year = new Date(nowMs).getUTCFullYear();
  const starts = [year - 1, year, year + 1].map((each) => Date.UTC(each, month - 1, day, hour, minute));
  const startMs = starts.toSorted((one, other) => Math.abs(one - nowMs) - Math.abs(other - nowMs))[0] ?? nowMs;
  return Math.max(0, startMs + lengthMs - nowMs);
}

/** What is to stand: the entry that does as long as half of its time is left, else one that begins now. */
export function renewed(wanted: FreezeEntry, written: FreezeEntry | undefined, nowMs: number, lastsMs: number): FreezeEntry {
  const same = written?.nodes === wanted.nodes && JSON.stringify(written.reasons) === JSON.stringify(wanted.reasons);
  const left = same ? leftMs(written, nowMs) : undefined;
  return same && left !== undefined && left >= lastsMs / 2 && left <= lastsMs ? written : lasting(wanted, nowMs, lastsMs);
}
