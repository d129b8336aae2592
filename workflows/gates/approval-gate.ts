/** The gate before a step. */
import { usualRange } from '../../domain/plan/model/usual.ts';
import type { GateChoice, GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { about } from '../../domain/core/text.ts';
import { gateId } from '../contract/ids.ts';
import { gateUndoText } from '../reporting/plan-evidence.ts';
import { CHOICES } from './choices.ts';
import type { GateRequest } from './gate-request.ts';

/** `evidence`: what the steps before have learnt. */
export function approvalGate(step: PlannedStep, evidence: GateEvidence[], status: UpgradeStatus): GateRequest {
  return {
    id: gateId('before', step.id, 1),
    step: step.id,
    title: step.gate?.title ?? `${step.title}?`,
    next: [step.gate?.next ?? step.title, ...takes(step)].join(' '),
    evidence,
    undo: gateUndoText(step),
    choices: [approve(step), reject(status)],
  };
}

/** Plans from before say it themselves. Of other steps only what was learnt is worth a sentence. */
function takes({ phase, gate, expectedMs, usual }: PlannedStep): string[] {
  if (gate?.next.includes('It takes') === true) return [];
  if (usual !== undefined) return [`It ${usualRange(expectedMs, usual).replace(/^usually/, 'usually takes')}.`];
  return phase === 'control-plane' ? [`It takes ${about(expectedMs)}.`] : [];
}

/** Why a cluster went back is what everybody asks afterwards. */
function approve({ phase, gate }: PlannedStep): GateChoice {
  return phase === 'rollback-checks' || gate?.reason === true ? { ...CHOICES.approve, needsReason: true } : CHOICES.approve;
}

/** Says what becomes of the freeze: once a control plane has moved, lifting it is not what stopping may do unasked. */
function reject({ steps, freeze }: UpgradeStatus): GateChoice {
  const moved = steps.some(({ id, state }) => id.startsWith('control-plane@') && state === 'completed');
  if (!moved || freeze.state === 'none' || freeze.state === 'lifted') return CHOICES.reject;
  return {
    ...CHOICES.reject,
    does: 'Stops the upgrade here. The freeze stays while nodes lag behind the control plane; you are asked what to do with it.',
  };
}
