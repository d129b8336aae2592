/**
 * A query reaches a worker with the run's history as it is by then, and that may end with events that no workflow task has taken up yet, above all where
 * a worker has died and another one reads the history from its start. sdk-core applies them all the same, at the time of the task before
 * (worker/workflow/history_update.rs, take_next_wft_sequence), and the next task goes on from there. What the workflow has decided by that clock, no
 * replay decides again: "[TMPRL1100] Nondeterminism error", for as long as the run is open (docs/design/0054).
 *
 * So they are refused here: the query fails, the worker forgets the run, and the next task reads the history from its start. Nothing is written anywhere.
 */
import { ApplicationFailure, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { READ_AGAIN } from '../contract/read-again.ts';

export const interceptors: WorkflowInterceptorsFactory = () => {
  /** Of the last activation. A task that Temporal has started brings a time and a size of its own. */
  let length = 0;
  let task = '';
  return {
    internals: [
      {
        activate(input, next) {
          const { historyLength, historySizeBytes, timestamp, isReplaying, jobs } = input.activation;
          const lengthNow = historyLength ?? 0;
          const taskNow = [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join(' ');
          const isUnread = length > 0 && lengthNow > length && taskNow === task && isReplaying !== true && (jobs ?? []).length > 0;
          length = lengthNow;
          task = taskNow;
          if (isUnread) throw ApplicationFailure.nonRetryable(READ_AGAIN, 'ReadAgain');
          next(input);
        },
      },
    ],
  };
};
