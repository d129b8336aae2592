/** A campaign as a page shows it: rings with their clusters, and a forecast. Plain data of its own shape, whoever fills it in. */
import { count } from '../../core/text.ts';
import { type Place } from './reading.ts';

/** In the order in which people want to see them: what needs somebody first. */
export const MEMBER_STATES = [
  'failed',
  'rolled-back',
  'stuck',
  'needs-people',
  'unknown',
  'held',
  'waiting',
  'running',
  'planned',
  'done',
  'ahead',
  'excluded',
  'removed',
] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

/** Somebody has to look at these. */
export const NEEDS_SOMEBODY: readonly MemberState[] = ['failed', 'rolled-back', 'stuck', 'needs-people', 'unknown'];
/** Nothing more will be done to these. */
const SETTLED: readonly MemberState[] = ['done', 'ahead', 'excluded', 'removed'];

export interface BoardMember {
  cluster: Place;
  state: MemberState;
  /** Its phase, gate, reason or next look, in words. */
  note?: string;
}

export interface BoardRing {
  name: string;
  /** In words: "soaking", "awaiting approval". */
  state: string;
  /** What else there is to say: what it waits for, why it stopped. */
  note?: string;
  /** ISO 8601, while it soaks. */
  soakUntil?: string;
  members: BoardMember[];
}

export interface CampaignBoard {
  name: string;
  /** "1.34" */
  target: string;
  /** In words: "running", "paused by ada". */
  state: string;
  /** ISO 8601: of what is shown. */
  at: string;
  /** ISO date: an alarm, and never a bypass. */
  finishBy?: string;
  /** In their order. */
  rings: BoardRing[];
}

export interface ForecastRing {
  name: string;
  /** ISO 8601, as the others: when its first cluster starts, and its last one ends. */
  from: string;
  until: string;
  /** Absent: it does not soak. */
  soakUntil?: string;
  /** What the dates rest on: so many recorded runs, or an assumed length for want of any. */
  basis: { kind: 'records'; runCount: number } | { kind: 'assumed'; hoursEach: number };
}

export interface CampaignForecast {
  rings: ForecastRing[];
}

/** States that occur, in their order. */
export function statesOf(members: readonly BoardMember[]): { state: MemberState; count: number }[] {
  return MEMBER_STATES.map((state) => ({ state, count: members.filter((member) => member.state === state).length })).filter(
    (each) => each.count > 0,
  );
}

/** Settled ones of all; excluded and removed clusters are in neither. */
export function progressOf(members: readonly BoardMember[]): { doneCount: number; allCount: number } {
  const counting = members.filter(({ state }) => state !== 'excluded' && state !== 'removed');
  return { doneCount: counting.filter(({ state }) => SETTLED.includes(state)).length, allCount: counting.length };
}

/** "from 12 recorded runs", "assumed 3 h each" */
export function basisText({ basis }: ForecastRing): string {
  return basis.kind === 'assumed' ? `assumed ${basis.hoursEach} h each` : `from ${count(basis.runCount, 'recorded run')}`;
}

/** Sentences about `finishBy`: an alarm skips nothing. */
export function finishAlarms({ finishBy, at, rings }: CampaignBoard, forecast?: CampaignForecast): string[] {
  if (finishBy === undefined) return [];
  const { doneCount, allCount } = progressOf(rings.flatMap(({ members }) => members));
  const open = allCount - doneCount;
  if (open === 0) return [];
  // The whole day counts.
  const endMs = Date.parse(finishBy.slice(0, 10)) + DAY_MS;
  const late = Date.parse(at) - endMs;
  if (late >= 0)
    return [`It should have finished by ${finishBy}: ${open} of ${count(allCount, 'cluster')} are not done. Nothing is skipped for it.`];
  const last = (forecast?.rings ?? []).toSorted((a, b) => endOf(a) - endOf(b)).at(-1);
  if (last === undefined || endOf(last) < endMs) return [];
  return [
    `The forecast ends on ${(last.soakUntil ?? last.until).slice(0, 10)} (${basisText(last)}), after it should finish (${finishBy}). Nothing is skipped for it.`,
  ];
}

const DAY_MS = 24 * 3_600_000;
const endOf = ({ until, soakUntil }: ForecastRing): number => Date.parse(soakUntil ?? until);
