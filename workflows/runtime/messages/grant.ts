/** The grant that this workflow's run has: made by the worker that proved who asked for it, and sent with whatever changes something. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { workflowLocal } from '../workflow-local.ts';

const own = workflowLocal<{ grant?: Payload | undefined }>('grant', () => ({}));

/** Of the run itself, once its requester is proved. */
export function useGrant(text: string | undefined): void {
  own().grant = text === undefined ? undefined : defaultPayloadConverter.toPayload(text);
}

/** Of a step: what its run has sent along. */
export function takeGrant(payload: Payload | undefined): void {
  own().grant = payload;
}

export const currentGrant = (): Payload | undefined => own().grant;

/**
 * Is this execution one that somebody has reset in Temporal, to before its grant was made? Temporal then sends it again what was decided before. Where it
 * was reset to a later moment its grant is of the execution before, and nothing is changed with it.
 */
export function isReset(made: string): boolean {
  const { runId, firstExecutionRunId } = workflowInfo();
  return runId !== firstExecutionRunId && made.includes(`:${runId}:`);
}
