/** Gates of what outlives a run, such as the guard of a freeze that is kept: opened and decided after the run's end, which never hears of them. */
import type { Client } from '@temporalio/client';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { openGates } from '../../workflows/contract/messages.ts';
import { PHASE_WORKFLOWS } from '../../workflows/contract/phase-workflows.ts';
import { isNotFound, within } from '../calls/temporal-calls.ts';
import { readAgain } from './query-status.ts';
import { IS_OPEN } from '../calls/open.ts';

const STEPS = Object.values(PHASE_WORKFLOWS).map((type) => `'${type}'`);

/** Of a run that has ended: as they are now. What does not answer is as the run knew it. */
export async function withOutlivingGates(client: Client, status: UpgradeStatus, limitMs: number): Promise<UpgradeStatus> {
  const { workflowId, gates } = status;
  const query = `${IS_OPEN} AND WorkflowId STARTS_WITH '${workflowId}/' AND WorkflowType IN (${STEPS.join(', ')})`;
  const left: string[] = [];
  await within(client, limitMs, async () => {
    for await (const { workflowId: step } of client.workflow.list({ query })) left.push(step);
  });
  const asked = left.map(async (step): Promise<UpgradeStatus['gates']> => {
    try {
      return await readAgain(() => within(client, limitMs, () => client.workflow.getHandle(step).query(openGates)));
    } catch (error) {
      return isNotFound(error) ? [] : gates.filter((gate) => gate.workflowId === step);
    }
  });
  return { ...status, gates: (await Promise.all(asked)).flat() };
}
