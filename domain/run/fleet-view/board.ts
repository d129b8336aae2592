/** A campaign as pages and terminals show it: rings with their clusters, and a forecast. */
import { agree, count, duration, someOf } from '../../core/text.ts';
import type { BestChange, WaitingCost } from '../../plan/campaign/forecast.ts';
import type { MemberKind, RingState, Soak } from '../campaign/state.ts';
import type { CampaignView } from '../campaign/view.ts';
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
  'removed',
] as const satisfies readonly MemberKind[];

export interface BoardMember {
  cluster: Place;
  state: MemberKind;
  /** Somebody has to look at it. */
  needsPeople: boolean;
  /** Its phase, gate, reason or next look, in words. */
  note?: string;
}

export interface BoardSoak extends Pick<Soak, 'seen' | 'watchedMs' | 'why'> {
  leftMs: number;
}

export interface BoardRing {
  name: string;
  /** `planned`: of a campaign that nobody is known to have started. */
  state: RingState['state'] | 'planned';
  /** Why it does not go on, or with which exceptions it has ended. */
  note?: string;
  /** While it soaks. */
  soak?: BoardSoak;
  members: BoardMember[];
}

export interface CampaignBoard {
  name: string;
  /** "1.34" */
  target: string;
  /** `configuration`: planned from belay.yaml and from what was read; nobody is known to have started it. */
  from: 'workflow' | 'configuration';
  state: CampaignView['phase'] | 'planned';
  /** One sentence. */
  headline: string;
  /** ISO 8601: of what is shown. */
  at: string;
  /** ISO 8601: when the campaign last looked at its clusters; absent: not yet, in this run of its workflow. */
  lookedAt?: string;
  /** ISO date: an alarm, and never a bypass. */
  finishBy?: string;
  /** What people are asked; `expiresAt`: ISO 8601. */
  gates: { id: string; title: string; expiresAt: string }[];
  /** In their order. */
  rings: BoardRing[];
  excluded: { cluster: Place; reason: string; until?: string }[];
  /** Why it could not start as belay.yaml has it. */
  problems: string[];
  forecast?: CampaignForecast;
}

export interface ForecastRing {
  name: string;
  /** ISO 8601, as the others: when its first cluster starts, and its last one arrives. */
  from: string;
  until: string;
  /** Absent: it does not soak. */
  soakUntil?: string;
  /** What the dates rest on. `soaking`: it has arrived, and its soak goes on. `runMs`: the longest run of the ring. */
  /** Clusters that fit no opening of their windows within a year, in full: the dates are those of the others. */
  never?: string[];
  basis: { kind: 'happened' | 'soaking' | 'nothing-to-upgrade' } | { kind: 'records' | 'assumed'; runMs: number };
}

/** The end of the support of a version that clusters of the campaign are at; `on`: ISO date. */
export interface SupportEnd {
  minor: string;
  kind: 'standard' | 'extended';
  on: string;
  clusterCount: number;
}

export interface CampaignForecast {
  /** Maintenance windows and freezes count; false: dates are as if there were none. */
  withinWindows: boolean;
  rings: ForecastRing[];
  /** Soonest first; those that have passed, too. */
  support: SupportEnd[];
  /** Of waiting up to those dates, by account; only where there is any. */
  costs: WaitingCost[];
  /** The one setting that would bring the end nearest. */
  best?: BestChange;
}

/** States that occur, in their order. */
export function statesOf(members: readonly BoardMember[]): { state: MemberKind; count: number }[] {
  return MEMBER_STATES.map((state) => ({ state, count: members.filter((member) => member.state === state).length })).filter(
    (each) => each.count > 0,
  );
}

/** Those at the target or ahead of it, of all; removed clusters are in neither. */
export function progressOf(members: readonly BoardMember[]): { doneCount: number; allCount: number } {
  const counting = members.filter(({ state }) => state !== 'removed');
  return { doneCount: counting.filter(({ state }) => state === 'done' || state === 'ahead').length, allCount: counting.length };
}

/** "awaiting approval" */
export const stateText = (state: BoardRing['state'] | CampaignBoard['state'] | MemberKind): string => state.replaceAll('-', ' ');

/** "5 h of soak left (red: alert X is firing)" */
export function soakText({ leftMs, seen, why }: BoardSoak): string {
  const what = seen === 'unread' ? 'health is not read' : seen === 'paused' ? 'paused' : 'health is red';
  return `${duration(leftMs)} of soak left${seen === 'green' ? '' : ` (${what}${why === undefined ? '' : `: ${why}`})`}`;
}

/** "from records, 45 min each at most", "assumed 3 h each" */
export function basisText({ basis, never = [] }: ForecastRing): string {
  return never.length === 0 ? basisOf(basis) : `${basisOf(basis)}; ${neverFits(never)}`;
}

function basisOf(basis: ForecastRing['basis']): string {
  switch (basis.kind) {
    case 'happened':
      return 'as it was';
    case 'soaking':
      return 'arrived; what is left of its soak';
    case 'nothing-to-upgrade':
      return 'no cluster to upgrade';
    case 'records':
      return `from records, ${duration(basis.runMs)} each at most`;
    case 'assumed':
      return `assumed ${duration(basis.runMs)} each`;
  }
}

/** "1.33: standard support ends on 2026-12-02 (5 clusters)" */
export const supportEndText = ({ minor, kind, on, clusterCount }: SupportEnd, at: string): string =>
  `${minor}: ${kind} support ${on <= at.slice(0, 10) ? 'ended' : 'ends'} on ${on} (${count(clusterCount, 'cluster')})`;

/** "111122223333: extended support of 5 clusters costs $432 until they arrive; AWS upgrades …" */
export function costText({ account, charged, usd, forced }: WaitingCost): string {
  const parts = [
    ...(usd === 0
      ? []
      : [
          `extended support of ${count(charged, 'cluster')} costs $${usd.toLocaleString('en-US')} until ${agree(charged, 'it arrives', 'they arrive')}`,
        ]),
    ...(forced.length === 0 ? [] : [`AWS upgrades ${forcedText(forced)}`]),
  ];
  return `${account}: ${parts.join('; ')}`;
}

/** Enough to act on; the rest is counted. */
const FORCED_NAMED = 5;

function forcedText(forced: WaitingCost['forced']): string {
  const named = forced.slice(0, FORCED_NAMED).map(({ cluster, on }) => `${cluster.split('/').at(-1)} from ${on} on`);
  const more = forced.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, before their ring arrives`;
}

/** "ring prod: parallel 2 → 4 brings the end 3 d nearer" */
export const bestText = ({ what, savesMs }: BestChange): string => `${what} brings the end ${duration(savesMs)} nearer`;

/** "2 clusters fit no opening of their maintenance windows within a year: a, b" */
export const neverFits = (clusters: readonly string[]): string =>
  `${count(clusters.length, 'cluster')} ${clusters.length === 1 ? 'fits' : 'fit'} no opening of maintenance windows within a year: ${someOf(clusters)}`;
