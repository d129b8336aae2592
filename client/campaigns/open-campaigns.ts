/** Open campaigns with their states, for overviews and metrics. Temporal says which are open; each workflow says its state, if a worker answers. */
import type { Client } from '@temporalio/client';
import { rollbackOfName } from '../../domain/plan/campaign/plan-rollback.ts';
import { campaignNameOf, type CampaignStatus, campaignStatus, campaignWorkflowId } from '../../workflows/contract/campaign.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { campaignSilent } from '../calls/messages.ts';
import { answerOf } from '../reading/query-status.ts';
import { isTimeout, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';
import { IS_OPEN } from '../calls/open.ts';

/** Whoever may start workflows may have started any number. */
const ASKED = 20;

/** `since`: ISO 8601, when the run began that is open now; a campaign goes on in many. */
export type OpenCampaign = { name: string; since: string } & ({ status: CampaignStatus } | { why: string });

/** Reads on each call, those of `first` and what takes their rings back before all others: those of belay.yaml. What does not answer says why. Throws UpgradesError. */
export function createOpenCampaigns(client: Client): (first: Iterable<string>) => Promise<OpenCampaign[]> {
  return async (first) => {
    const known = new Set(first);
    const isKnown = ({ name }: { name: string }): boolean => known.has(rollbackOfName(name)?.campaign ?? name);
    try {
      const open = await listOpen(client);
      const inOrder = open.toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)) || a.name.localeCompare(b.name));
      return await Promise.all(
        inOrder.map(async (each, index): Promise<OpenCampaign> => {
          if (index >= ASKED) return { ...each, why: `only ${ASKED} campaigns are asked at a time` };
          try {
            return { ...each, status: await answerOf(client, campaignWorkflowId(each.name), campaignStatus) };
          } catch (error) {
            return { ...each, why: isTimeout(error) ? campaignSilent() : translate(client, error).message };
          }
        }),
      );
    } catch (error) {
      throw translate(client, error);
    }
  };
}

/** Names, each once, and since when their present run is open. Rejects as Temporal does. */
export async function listOpen(client: Client): Promise<{ name: string; since: string }[]> {
  const query = `WorkflowType = '${WORKFLOWS.campaign}' AND ${IS_OPEN}`;
  return await within(client, SERVER_LIMIT_MS, async () => {
    const found = new Map<string, { name: string; since: string }>();
    for await (const { workflowId, startTime } of client.workflow.list({ query })) {
      const name = campaignNameOf(workflowId);
      // Between two runs of one campaign visibility may have both.
      if (name !== undefined && !found.has(name)) found.set(name, { name, since: startTime.toISOString() });
    }
    return [...found.values()];
  });
}
