/** A step's gate may end the whole run: the parent does that, and cancels the step on its way. */
import { condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../../domain/gates/gate.ts';
import { abortRequested } from '../contract/messages.ts';
import { phaseFailed } from './phase-failure.ts';

/** The parent reads who may abort once more; it needs no longer than that. */
const ANSWER_MS = 60_000;

/** Never returns: throws the cancellation that comes of it, or the failure that asks people again when none comes. */
export async function abortRun({ actor, reason }: Decision, why: string): Promise<never> {
  const { parent } = workflowInfo();
  if (parent !== undefined) {
    const run = getExternalWorkflowHandle(parent.workflowId, parent.runId);
    await run.signal(abortRequested, { actor, reason: reason ?? why });
    await condition(() => false, ANSWER_MS);
  }
  throw phaseFailed(`${why}; the run could not be aborted from here`);
}
