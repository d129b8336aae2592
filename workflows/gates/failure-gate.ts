/** The gate after a step has failed, and the one before anything is forced. */
import type { ApplicationFailure } from '@temporalio/common';
import { choicesFor, type FailureCause, helpedBy, type RetryMode } from '../../domain/run/failure-causes.ts';
import type { GateEvidence, GateState } from '../../domain/gates/gate.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { gateId } from '../contract/ids.ts';
import { undoText } from '../reporting/plan-evidence.ts';
import { forceGate, stepFailedGate } from '../messages/failures.ts';
import { causesOf } from '../runtime/phase-failure.ts';
import type { GateOffer, GateRequest } from './gate-request.ts';

/** `mode`: how to run the step again; undefined where something else was chosen, or nobody decided. */
export interface FailureDecision {
  state: Exclude<GateState, { kind: 'open' }>;
  mode?: RetryMode;
}

/** `back`: as goBackChoices says. `seen`: what else is not well in the cluster. */
export async function decideFailure(
  gates: Pick<Gatekeeper, 'ask'>,
  step: PlannedStep,
  round: number,
  failure: ApplicationFailure,
  { back, seen }: { back: GateOffer[]; seen: GateEvidence[] },
): Promise<FailureDecision> {
  const causes = causesOf(failure);
  const request = failureGate(step, round, failure, causes);
  const evidence = [...request.evidence, ...seen];
  const state = await gates.ask({ ...request, evidence, choices: [...request.choices, ...back] });
  switch (choiceAt(state)) {
    case 'retry':
      return { state, mode: {} };
    case 'overwrite':
      return { state, mode: { overwrite: helpedBy('overwrite', causes) } };
    case 'ask-force': {
      const force = helpedBy('force', causes);
      // What force does is said where it is decided, and nowhere else is it done.
      const forced = await gates.ask({
        ...forceGate(step, { names: force, problem: failure.message, undo: undoText(step) }),
        id: gateId('force', step.id, round),
        step: step.id,
      });
      const choice = choiceAt(forced);
      if (choice === 'force') return { state: forced, mode: { force } };
      return { state: forced, ...(choice === 'retry' ? { mode: {} } : {}) };
    }
    default:
      return { state };
  }
}

const choiceAt = (state: GateState): string | undefined => (state.kind === 'decided' ? state.decision.choice : undefined);

function failureGate(step: PlannedStep, round: number, failure: ApplicationFailure, causes: FailureCause[]): GateRequest {
  // A skipped control plane would leave the rest of the hop without a meaning.
  const offered = choicesFor(causes).filter((choice) => choice !== 'skip' || !['control-plane', 'control-plane-back'].includes(step.phase));
  const undo = undoText(step);
  return {
    ...stepFailedGate(step, { problem: failure.message, causes, seen: evidenceOf(failure), offered, undo }),
    id: gateId('failed', step.id, round),
    step: step.id,
  };
}

/** The evidence that a failed phase attached. */
function evidenceOf(failure: ApplicationFailure): GateEvidence[] {
  const details = failure.details?.[0];
  if (!Array.isArray(details)) return [];
  return details.filter((item): item is GateEvidence => typeof item === 'object' && item !== null && 'title' in item && 'lines' in item);
}
