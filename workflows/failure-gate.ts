/** The gate after a step has failed: what happened, and what people may choose. */
import type { ApplicationFailure } from '@temporalio/common';
import type { GateChoice, GateEvidence } from '../domain/gate.ts';
import type { PlannedStep } from '../domain/plan/types.ts';
import { CHOICES, type GateRequest } from './gates.ts';
import { gateId } from './ids.ts';
import { undoText } from './plan-words.ts';

export function failureGate(step: PlannedStep, round: number, failure: ApplicationFailure): GateRequest {
  // A skipped control plane would leave the rest of the hop without a meaning.
  const skippable = step.phase !== 'control-plane' && step.phase !== 'control-plane-back';
  return {
    id: gateId('failed', step.id, round),
    step: step.id,
    title: `${step.title} failed`,
    next: 'Retry runs the step again; what is done already is found and not done twice.',
    evidence: [{ title: 'What happened', lines: [failure.message] }, ...evidenceOf(failure)].slice(0, 6),
    undo: undoText(step),
    choices: skippable ? [CHOICES.retry, skipChoice(step), CHOICES.abort] : [CHOICES.retry, CHOICES.abort],
  };
}

/** What going on without the step means, where it means more than that. */
function skipChoice(step: PlannedStep): GateChoice {
  if (step.phase !== 'freeze-drift') return CHOICES.skip;
  return {
    ...CHOICES.skip,
    style: 'danger',
    does: 'Goes on without a freeze: Karpenter replaces its nodes as soon as it sees the new version, before EKS reports the control plane done.',
  };
}

/** The evidence that a failed phase attached. */
function evidenceOf(failure: ApplicationFailure): GateEvidence[] {
  const details = failure.details?.[0];
  if (!Array.isArray(details)) return [];
  return details.filter((item): item is GateEvidence => typeof item === 'object' && item !== null && 'title' in item && 'lines' in item);
}
