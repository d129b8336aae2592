/** Looks every week whether clusters are due for a campaign, and proposes each once. Starts nothing: that takes the gate of the campaign's first ring. */
import { workflowInfo } from '@temporalio/workflow';
import { PROPOSALS_WORKFLOW, type ProposalsInput } from '../../contract/proposals.ts';
import { ProposalsRun } from './proposals-run.ts';

export async function proposeCampaigns(input: ProposalsInput): Promise<void> {
  // Under another name it would be a second voice that knows of nothing that was dismissed.
  if (workflowInfo().workflowId !== PROPOSALS_WORKFLOW) return;
  const run = new ProposalsRun(input);
  await run.load();
  for (;;) {
    await run.rest();
    await run.lookIfDue();
    await run.goOnInAnotherRun();
  }
}
