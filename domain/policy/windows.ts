/** Maintenance windows, exclusions and quiet hours as belay.yaml says them, and which steps they hold for. The arithmetic of time is activities/windows. */
import type { PhaseId } from '../core/phases.ts';
import { capital } from '../core/text.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours that come back every week, in local time. An end that is not after the start is on the next day. */
export interface WeeklyHours {
  /** On which it begins. */
  days: Weekday[];
  /** "22:00" */
  start: string;
  /** "04:00"; "24:00" is midnight. */
  end: string;
  /** IANA: "Europe/Berlin" */
  timeZone: string;
}

/**
 * Which of a month's Tuesdays: the first to the fourth, or the last, as AKS's `relativeMonthly.weekIndex` has them (First to Fourth, Last;
 * learn.microsoft.com, Microsoft.ContainerService managedClusters/maintenanceConfigurations). A fifth is not in every month.
 */
export const WEEKS_OF_MONTH = [1, 2, 3, 4, 'last'] as const;
export type WeekOfMonth = (typeof WEEKS_OF_MONTH)[number];

/** Hours of a maintenance window: every week, or in some weeks of the month. */
export interface MaintenanceHours extends WeeklyHours {
  /**
   * The 2nd week is days 8 to 14, so that `[2]` with `days: [tue]` is the second Tuesday: `weeksOfMonth` of Oracle Cloud's MaintenanceWindow,
   * `BYDAY=2TU` of GKE's RRULE (RFC 5545, 3.3.10), `TUE#2` of AWS Systems Manager's maintenance windows. The local date on which the
   * window begins counts. Absent: every week.
   */
  weeksOfMonth?: WeekOfMonth[];
}

/** What may not be done meanwhile, as GKE's maintenance exclusions have it. */
export const EXCLUSION_SCOPES = ['no-upgrades', 'no-minor-upgrades', 'no-node-replacement'] as const;
export type ExclusionScope = (typeof EXCLUSION_SCOPES)[number];

/** A time in which changes are frozen, whatever the windows say. */
export interface MaintenanceExclusion {
  /** "2026-12-18", the whole day, or "2026-12-18T18:00"; local time. */
  from: string;
  /** Likewise; a day counts to its end. */
  until: string;
  timeZone: string;
  scope: ExclusionScope;
  reason: string;
}

/** What becomes of a start outside the windows: refused, or parked until they open. */
export const OUTSIDE = ['refuse', 'queue'] as const;

export interface WindowPolicy {
  /** None: always open. */
  maintenance: MaintenanceHours[];
  exclusions: MaintenanceExclusion[];
  /** Nobody is mentioned in Slack then; messages still come. */
  quietHours: WeeklyHours[];
  outside: (typeof OUTSIDE)[number];
  /** No step that cannot be undone starts this short before a window closes, however quick it is. */
  lastStartMs: number;
}

/** May it begin now? Times are ISO 8601 by EKS's own clock. */
export type WindowVerdict =
  | { kind: 'open'; closesAt?: string }
  /** `opensAt` absent: within a year it never does for so long. */
  | { kind: 'closed'; why: string; now: string; opensAt?: string; opensText?: string }
  /** belay.yaml cannot be read as it is now: that is never a yes. */
  | { kind: 'unknown'; why: string };

/** When a piece of work fits wholly into one opening of the windows. Times are ISO 8601. */
export type NextFit =
  /** `closesAt` absent: no end of the opening is in sight. */
  | { kind: 'now'; closesAt?: string }
  /** `why` it does not fit now. `text`: `opensAt` as people read it. */
  | { kind: 'later'; why: string; opensAt: string; text: string; closesAt?: string }
  /** Not within a year. */
  | { kind: 'never'; why: string };

/** A stretch of time in which work may be done: windows without the exclusions. Times are ISO 8601. */
export interface Opening {
  opensAt: string;
  /** Absent: no end of it is in sight. */
  closesAt?: string;
  /** "Tue 2026-01-13 02:30 Europe/Berlin (UTC+01:00)" */
  text: string;
}

/** What a plan says of windows when it is made. */
export interface PlanWindows {
  /** "Sat 22:00–04:00 Europe/Berlin" */
  text: string;
  /** For its first step that changes something. */
  verdict: WindowVerdict;
  outside: WindowPolicy['outside'];
}

/** Phases that only look or watch: they need no window. */
const READ_ONLY: readonly PhaseId[] = ['pre-checks', 'bake', 'validation'];
/** The freeze is the first word of the move of the control plane. */
const MINOR: readonly PhaseId[] = ['freeze-drift', 'control-plane'];
const NODES: readonly PhaseId[] = ['node-groups', 'other-nodes', 'karpenter-drift', 'karpenter-migration'];

export const needsWindow = (phase: PhaseId): boolean => !READ_ONLY.includes(phase);

/** Does an exclusion of this scope stop the phase? */
export function stopsPhase(scope: ExclusionScope, phase: PhaseId): boolean {
  switch (scope) {
    case 'no-upgrades':
      return needsWindow(phase);
    case 'no-minor-upgrades':
      return MINOR.includes(phase);
    case 'no-node-replacement':
      return NODES.includes(phase);
  }
}

const ORDINALS: Record<WeekOfMonth, string> = { 1: '1st', 2: '2nd', 3: '3rd', 4: '4th', last: 'last' };

/** "Sat, Sun 22:00–04:00 Europe/Berlin", "2nd Tue 02:30–05:00 Europe/Berlin" */
export function hoursText({ days, weeksOfMonth, start, end, timeZone }: MaintenanceHours): string {
  const names = days.map(capital).join(', ');
  const all = days.length === WEEKDAYS.length ? 'daily' : names;
  const on = weeksOfMonth === undefined ? all : `${listed(weeksOfMonth.map((week) => ORDINALS[week]))} ${names}`;
  return `${on} ${start}–${end} ${timeZone}`;
}

/** "1st, 3rd and last" */
const listed = (all: readonly string[]): string => all.join(', ').replace(/, (\w+)$/, ' and $1');

/** All windows in one line. */
export function windowsText({ maintenance }: WindowPolicy): string {
  return maintenance.length === 0 ? 'always open' : maintenance.map(hoursText).join('; ');
}

/** For people who read a plan: "maintenance windows: Sat 22:00–04:00 Europe/Berlin; closed now: …; the next one opens …" */
export function windowsLine({ text, verdict }: PlanWindows): string {
  return `maintenance windows: ${text}${verdict.kind === 'open' ? '; open now' : `; ${queuedText(verdict)}`}`;
}

/** What a start comes to outside of them. */
export function queuedText(verdict: Exclude<WindowVerdict, { kind: 'open' }>): string {
  const next = verdict.kind === 'closed' && verdict.opensText !== undefined ? `; the next one opens ${verdict.opensText}` : '';
  return `closed now: ${verdict.why}${next}.`;
}
