/** Windows of a cluster over weeks and months, for work that is planned ahead: where a whole upgrade fits, and which openings there were. Pure. */
import type { PhaseId } from '../../../domain/core/phases.ts';
import { type NextFit, type Opening, stopsPhase, type WindowPolicy } from '../../../domain/policy/windows.ts';
import type { Interval } from './intervals.ts';
import { closedBy, type Excluded, excludedFrom, findFit, longestOpening, openingsIn, windowsIn } from './openings.ts';
import { nothingFits, opening, passedOver, whyClosed, zoneOf } from './texts.ts';

/** A campaign starts a cluster's run where none of these is stopped. */
export const START_PHASES: PhaseId[] = ['control-plane', 'node-groups', 'karpenter-drift'];

const DAY_MS = 24 * 60 * 60_000;

/** How long the work takes, in milliseconds. `lastStart` of the windows is the least that counts. */
export interface FitQuestion {
  needMs: number;
}

/**
 * The first moment from `nowMs` on from which the work fits wholly into one opening. Exclusions count that stop the move of a control plane,
 * no-upgrades and no-minor-upgrades; others hold up single steps only, which ask for themselves.
 * @throws RangeError where a time or a length is no number: that is never a fit.
 */
export function nextFit(policy: WindowPolicy, question: FitQuestion, nowMs: number): NextFit {
  const needMs = neededMs(policy, question);
  const excluded = upgradeExclusions(policy, numberOf('nowMs', nowMs));
  const { around, fits } = findFit(policy, excluded, needMs, nowMs);
  if (fits !== undefined && fits === around) return { kind: 'now', ...closes(fits) };
  const closed = closedBy(around, excluded, nowMs);
  const why = whyClosed(policy, needMs, nowMs, closed);
  if (fits === undefined) return { kind: 'never', why: `${why}${nothingFits(policy, needMs, longestOpening(policy, excluded, nowMs))}` };
  const told = [closed.running, closed.cutBy];
  const between = keptClosed(policy, excluded, nowMs, fits.startMs).filter((each) => !told.includes(each));
  return {
    kind: 'later',
    why: `${why}${passedOver(between)}`,
    opensAt: new Date(fits.startMs).toISOString(),
    text: opening(fits.startMs, zoneOf(policy, closed.running?.exclusion)),
    ...closes(fits),
  };
}

/**
 * Openings, or what is left of them from `fromMs` on, that begin before `untilMs` and in which the work would fit. One that is still open
 * at `untilMs` is among them: its `closesAt` is later.
 * @throws RangeError as nextFit does.
 */
export function openingsBetween(policy: WindowPolicy, question: FitQuestion, fromMs: number, untilMs: number): Opening[] {
  const needMs = neededMs(policy, question);
  const excluded = upgradeExclusions(policy, numberOf('fromMs', fromMs));
  // A day further: hours that follow at once belong to the same opening.
  return openingsIn(policy, excluded, fromMs, numberOf('untilMs', untilMs) + DAY_MS)
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, fromMs), endMs }))
    .filter(({ startMs, endMs }) => startMs < untilMs && endMs > startMs && endMs - startMs >= needMs)
    .map((each) => ({
      opensAt: new Date(each.startMs).toISOString(),
      text: opening(each.startMs, zoneOf(policy)),
      ...closes(each),
    }));
}

const upgradeExclusions = (policy: WindowPolicy, fromMs: number): Excluded[] =>
  excludedFrom(policy, (scope) => stopsPhase(scope, 'control-plane'), fromMs);

/** Exclusions that close a window, or a part of one, before the next fit. */
function keptClosed(policy: WindowPolicy, excluded: readonly Excluded[], fromMs: number, untilMs: number): Excluded[] {
  const windows = windowsIn(policy, fromMs, untilMs);
  return excluded.filter(({ interval }) =>
    windows.some(({ startMs, endMs }) => interval.startMs < Math.min(endMs, untilMs) && interval.endMs > startMs),
  );
}

const closes = ({ endMs }: Interval): { closesAt?: string } => (Number.isFinite(endMs) ? { closesAt: new Date(endMs).toISOString() } : {});

const neededMs = ({ lastStartMs }: WindowPolicy, { needMs }: FitQuestion): number => Math.max(numberOf('needMs', needMs), lastStartMs);

function numberOf(name: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`${name} of maintenance windows is ${value}; give milliseconds`);
}
