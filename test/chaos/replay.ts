/** Replays every history of a run on today's workflows. */
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** One line for each history that does not replay. */
export async function replayAll(address: string): Promise<string[]> {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  const workflowBundle = await bundle;
  const connection = await Connection.connect({ address });
  try {
    const problems: string[] = [];
    let count = 0;
    const histories = new Client({ connection }).workflow.list().intoHistories();
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      count += 1;
      if (error !== undefined) problems.push(`the history of ${workflowId} does not replay: ${error.message}`);
    }
    return count === 0 ? ['there is no history to replay'] : problems;
  } finally {
    await connection.close();
  }
}
