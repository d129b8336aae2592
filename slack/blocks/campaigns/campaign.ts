/** A campaign's board: one line a ring; a ring's own message, with names of those that need somebody. */
import type { CampaignView } from '../../../domain/run/campaign/view.ts';
import { campaignsOpen } from '../../messages/answers.ts';
import { campaignFormButton } from '../../messages/campaigns.ts';
import { actions, button, context, header, message, type Rendered, sections } from '../kit/elements.ts';
import { mrkdwn, person } from '../kit/text.ts';
import { RING_MARKS } from './ring-mark.ts';
import { bar, when } from '../kit/time.ts';
import { capital, duration } from '../../../domain/core/text.ts';
import type { RingMessage } from '../../../domain/run/campaign/ring-message.ts';
import type { CampaignPlan } from '../../../domain/plan/campaign/types.ts';
import {
  campaignAsked,
  campaignPlanTitle,
  campaignTitle,
  moreInPlan,
  moreNeed,
  ringBegunAt,
  ringListed,
  ringPlace,
  ringPlanned,
  ringRules,
  ringTitle,
} from '../../messages/run.ts';

const NAMED = 10;
/** Of a ring's plan: the reasons of its first clusters may take more than one. */
const RING_SECTIONS = 2;

export function campaignBlocks(view: CampaignView): Rendered {
  const title = campaignTitle(view);
  return message(`${mrkdwn(title, 200)}: ${mrkdwn(view.headline, 300)}`, [
    header(title),
    ...sections([mrkdwn(view.headline, 1_000)]),
    ...sections(campaignLines(view), 3),
    ...context([campaignAsked(person(view.requestedBy), mrkdwn(view.planHash, 40), mrkdwn(view.campaign, 60))]),
  ]);
}

/** One for each ring. */
export function campaignLines({ rings, campaign }: Pick<CampaignView, 'rings' | 'campaign'>): string[] {
  return rings.map((ring) =>
    [
      `${RING_MARKS[ring.state]} *${mrkdwn(ring.name, 60)}* ${mrkdwn(ring.line, 300)}`,
      ...ring.needs.map((need) => `      ${mrkdwn(need, 200)}`),
      ...(ring.moreCount > 0 ? [`      ${moreNeed(ring.moreCount, mrkdwn(campaign, 60))}`] : []),
    ].join('\n'),
  );
}

/** Edited in place as long as its clusters run. */
export function ringBlocks(ring: RingMessage): Rendered {
  const { campaign, target, place, ofCount, attempt, why, parallel, soak, startedAt, listed } = ring;
  const title = ringTitle({ ring: mrkdwn(ring.name, 60), campaign: mrkdwn(campaign, 60), target: mrkdwn(target, 20), attempt });
  return message(`${title}: ${mrkdwn(ring.line, 300)}`, [
    ...sections([
      `${RING_MARKS[ring.state]} *${title}*`,
      `${bar(ring.doneCount, ring.clusterCount)} ${mrkdwn(ring.line, 500)}`,
      ...(why === undefined ? [] : [mrkdwn(`${capital(why)}.`, 500)]),
      ...ring.needs.map((need) => `      ${mrkdwn(need, 200)}`),
      ...(ring.moreCount > 0 ? [`      ${moreNeed(ring.moreCount, mrkdwn(campaign, 60))}`] : []),
    ]),
    ...context([
      [
        ringPlace(place, ofCount),
        ringRules(parallel, mrkdwn(soak, 40)),
        ringBegunAt(when(startedAt)),
        ...(listed ? [ringListed()] : []),
      ].join(' · '),
    ]),
  ]);
}

/** Opens a form for campaigns. */
export const CAMPAIGN_FORM_ACTION = 'campaign/form';

/** `named`: belay.yaml names campaigns, so that there is something to plan or start. */
export function openCampaignsBlocks(names: readonly string[], named: boolean): Rendered {
  const text = mrkdwn(campaignsOpen(names), 2_000);
  const opens = button({ actionId: CAMPAIGN_FORM_ACTION, label: campaignFormButton(), value: {} });
  return message(text, [...sections([text]), ...(named && opens !== undefined ? actions([opens]) : [])]);
}

/** What a campaign would do, before it is started. */
export function campaignPlanBlocks(plan: CampaignPlan): Rendered {
  const rings = plan.rings.map(({ name, members, parallel, failures, succeed, soakMs }) => {
    const going = members.filter(({ verdict }) => verdict.kind === 'upgrade').length;
    const not = members.flatMap(({ cluster, verdict }) =>
      'why' in verdict ? [`      ${mrkdwn(cluster.name, 100)}: ${mrkdwn(verdict.why, 200)}`] : [],
    );
    const numbers = ringPlanned({ name: mrkdwn(name, 60), going, of: members.length, parallel, failures, succeed, soak: duration(soakMs) });
    return [
      numbers,
      ...not.slice(0, NAMED),
      ...(not.length > NAMED ? [`      ${moreInPlan(not.length - NAMED, mrkdwn(plan.campaign, 60))}`] : []),
    ];
  });
  const title = campaignPlanTitle(plan.campaign, plan.target, plan.hash);
  const problems = [
    ...plan.problems.map((problem) => `❌ ${mrkdwn(problem, 300)}`),
    ...plan.warnings.map((warning) => `⚠ ${mrkdwn(warning, 300)}`),
  ];
  return message(mrkdwn(title, 200), [header(title), ...sections(problems), ...rings.flatMap((lines) => sections(lines, RING_SECTIONS))]);
}
