/** Replays every history of a run on today's workflows. */
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../support/temporal.ts';

/** One line for each history that does not replay. */
export async function replayAll(address: string): Promise<string[]> {
  const bundle = await workflowBundle();
  const connection = await Connection.connect({ address });
  try {
    const problems: string[] = [];
    let count = 0;
    const histories = new Client({ connection }).workflow.list().intoHistories();
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle }, histories)) {
      count += 1;
      if (error !== undefined) problems.push(`the history of ${workflowId} does not replay: ${error.message}`);
    }
    return count === 0 ? ['there is no history to replay'] : problems;
  } finally {
    await connection.close();
  }
}
