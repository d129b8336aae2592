/** Campaigns on the App Home: a line each, and one in small print for each ring; never their clusters. */
import type { KnownBlock } from '@slack/types';
import type { CampaignView, RingView } from '../../../domain/run/campaign/view.ts';
import { context, header, sections } from '../kit/elements.ts';
import { link, mrkdwn } from '../kit/text.ts';
import { RING_MARKS } from './ring-mark.ts';
import { campaignOnHome, earlierRings, laterRings, moreCampaigns, openCampaigns } from '../../messages/home.ts';

export interface HomeCampaign {
  view: CampaignView;
  /** Of its thread. */
  url?: string;
}

/** Of each campaign: the ring before the one that is worked on, that one, and those after it. */
const RINGS = 6;

/** Nothing where none is open. */
export function campaignsOnHome(campaigns: readonly HomeCampaign[], moreCount: number): KnownBlock[] {
  if (campaigns.length === 0 && moreCount === 0) return [];
  return [
    header(`${openCampaigns()} (${campaigns.length + moreCount})`),
    ...campaigns.flatMap(({ view, url }) => [
      ...sections([`${heading(view)}${url === undefined ? '' : ` · ${link(url, 'Open the thread')}`}`]),
      // One text: elements of their own would stand beside each other.
      ...context([ringLines(view.rings).join('\n')]),
    ]),
    ...context([moreCount > 0 ? moreCampaigns(moreCount) : '']),
  ];
}

function heading({ campaign, target, headline, arrivedCount, clusterCount }: CampaignView): string {
  return campaignOnHome(mrkdwn(campaign, 60), { target: mrkdwn(target, 20), headline: mrkdwn(headline, 300), arrivedCount, clusterCount });
}

function ringLines(rings: readonly RingView[]): string[] {
  const current = rings.findIndex(({ state }) => state !== 'complete' && state !== 'complete-with-exceptions');
  const wanted = Math.max(0, (current === -1 ? rings.length : current) - 1);
  const first = Math.max(0, Math.min(wanted, rings.length - RINGS));
  const shown = rings.slice(first, first + RINGS);
  const after = rings.length - first - shown.length;
  return [
    ...(first > 0 ? [earlierRings(first)] : []),
    ...shown.map(({ name, state, line }) => `${RING_MARKS[state]} *${mrkdwn(name, 60)}* ${mrkdwn(line, 300)}`),
    ...(after > 0 ? [laterRings(after)] : []),
  ];
}
