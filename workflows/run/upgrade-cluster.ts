/** The parent workflow: one upgrade of one cluster, from inspection to report. Its id is the cluster's lock. */
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import type { UpgradeInput } from '../contract/messages.ts';
import { tellingCampaign } from './telling-campaign.ts';
import { UpgradeRun } from './upgrade-run.ts';

export async function upgradeCluster(input: UpgradeInput): Promise<UpgradeReport> {
  const run = new UpgradeRun(input);
  await run.tell(async () => {
    await run.readPolicy();
    const steps = await run.makePlan();
    await steps.untilAllowed();
    for (const step of steps.planned) {
      await steps.untilResumed(step);
      await steps.passGate(step);
      await steps.perform(step);
    }
  });
  return tellingCampaign(input, run.report());
}
