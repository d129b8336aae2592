/** May a step begin now, and if not, when? Pure: time and windows are given. */
import { stopsPhase, type WindowPolicy, type WindowVerdict } from '../../../domain/policy/windows.ts';
import type { WindowQuestion } from '../../../domain/plan/model/window-question.ts';
import type { Interval } from './intervals.ts';
import { closedBy, excludedFrom, findFit } from './openings.ts';
import { never, opening, whyClosed, zoneOf } from './texts.ts';

/** A step may begin where it ends, as far as is expected, before the window closes and before an exclusion begins that is about it. */
export function judge(policy: WindowPolicy, { phases, needMs: askedMs }: WindowQuestion, nowMs: number): WindowVerdict {
  const needMs = Math.max(askedMs, policy.lastStartMs);
  const excluded = excludedFrom(policy, (scope) => phases.some((phase) => stopsPhase(scope, phase)), nowMs);
  const { around, fits } = findFit(policy, excluded, needMs, nowMs);
  if (fits !== undefined && fits === around) return openUntil(fits);
  const closed = closedBy(around, excluded, nowMs);
  const now = new Date(nowMs).toISOString();
  const why = whyClosed(policy, needMs, nowMs, closed);
  if (fits === undefined) return { kind: 'closed', why: `${why}${never(policy, needMs)}`, now };
  const zone = zoneOf(policy, closed.running?.exclusion);
  return { kind: 'closed', why, now, opensAt: new Date(fits.startMs).toISOString(), opensText: opening(fits.startMs, zone) };
}

function openUntil({ endMs }: Interval): WindowVerdict {
  return Number.isFinite(endMs) ? { kind: 'open', closesAt: new Date(endMs).toISOString() } : { kind: 'open' };
}
