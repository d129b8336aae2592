/** Which open campaigns somebody is shown outside of a channel: those whose channel they are in. */
import { rollbackOfName } from '../../domain/plan/campaign/plan-rollback.ts';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { SlackDeps } from './deps.ts';
import { failureSentence } from './failure-text.ts';
import { channelMembersUnread } from '../messages/refusals.ts';
import { campaignsNotInFile } from '../messages/home.ts';

/** What takes a ring back is shown as its campaign is, whose channel and rules it has, by a name of its own. Never throws. One without a channel is nobody's; what cannot be read is not shown, and `unread` says so. */
export async function visibleCampaigns(deps: SlackDeps, user: string): Promise<{ open: CampaignPolicy[]; unread: string[] }> {
  const { campaigns, clusters, channels, log } = deps;
  let names: string[];
  try {
    names = await campaigns.list();
  } catch (error) {
    return { open: [], unread: [failureSentence(error, log, 'listing campaigns for the App Home')] };
  }
  const campaignOf = (name: string): string => rollbackOfName(name)?.campaign ?? name;
  const known = clusters
    .campaigns()
    .flatMap((policy) => names.filter((name) => campaignOf(name) === policy.name).map((name): CampaignPolicy => ({ ...policy, name })));
  const unread = new Set<string>();
  // Whose channel is not known is shown to nobody, by name neither.
  if (known.length < names.length) unread.add(campaignsNotInFile(names.length - known.length));
  const open: CampaignPolicy[] = [];
  for (const campaign of known) {
    const { channel } = campaign;
    if (channel === undefined) continue;
    try {
      if (await channels.isMember(channel, user)) open.push(campaign);
    } catch (error) {
      log.warn(messageOf(error));
      unread.add(channelMembersUnread(channel));
    }
  }
  return { open, unread: [...unread] };
}
