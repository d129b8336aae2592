/** Asks a run itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { upgradeStatus } from '../../workflows/contract/messages.ts';
import { READ_AGAIN } from '../../workflows/contract/read-again.ts';
import { UpgradesError } from '../calls/contract.ts';
import { isNotFound, rootMessage, translate, within } from '../calls/temporal-calls.ts';

const TRIES = 5;
const PAUSE_MS = 100;
const ANSWER_LIMIT_MS = 5_000;

/** A run that has to read its history anew first is asked again. Rejects as Temporal does. */
export const queryStatus = (handle: Pick<WorkflowHandle, 'query'>): Promise<UpgradeStatus> => readAgain(() => handle.query(upgradeStatus));

/** As `answerOf`; rejects with `UpgradesError`. `gone`: what is said where there is no such workflow. */
export async function ask<T>(
  client: Client,
  { workflowId, gone }: { workflowId: string; gone: string },
  query: QueryDefinition<T>,
): Promise<T> {
  try {
    return await answerOf(client, workflowId, query);
  } catch (error) {
    throw isNotFound(error) ? new UpgradesError('not-running', gone) : translate(client, error);
  }
}

/** What a workflow of its own says, within five seconds. Rejects as Temporal does. */
export async function answerOf<T>(client: Client, workflowId: string, query: QueryDefinition<T>): Promise<T> {
  const handle = client.workflow.getHandle(workflowId);
  return await readAgain(() => within(client, ANSWER_LIMIT_MS, () => handle.query(query)));
}

/** Asks again where that is what the answer says. */
export async function readAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !rootMessage(error).includes(READ_AGAIN)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
