/** The workflow of a campaign: one ring after the other. It starts or adopts the runs of clusters and owns none: without it they go on. */
import { workflowInfo } from '@temporalio/workflow';
import type { CampaignInput, CampaignStatus } from '../../contract/campaign.ts';
import { CampaignRun } from './campaign-run.ts';

export async function runCampaign(input: CampaignInput): Promise<CampaignStatus> {
  const { carried: _carried, ...begun } = input;
  // Whoever starts the workflow could name anybody as its requester, and votes that nobody gave.
  const run = new CampaignRun(workflowInfo().continuedFromExecutionRunId === undefined ? begun : input);
  await run.begin();
  while (!run.isOver) {
    await run.askForRing();
    await run.startDue();
    await run.lookAround();
    await run.goOnInAnotherRun();
    await run.rest();
  }
  return await run.end();
}
