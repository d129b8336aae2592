/** A ring's own message, and the list of its clusters as a file. */
import { csvRows } from '../../core/csv.ts';
import { duration } from '../../core/text.ts';
import type { CampaignPlan } from '../../plan/campaign/types.ts';
import { type CampaignState, hasRun, membersOf, type RingState } from './state.ts';
import { type CampaignView, memberText, type RingView } from './view.ts';

export interface RingMessage extends RingView {
  campaign: string;
  target: string;
  /** Which ring of how many, from 1. */
  place: number;
  ofCount: number;
  /** From 1. */
  attempt: number;
  /** Why it does not go on, or with which exceptions it has ended. */
  why?: string;
  /** Runs at a time. */
  parallel: number;
  /** "24 h" */
  soak: string;
  /** ISO 8601 */
  startedAt: string;
  /** The list of its clusters is in the thread. */
  listed: boolean;
}

/** One that has begun has a message; one that only waits for its approval is asked about at its gate. */
export const hasMessage = (ring: RingState | undefined): ring is RingState & { startedAt: string } => ring?.startedAt !== undefined;

/** Nothing more happens in it: it has ended or stopped, or its campaign has, and nothing of it runs. */
export function isRingOver(state: CampaignState, plan: CampaignPlan, index: number): boolean {
  const [is, ring] = [state.rings[index], plan.rings[index]];
  if (ring === undefined || !hasMessage(is)) return false;
  if (['stopped', 'complete', 'complete-with-exceptions'].includes(is.state)) return true;
  return state.phase === 'stopped' && !membersOf(state, ring).some(({ is: of }) => hasRun(of));
}

/** undefined: it has not begun. */
export function ringMessage(plan: CampaignPlan, state: CampaignState, view: CampaignView, index: number): RingMessage | undefined {
  const [is, ring, shown] = [state.rings[index], plan.rings[index], view.rings[index]];
  if (ring === undefined || shown === undefined || !hasMessage(is)) return undefined;
  return {
    ...shown,
    campaign: view.campaign,
    target: view.target,
    place: index + 1,
    ofCount: plan.rings.length,
    attempt: is.attempt,
    ...(is.why === undefined ? {} : { why: is.why }),
    parallel: ring.parallel,
    soak: duration(ring.soakMs),
    startedAt: is.startedAt,
    listed: isRingOver(state, plan, index),
  };
}

/** Reasons in the file are cut here: it travels in the history of the campaign. */
const MOST_DETAIL = 300;

/** All clusters of a ring with what has become of them, for spreadsheets. */
export function ringCsv(plan: CampaignPlan, state: CampaignState, index: number): string {
  const ring = plan.rings[index];
  const rows = ring === undefined ? [] : membersOf(state, ring);
  return csvRows([
    ['account', 'region', 'cluster', 'from', 'to', 'state', 'detail'],
    ...rows.map(({ member: { cluster, from }, is }) => [
      cluster.account,
      cluster.region,
      cluster.name,
      from,
      plan.target,
      is.kind,
      memberText(is).slice(0, MOST_DETAIL).toWellFormed(),
    ]),
  ]);
}
