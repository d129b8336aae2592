/** Where the plan found no AMI release to promote: a gate asks whether to wait for one, and shows what was found before it is pinned. */
import type { AmiMove } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import { lookingForPromotion, promotion, promotionGate } from '../../messages/karpenter/ami-changes.ts';
import type { Phase } from '../base/phase.ts';
import { paramsOf } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Edits that were agreed to besides those of the plan. Drift is frozen meanwhile. */
export async function promoteLate(phase: Phase): Promise<AmiMove[]> {
  const { unpromoted = [], to } = paramsOf(phase.input, 'karpenter-drift');
  const { step, round } = phase.input;
  for (let look = 1; unpromoted.length > 0; look += 1) {
    phase.now(lookingForPromotion());
    const found = await phase.activities.survey.readPromotion.executeWithOptions({ summary: 'Is there an AMI release to promote now?' }, [
      { cluster: phase.cluster, to, policy: phase.input.policy },
    ]);
    // Promoted in an earlier round of the step, or by others since the plan.
    if (found.moves.length + found.unpromoted.length === 0) break;
    const state = await phase.gates.ask({
      id: gateId('promote', step.id, (round - 1) * 100 + look),
      step: step.id,
      ...promotionGate(found, to),
    });
    if (state.kind !== 'decided') throw phaseFailed(`${promotion(found)}, and nobody decided in time; no node was replaced`);
    const { choice } = state.decision;
    if (choice === 'promote') return found.moves;
    if (choice === 'go-on') break;
  }
  return [];
}
