/** What a campaign goes by: belay.yaml as it is when a run of it begins, or what the run before went by. */
import { ApplicationFailure } from '@temporalio/common';
import { isCancellation, workflowInfo } from '@temporalio/workflow';
import { notOfFile } from '../../../domain/plan/campaign/of-file.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { CampaignInput } from '../../contract/campaign.ts';
import { planNotOfFile } from '../../messages/campaigns.ts';
import { configActivities } from '../../runtime/activity-proxies.ts';
import { messageOf } from '../../runtime/root-cause.ts';

/**
 * `unread`: why belay.yaml could not be read; a bad edit must not end what is under way. `altered`: why a campaign that begins with this plan does not: the
 * file has not made it.
 */
export async function readSettings(input: CampaignInput): Promise<{ policy: UpgradePolicy; unread?: string; altered?: string }> {
  const { campaign, plan, carried } = input;
  const [first] = plan.rings.flatMap(({ members }) => members);
  if (first === undefined) throw ApplicationFailure.nonRetryable(`campaign ${campaign} has no cluster`, 'Configuration');
  // Gates ask by whose word somebody is known: any cluster's region will do.
  const { network: _network, ...cluster } = first.cluster;
  try {
    const { policy, ...file } = await configActivities.loadCampaign({ campaign: plan.rollbackOf?.campaign ?? campaign });
    const why = notOfFile(plan, file);
    return { policy: { ...policy, cluster }, ...(why === undefined ? {} : { altered: planNotOfFile(why) }) };
  } catch (error) {
    // Whoever starts the workflow anew could name any.
    const known = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : carried?.policy;
    if (known === undefined || isCancellation(error)) throw error;
    return { policy: known, unread: messageOf(error) };
  }
}
