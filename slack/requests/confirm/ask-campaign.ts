/** What is asked before a typed command starts or stops a campaign, or takes a ring back. */
import { endedCampaign, openCampaign } from '../../../client/campaigns/newest-campaign.ts';
import {
  campaignStartMeans,
  campaignStartTitle,
  campaignStopMeans,
  campaignStopTitle,
  campaignUnseen,
  ringRollbackMeans,
  ringRollbackTitle,
} from '../../../client/calls/questions.ts';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { rollbackName } from '../../../domain/plan/campaign/plan-rollback.ts';
import { campaignView } from '../../../domain/run/campaign/view.ts';
import { campaignLines } from '../../blocks/campaigns/campaign.ts';
import type { QuestionValue } from '../../blocks/kit/button-values.ts';
import type { Rendered } from '../../blocks/kit/elements.ts';
import { mrkdwn } from '../../blocks/kit/text.ts';
import type { Question } from '../../blocks/question.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { sentenceOf } from '../../interaction/failure-text.ts';
import { says } from '../../interaction/reply.ts';
import { campaignUnknown, noSuchRing } from '../../messages/campaigns.ts';
import {
  campaignStopIsFinal,
  campaignStopLabel,
  canBeStopped,
  rollbackLabel,
  ringRollbackUndo,
  startLabel,
} from '../../messages/questions.ts';
import type { CampaignCommandText } from '../commands/parse-campaign.ts';

export interface Asked {
  question: Question;
  deed: QuestionValue['deed'];
}

export type ConfirmedCampaign = CampaignCommandText & { verb: 'start' | 'rollback' | 'stop' };

/** Undefined: what the campaign is told is undone by its opposite, or changes nothing. */
export function campaignToConfirm(parsed: CampaignCommandText): ConfirmedCampaign | undefined {
  const { verb } = parsed;
  return verb === 'start' || verb === 'rollback' || verb === 'stop' ? { ...parsed, verb } : undefined;
}

/** A sentence where there is no such campaign or ring. Throws UpgradesError where it is open already, or, with stop, not open. */
export async function campaignQuestion(deps: SlackDeps, { verb, campaign, ring = '' }: ConfirmedCampaign): Promise<Asked | Rendered> {
  if (verb === 'stop') return await stopOf(deps, campaign);
  const policy = deps.clusters.campaigns().find(({ name }) => name === campaign);
  if (policy === undefined) return says(campaignUnknown(campaign));
  const rings = policy.rings.map(({ name }) => name);
  if (verb === 'rollback' && !rings.includes(ring)) return says(noSuchRing(ring, campaign, rings));
  const runs = verb === 'start' ? campaign : rollbackName(campaign, ring);
  const since = await endedCampaign(deps.campaigns, runs);
  const name = mrkdwn(campaign, 100);
  if (verb === 'rollback') {
    const question: Question = {
      title: ringRollbackTitle(campaign, ring),
      lines: [ringRollbackMeans()],
      small: [ringRollbackUndo(name, mrkdwn(runs, 200))],
      label: rollbackLabel(),
      style: 'primary',
    };
    return { question, deed: { kind: 'campaign rollback', campaign, ring, since } };
  }
  const question: Question = {
    title: campaignStartTitle(campaign, policy.target),
    lines: [campaignStartMeans(mrkdwn(rings[0] ?? '', 100))],
    small: [canBeStopped(name)],
    label: startLabel(),
    style: 'primary',
  };
  return { question, deed: { kind: 'campaign start', campaign, since } };
}

async function stopOf({ campaigns }: SlackDeps, campaign: string): Promise<Asked> {
  const run = await openCampaign(campaigns, campaign);
  const question: Question = {
    title: campaignStopTitle(campaign),
    lines: [...(await whereItIs(campaigns, campaign)), campaignStopMeans()],
    small: [campaignStopIsFinal(mrkdwn(campaign, 100))],
    label: campaignStopLabel(),
    style: 'danger',
  };
  return { question, deed: { kind: 'campaign stop', campaign, run } };
}

/** A stop is kept for a worker; only what it would end is not seen then. */
async function whereItIs(campaigns: SlackDeps['campaigns'], campaign: string): Promise<string[]> {
  try {
    const view = campaignView(await campaigns.status(campaign));
    return [mrkdwn(view.headline, 500), ...campaignLines(view)];
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    return [campaignUnseen(mrkdwn(sentenceOf(error), 500))];
  }
}
