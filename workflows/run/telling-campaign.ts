/** What a run has to do with the campaign that it belongs to. A run without one does nothing of it. */
import { SIGNATURE_SCHEME } from '../../domain/gates/identity-proof.ts';
import type { CampaignRun } from '../../domain/plan/campaign/types.ts';
import { campaignWorkflowId, memberEnded } from '../contract/campaign.ts';
import type { UpgradeInput } from '../contract/messages.ts';
import { signalIfRunning } from '../runtime/signal-if-running.ts';

/**
 * The campaign's ring whose approval stands for the first gate: only where the start, whose proof the run has verified, is signed by a key of
 * signing.publicKeys, as the campaign's worker signs it. Whoever may start a run, by AWS or by a command line that nobody verifies, could name any ring.
 */
export const coverOf = ({ campaign, proof = '' }: Pick<UpgradeInput, 'campaign' | 'proof'>): CampaignRun | undefined =>
  campaign?.coversStart === true && proof.startsWith(`${SIGNATURE_SCHEME}:`) ? campaign : undefined;

/** However the run ends, its campaign looks at once; one that hears nothing looks all the same. */
export function tellingCampaign<T>(input: UpgradeInput, ended: Promise<T>): Promise<T> {
  return input.campaign === undefined ? ended : told(input.cluster.name, campaignWorkflowId(input.campaign.name), ended);
}

async function told<T>(cluster: string, campaign: string, ended: Promise<T>): Promise<T> {
  try {
    return await ended;
  } finally {
    await signalIfRunning(campaign, memberEnded, { cluster });
  }
}
