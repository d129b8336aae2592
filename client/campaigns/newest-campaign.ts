/** Whether a campaign can be started or stopped now, as Temporal alone knows it: nothing is asked that could not be done. */
import { UpgradesError } from '../calls/contract.ts';
import { campaignRunning, noCampaign } from '../calls/messages.ts';
import type { Campaigns } from './campaigns.ts';

type Reading = Pick<Campaigns, 'newestRun'>;

/** Its newest run, "" where Temporal knows none. Throws UpgradesError where it is open: nothing is started beside it. */
export async function endedCampaign(campaigns: Reading, campaign: string): Promise<string> {
  const newest = await campaigns.newestRun(campaign);
  if (newest?.isOpen === true) throw new UpgradesError('already-running', campaignRunning(campaign));
  return newest?.runId ?? '';
}

/** Its run. Throws UpgradesError where it is not open. */
export async function openCampaign(campaigns: Reading, campaign: string): Promise<string> {
  const newest = await campaigns.newestRun(campaign);
  if (newest?.isOpen !== true) throw new UpgradesError('not-running', noCampaign(campaign));
  return newest.runId;
}
