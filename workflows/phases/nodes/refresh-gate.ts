/** The gate before an instance refresh. */
import type { Phase } from '../base/phase.ts';
import type { RefreshableGroup } from '../../../activities/contract/self-managed.ts';
import { gateId } from '../../contract/ids.ts';
import { readingGroup, refreshedByHand, refreshGate } from '../../messages/nodes/self-managed.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

/** What a gate id cannot have. */
export const idPart = (group: string): string => group.replaceAll('#', '-');

export interface Wanted {
  group: string;
  to: string;
  back?: true;
  /** Share that stays in service. */
  minHealthyPercent: number;
}

/** Look again reads everything once more. */
export async function agree(phase: Phase, wanted: Wanted): Promise<RefreshableGroup | { kind: 'ask'; why: string }> {
  const { group, to, back } = wanted;
  const { step, round } = phase.input;
  for (let look = 1; ; look += 1) {
    phase.now(readingGroup(group));
    const seen = await phase.activities.survey.examineGroup.executeWithOptions({ summary: `Can ${group} be refreshed?` }, [
      { cluster: phase.cluster, group, to, ...defined({ back }) },
    ]);
    if (seen.kind === 'ask') return seen;
    const state = await phase.gates.ask({
      id: gateId('change', step.id, (round - 1) * 100 + look, idPart(group)),
      step: step.id,
      ...refreshGate(seen, wanted),
    });
    if (state.kind !== 'decided') throw phaseFailed(`Refreshing ${group}: nobody decided in time; nothing is changed`);
    const { choice } = state.decision;
    if (choice === 'by-hand') return { kind: 'ask', why: refreshedByHand() };
    if (choice === 'approve') return seen;
  }
}
