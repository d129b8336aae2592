/** A campaign that says what it was started with, and does nothing. */
import { condition, setHandler } from '@temporalio/workflow';
import { type CampaignStatus, campaignStatus } from '../../../../workflows/contract/campaign.ts';

export async function runCampaign(status: CampaignStatus): Promise<void> {
  setHandler(campaignStatus, () => status);
  await condition(() => false);
}
