/** A campaign's plan with dates that are laid into the windows of belay.yaml as it is here. */
import type { CampaignPlan } from '../../domain/plan/campaign/types.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { renderCampaignPlan } from '../render/campaign.ts';

export async function campaignPlanText(config: Config): Promise<(plan: CampaignPlan) => string> {
  const { windowFits } = await import('../../worker/local/window-fits.ts');
  const fits = windowFits(config);
  return (plan) => renderCampaignPlan(plan, fits);
}
