/** Signals to a workflow that may have ended already: then nobody listens, and nothing is lost. */
import { getExternalWorkflowHandle } from '@temporalio/workflow';
import type { SignalDefinition } from '@temporalio/common';
import { areYouThere } from '../contract/messages.ts';
import { stamped } from '../contract/stamp.ts';

export async function signalIfRunning<T extends object>(workflowId: string, signal: SignalDefinition<[T]>, message: T): Promise<void> {
  await getExternalWorkflowHandle(workflowId)
    .signal(signal, stamped(signal, message))
    .catch(() => undefined);
}

/** Does it run? Only what runs can be told something. */
export async function isAlive(workflowId: string, runId?: string): Promise<boolean> {
  return await getExternalWorkflowHandle(workflowId, runId)
    .signal(areYouThere)
    .then(
      () => true,
      () => false,
    );
}
