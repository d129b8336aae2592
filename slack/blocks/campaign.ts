/** A campaign's board: one line a ring, and names of those that need somebody. */
import type { CampaignView, RingView } from '../../domain/run/campaign/view.ts';
import { context, header, message, type Rendered, sections } from './kit/elements.ts';
import { mrkdwn, person } from './kit/text.ts';
import { campaignAsked, campaignTitle, moreNeed } from '../messages/run.ts';

const MARKS: Readonly<Record<RingView['state'], string>> = {
  pending: '○',
  'awaiting-approval': '🔒',
  running: '▶',
  soaking: '⏳',
  stopped: '⏹',
  complete: '✅',
  'complete-with-exceptions': '⚠',
};

export function campaignBlocks(view: CampaignView): Rendered {
  const title = campaignTitle(view);
  const rings = view.rings.map((ring) =>
    [
      `${MARKS[ring.state]} *${mrkdwn(ring.name, 60)}* ${mrkdwn(ring.line, 300)}`,
      ...ring.needs.map((need) => `      ${mrkdwn(need, 200)}`),
      ...(ring.moreCount > 0 ? [`      ${moreNeed(ring.moreCount, view.campaign)}`] : []),
    ].join('\n'),
  );
  return message(`${mrkdwn(title, 200)}: ${mrkdwn(view.headline, 300)}`, [
    header(title),
    ...sections([mrkdwn(view.headline, 1_000)]),
    ...sections(rings),
    ...context([campaignAsked(person(view.requestedBy), view.planHash, view.campaign)]),
  ]);
}
