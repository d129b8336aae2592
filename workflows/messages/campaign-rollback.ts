/** What taking a ring back says: at its gate and in its thread. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import { capital, count, someOf, utcMinute } from '../../domain/core/text.ts';
import type { CampaignPlan, PlannedRing } from '../../domain/plan/campaign/types.ts';
import { leftOutEvidence } from './campaigns.ts';
import { type GateText, info, type Note } from './note.ts';

const LISTED = 30;

/** One approval for all that is listed: each run's first gate stands on it, and its later gates are asked at the cluster. */
export function rollbackGate(
  { rollbackOf, target, warnings }: CampaignPlan,
  ring: PlannedRing,
  { attempt, leftOut }: { attempt: number; leftOut: readonly string[] },
): GateText {
  const going = ring.members.filter(({ verdict }) => verdict.kind === 'upgrade');
  const staying = ring.members.flatMap(({ cluster, verdict }) => ('why' in verdict ? [`${cluster.name}: ${verdict.why}`] : []));
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  return {
    title: `Take ring ${ring.name} of campaign ${rollbackOf?.campaign ?? ''} back to ${target}${again}?`,
    next: `${capital(count(going.length, 'cluster'))} go back, ${ring.parallel} at a time, least time left first. This stands for the first gate of their runs; later gates are asked at each cluster.`,
    evidence: [
      {
        title: 'Clusters that go back',
        lines: listed(
          going.map(
            ({ cluster, from, backUntil }) => `${cluster.name}: ${from ?? '?'}, EKS takes it back until ${utcMinute(backUntil ?? '')}`,
          ),
        ),
      },
      ...leftOutEvidence(leftOut),
      ...(staying.length === 0 ? [] : [{ title: 'Clusters that stay', lines: listed(staying) }]),
      ...(warnings.length === 0 ? [] : [{ title: 'Not known for certain', lines: [...warnings] }]),
    ],
    undo: 'A control plane that has gone back can be upgraded again. What has not started yet stays once this is paused or stopped.',
    choices: [
      {
        id: 'approve',
        label: 'Roll back',
        does: `Takes ${count(going.length, 'cluster')} back to ${target}.`,
        style: 'danger',
        needsReason: true,
      },
      { id: 'reject', label: 'Reject', does: 'No cluster goes back.' },
    ],
  };
}

const listed = (lines: string[]): string[] =>
  lines.length <= LISTED ? lines : [...lines.slice(0, LISTED), `and ${lines.length - LISTED} more`];

export const rollbackBegun = (ring: PlannedRing, by: Actor): Note =>
  info(
    `Ring ${ring.name} goes back, approved by ${actorName(by)}: ${someOf(
      ring.members.filter(({ verdict }) => verdict.kind === 'upgrade').map(({ cluster }) => cluster.name),
      10,
    )}.`,
  );

export const membersByFile = (campaign: string, ring: string): string =>
  `Temporal no longer knows campaign ${campaign}: the clusters are those that belay.yaml has in ring ${ring} now, whoever has moved them.`;

export const noSuchRing = (campaign: string, ring: string, rings: readonly string[]): string =>
  `campaign ${campaign} has no ring ${ring}; there are: ${rings.join(', ')}`;
