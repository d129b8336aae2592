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
  maintenance: WeeklyHours[];
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

/** "Sat, Sun 22:00–04:00 Europe/Berlin" */
export function hoursText({ days, start, end, timeZone }: WeeklyHours): string {
  const all = days.length === WEEKDAYS.length ? 'daily' : days.map(capital).join(', ');
  return `${all} ${start}–${end} ${timeZone}`;
}

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
