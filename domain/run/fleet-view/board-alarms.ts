/** What is wrong with a campaign as a whole, in sentences. */
import { count, duration } from '../../core/text.ts';
import { basisText, type CampaignBoard, type ForecastRing, progressOf } from './board.ts';

/** A campaign looks at its clusters every few minutes: after so long nobody does. The alert BelayCampaignUnwatched has the same figure. */
export const UNWATCHED_MS = 30 * 60_000;

export function boardAlarms(board: CampaignBoard): string[] {
  return [...unwatchedAlarm(board), ...finishAlarms(board)];
}

function unwatchedAlarm({ from, lookedAt, at }: CampaignBoard): string[] {
  if (from !== 'workflow' || lookedAt === undefined) return [];
  const agoMs = Date.parse(at) - Date.parse(lookedAt);
  return agoMs > UNWATCHED_MS
    ? [`It last looked at its clusters ${duration(agoMs)} ago: nothing starts, and no soak counts, until a worker runs again.`]
    : [];
}

/** Sentences about `finishBy`: an alarm skips nothing. */
export function finishAlarms({ finishBy, at, rings, forecast }: CampaignBoard): string[] {
  if (finishBy === undefined) return [];
  const { doneCount, allCount } = progressOf(rings.flatMap(({ members }) => members));
  const open = allCount - doneCount;
  if (open === 0) return [];
  // The whole day counts.
  const endMs = Date.parse(finishBy.slice(0, 10)) + DAY_MS;
  const late = Date.parse(at) - endMs;
  if (late >= 0)
    return [`It should have finished by ${finishBy}: ${open} of ${count(allCount, 'cluster')} are not done. Nothing is skipped for it.`];
  const inOrder = (forecast?.rings ?? []).toSorted((a, b) => endOf(a) - endOf(b));
  const last = inOrder.at(-1);
  if (last === undefined || endOf(last) < endMs) return [];
  const rests = inOrder.findLast(({ basis }) => basis.kind === 'records' || basis.kind === 'assumed') ?? last;
  return [
    `The forecast ends on ${(last.soakUntil ?? last.until).slice(0, 10)} (${basisText(rests)}), after it should finish (${finishBy}). Nothing is skipped for it.`,
  ];
}

const DAY_MS = 24 * 3_600_000;
const endOf = ({ until, soakUntil }: ForecastRing): number => Date.parse(soakUntil ?? until);
