/** A campaign's current details in Temporal UI, as Markdown. */
import { campaignView, memberText } from '../../domain/run/campaign/view.ts';
import { membersOf } from '../../domain/run/campaign/state.ts';
import type { CampaignStatus } from '../contract/campaign.ts';

/** Of the ring that is worked on; a page of a thousand lines nobody reads. */
const LISTED = 50;

export function campaignDetails(status: CampaignStatus): string {
  const view = campaignView(status);
  const ring = status.plan.rings[status.state.ring];
  const members = ring === undefined ? [] : membersOf(status.state, ring).slice(0, LISTED);
  return [
    `**${view.campaign} to ${view.target}**: ${view.headline} ${view.arrivedCount} of ${view.clusterCount} clusters have arrived.`,
    view.rings.map(({ name, state, line }) => `- ${name} (${state}): ${line}`).join('\n'),
    members.map(({ member, is }) => `- ${member.cluster.name}: ${memberText(is)}`).join('\n'),
  ].join('\n\n');
}
