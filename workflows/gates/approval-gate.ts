/** The gate before a step. */
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { gateId } from '../contract/ids.ts';
import { approveStepGate } from '../messages/gates.ts';
import { gateUndoText } from '../reporting/plan-evidence.ts';
import type { GateRequest } from './gate-request.ts';

/** `evidence`: what the steps before have learnt. */
export function approvalGate(step: PlannedStep, evidence: GateEvidence[], status: UpgradeStatus): GateRequest {
  return {
    ...approveStepGate(step, { evidence, undo: gateUndoText(step), keepsFreeze: keepsFreeze(status) }),
    id: gateId('before', step.id, 1),
    step: step.id,
  };
}

/** Once a control plane has moved, nobody but an approver lifts the freeze. */
function keepsFreeze({ steps, freeze }: UpgradeStatus): boolean {
  const moved = steps.some(({ id, state }) => id.startsWith('control-plane@') && state === 'completed');
  return moved && freeze.state !== 'none' && freeze.state !== 'lifted';
}
