/** One line per upgrade that has ended. */
import type { UpgradeReport } from './status.ts';
import { actorName } from '../../gates/actor.ts';

export interface PastRun {
  from?: string;
  to: string;
  outcome: UpgradeReport['outcome'];
  headline: string;
  requestedBy: string;
  /** ISO 8601 */
  startedAt: string;
  endedAt?: string;
  durationMs?: number;
  /** Who decided, each person once. */
  decidedBy: string[];
  notRestoredCount: number;
}

export function pastRun({ status, outcome, decisions, leftBehind }: UpgradeReport): PastRun {
  const { from, to, headline, requestedBy, startedAt, endedAt } = status;
  const deciders = decisions.flatMap((state) => (state.kind === 'decided' ? [actorName(state.decision.actor)] : []));
  return {
    from,
    to,
    outcome,
    headline,
    requestedBy: actorName(requestedBy),
    startedAt,
    endedAt,
    durationMs: endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(startedAt),
    decidedBy: [...new Set(deciders)],
    notRestoredCount: leftBehind.filter(({ kept }) => !kept).length,
  };
}
