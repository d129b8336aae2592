/**
 * The workflow that proposes campaigns: begun where belay.yaml has `proposals`, told of the file as it is now where it runs already. Any number of workers
 * may do so at a time. It is never ended: what was dismissed stays dismissed while proposals are off.
 */
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { messageOf } from '../../domain/core/unknown.ts';
import { sealingInterceptors } from '../crypto/codec/seal-messages.ts';
import type { Logger } from '../config/log.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { PROPOSALS_WORKFLOW, type ProposalsInput, proposalsConfigured } from '../../workflows/contract/proposals.ts';

export interface ProposalsOptions {
  namespace: string;
  dataConverter: DataConverter;
  /** Does belay.yaml have proposals? */
  isOn: boolean;
  taskQueue?: string;
  log: Pick<Logger, 'warn'>;
}

const LIMIT_MS = 10_000;

/** What fails is said, and holds nothing up: upgrades need no proposals, and the next start of a worker tries again. */
export async function beginProposals(connection: NativeConnection, { isOn, log, ...options }: ProposalsOptions): Promise<void> {
  try {
    await ensureProposals(connection, isOn, options);
  } catch (error) {
    log.warn(
      { why: messageOf(error) },
      `proposals of campaigns could not be switched ${isOn ? 'on' : 'off'}; the next start of a worker tries again`,
    );
  }
}

async function ensureProposals(
  connection: NativeConnection,
  isOn: boolean,
  { namespace, dataConverter, taskQueue = TASK_QUEUE }: Omit<ProposalsOptions, 'isOn' | 'log'>,
): Promise<void> {
  const client = new Client({ connection, namespace, dataConverter, interceptors: { workflow: sealingInterceptors(process.env) } });
  await client.withDeadline(Date.now() + LIMIT_MS, async () => {
    if (isOn)
      await client.workflow.signalWithStart<(input: ProposalsInput) => Promise<void>, [object]>(WORKFLOWS.proposals, {
        workflowId: PROPOSALS_WORKFLOW,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        taskQueue,
        args: [{}],
        signal: proposalsConfigured,
        signalArgs: [{}],
        staticSummary: 'Proposes campaigns',
        staticDetails:
          'Looks every week whether clusters are due for a campaign, and proposes each version once in Slack. Starts nothing. Terminating it forgets what was dismissed.',
      });
    else
      await client.workflow
        .getHandle(PROPOSALS_WORKFLOW)
        .signal(proposalsConfigured, {})
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
  });
}
