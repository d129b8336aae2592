/** `/eks-upgrade campaign [VERB NAME [RING]]`. */
import { campaignNeedsName, notACampaignVerb, unexpectedArgument } from '../messages/commands.ts';

export const CAMPAIGN_VERBS = ['plan', 'start', 'status', 'pause', 'resume', 'stop', 'retry'] as const;
export type CampaignVerbText = (typeof CAMPAIGN_VERBS)[number];

/** `list`: the campaigns that are open; it names none. */
export interface CampaignCommandText {
  kind: 'campaign';
  verb: CampaignVerbText | 'list';
  campaign: string;
  ring?: string;
}

/** The problem in one sentence, where it cannot be understood. */
export function parseCampaign(words: readonly string[]): CampaignCommandText | string {
  const [first, campaign, ring, extra] = words;
  if (first === undefined) return { kind: 'campaign', verb: 'list', campaign: '' };
  const verb = CAMPAIGN_VERBS.find((known) => known === first.toLowerCase());
  if (verb === undefined) return notACampaignVerb(first, CAMPAIGN_VERBS);
  if (campaign === undefined) return campaignNeedsName(verb);
  const surplus = verb === 'retry' ? extra : ring;
  if (surplus !== undefined) return unexpectedArgument(surplus);
  return { kind: 'campaign', verb, campaign, ...(ring === undefined ? {} : { ring }) };
}
