/** Where the plan found no AMI release to promote: people decide whether to wait for one, and see what was found before it is pinned. */
import { selectionWords } from '../../../domain/plan/karpenter/ami-changes.ts';
import type { AmiMove, Unpromoted } from '../../../domain/plan/model/changes.ts';
import { someOf } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { paramsOf } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { GateRequest } from '../../gates/gate-request.ts';

interface Found {
  moves: AmiMove[];
  unpromoted: Unpromoted[];
}

/** Edits that people have agreed to besides those of the plan. Drift is frozen meanwhile. */
export async function promoteLate(phase: Phase): Promise<AmiMove[]> {
  const { unpromoted = [], to } = paramsOf(phase.input, 'karpenter-drift');
  for (let look = 1; unpromoted.length > 0; look += 1) {
    phase.now('Looking for an AMI release to promote.');
    const found = await phase.activities.survey.readPromotion.executeWithOptions({ summary: 'Is there an AMI release to promote now?' }, [
      { cluster: phase.cluster, to, policy: phase.input.policy },
    ]);
    // Promoted in an earlier round of the step, or by others since the plan.
    if (found.moves.length + found.unpromoted.length === 0) break;
    const state = await phase.gates.ask(promotionGate(phase, look, found, to));
    if (state.kind !== 'decided') throw phaseFailed(`${headline(found)}, and nobody decided in time; no node was replaced`);
    const { choice } = state.decision;
    if (choice === 'promote') return found.moves;
    if (choice === 'go-on') break;
  }
  return [];
}

function promotionGate(phase: Phase, look: number, found: Found, to: string): GateRequest {
  const { step, round } = phase.input;
  const edits = found.moves.map(
    ({ nodeClass, before, terms, why }) => `EC2NodeClass ${nodeClass}: ${before} → ${selectionWords(terms)} (${why})`,
  );
  const left = found.unpromoted.map(
    ({ nodeClass, chooses, status, why }) => `${status === 'unknown' ? 'UNKNOWN' : 'FAILED'} ${nodeClass} (${chooses}): ${why}`,
  );
  return {
    id: gateId('promote', step.id, (round - 1) * 100 + look),
    step: step.id,
    title: `${headline(found)}: what now?`,
    next:
      edits.length > 0
        ? `Pins what is baked, then nodes roll to ${to}.`
        : 'Look again when the other cluster has baked a release. Drift stays frozen until you choose.',
    evidence: [
      ...(edits.length === 0 ? [] : [{ title: 'Ready to be promoted', lines: edits }]),
      ...(left.length === 0 ? [] : [{ title: 'No release to promote', lines: left }]),
    ],
    undo: 'Nothing has been replaced yet.',
    choices: [
      ...(edits.length === 0
        ? []
        : [{ id: 'promote' as const, label: 'Promote', style: 'primary' as const, does: `${edits.join('; ')}; then nodes roll.` }]),
      {
        id: 'look-again',
        label: 'Look again',
        ...(edits.length === 0 ? { style: 'primary' as const } : {}),
        does: 'Reads the other clusters once more, and asks again.',
      },
      {
        id: 'go-on',
        label: 'Continue without',
        style: 'danger',
        needsReason: true,
        does: `Nodes roll to what the classes choose now, which nobody has baked: ${someOf([...found.unpromoted.map(({ nodeClass, chooses }) => `${nodeClass} to ${chooses}`), ...found.moves.map(({ nodeClass, before }) => `${nodeClass} to ${before}`)])}.`,
      },
    ],
  };
}

function headline({ moves, unpromoted }: Found): string {
  if (unpromoted.length === 0) return `An AMI release is baked for ${someOf(moves.map(({ nodeClass }) => nodeClass))}`;
  return `No AMI release to promote to ${someOf(unpromoted.map(({ nodeClass }) => nodeClass))}`;
}
