/** A gate of a step may end the whole run: the step fails with who chose it. A signal would need a proof, and nobody who only sends messages can fail a step. */
import { ApplicationFailure, ChildWorkflowFailure } from '@temporalio/common';
import type { Actor } from '../../domain/gates/actor.ts';
import type { Decision } from '../../domain/gates/gate.ts';

const TYPE = 'AbortChosen';

export interface ChosenAbort {
  actor: Actor;
  reason: string;
}

/** `why`: for the case that they gave no reason. */
export function abortChosen({ actor, reason }: Decision, why: string): ApplicationFailure {
  const chosen: ChosenAbort = { actor, reason: reason ?? why };
  return ApplicationFailure.create({ message: why, type: TYPE, nonRetryable: true, details: [chosen] });
}

/** undefined: the step ended for another reason. Of steps alone: whoever reaches Temporal can fail an activity with any type. */
export function chosenAbort(error: unknown): ChosenAbort | undefined {
  const failure = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return failure instanceof ApplicationFailure && failure.type === TYPE ? (failure.details?.[0] as ChosenAbort) : undefined;
}
