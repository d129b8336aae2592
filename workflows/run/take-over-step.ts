/** A step whose workflow id is still in use: a run that was terminated leaves steps that clean up, or watch what EKS cannot stop. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { sleep } from '@temporalio/workflow';
import type { Note } from '../messages/note.ts';
import { earlierStepRuns, earlierStepStays } from '../messages/run.ts';
import { stepTakenOver } from '../contract/messages.ts';
import { signalIfRunning } from '../runtime/signal-if-running.ts';
import { phaseFailed } from '../runtime/phase-failure.ts';

const SHORTEST_MS = 500;
const LONGEST_MS = 30_000;
/** Clean-up of a step takes seconds, and minutes where an API server is away: about ten minutes altogether. */
const TRIES = 26;

/**
 * Starts the step, once the one of an earlier run has ended: that one is told that it is taken over, so it stops watching. Gates are found by the step's
 * id, so two of one id cannot live side by side. What the earlier one has begun is found and adopted, as after a crash.
 */
export async function afterEarlier<T>(
  of: { id: string; title: string; by: string; tell: (note: Note) => void },
  start: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      if (attempt === TRIES) {
        throw phaseFailed(earlierStepStays(of.title, of.id));
      }
      if (attempt === 1) of.tell(earlierStepRuns(of.title));
      await signalIfRunning(of.id, stepTakenOver, { by: of.by });
      await sleep(Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (attempt - 1)), { summary: "Wait until the earlier run's step has ended" });
    }
  }
}
