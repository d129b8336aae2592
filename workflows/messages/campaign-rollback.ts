/** What the rollback of a ring says: at its gate and in its thread. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import { agree, count, someOf, utcMinute } from '../../domain/core/text.ts';
import type { CampaignPlan, PlannedRing } from '../../domain/plan/campaign/types.ts';
import { leftOutEvidence } from './campaigns.ts';
import { type GateText, info, type Note } from './note.ts';

const LISTED = 30;

/** One approval for all that is listed: it covers the first gate of each run, and later gates ask for each cluster. */
export function rollbackGate(
  { rollbackOf, target, warnings }: CampaignPlan,
  ring: PlannedRing,
  { attempt, leftOut }: { attempt: number; leftOut: readonly string[] },
): GateText {
  const going = ring.members.filter(({ verdict }) => verdict.kind === 'upgrade');
  const staying = ring.members.flatMap(({ cluster, verdict }) => ('why' in verdict ? [`${cluster.name}: ${verdict.why}`] : []));
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  return {
    title: `Roll ring ${ring.name} of campaign ${rollbackOf?.campaign ?? ''} back to ${target}${again}?`,
    next: `${count(going.length, 'cluster')} ${agree(going.length, 'is rolled back', `are rolled back, ${ring.parallel} at a time, those with the least time left first`)}. This approval also covers the first gate of ${agree(going.length, 'its run', 'their runs')}; later gates ask for each cluster.`,
    evidence: [
      {
        title: 'Clusters to roll back',
        lines: listed(
          going.map(
            ({ cluster, from, backUntil }) =>
              `${cluster.name}: at ${from ?? '?'}, EKS can roll it back until ${utcMinute(backUntil ?? '')}`,
          ),
        ),
      },
      ...leftOutEvidence(leftOut),
      ...(staying.length === 0 ? [] : [{ title: 'Clusters that stay as they are', lines: listed(staying) }]),
      ...(warnings.length === 0 ? [] : [{ title: 'Not known for certain', lines: [...warnings] }]),
    ],
    undo: 'A control plane that was rolled back can be upgraded again. Once this rollback is paused or stopped, no further cluster starts.',
    choices: [
      {
        id: 'approve',
        label: 'Roll back',
        does: `Rolls ${count(going.length, 'cluster')} back to ${target}.`,
        style: 'danger',
        needsReason: true,
      },
      { id: 'reject', label: 'Reject', does: 'Rolls no cluster back.' },
    ],
  };
}

const listed = (lines: string[]): string[] =>
  lines.length <= LISTED ? lines : [...lines.slice(0, LISTED), `and ${lines.length - LISTED} more`];

export const rollbackBegun = (ring: PlannedRing, by: Actor): Note =>
  info(
    `Rolling ring ${ring.name} back, approved by ${actorName(by)}: ${someOf(
      ring.members.filter(({ verdict }) => verdict.kind === 'upgrade').map(({ cluster }) => cluster.name),
      10,
    )}.`,
  );

export const membersByFile = (campaign: string, ring: string): string =>
  `Temporal no longer knows campaign ${campaign}, so this lists the clusters that belay.yaml has in ring ${ring} now, whoever upgraded them.`;

export const noSuchRing = (campaign: string, ring: string, rings: readonly string[]): string =>
  `campaign ${campaign} has no ring ${ring}; its rings: ${rings.join(', ')}`;
