/** A gate opened from the App Home or from the list of what waits: shown as it is now, and decided for exactly what was shown. */
import type { ModalView } from '@slack/types';
import type { Actor } from '../../../domain/gates/actor.ts';
import { campaignNameOf } from '../../../workflows/contract/campaign.ts';
import { clusterNameOf } from '../../../workflows/contract/ids.ts';
import { slackError } from '../../api/errors.ts';
import type { GateValue, ReviewPlace, ReviewValue } from '../../blocks/kit/button-values.ts';
import type { Rendered } from '../../blocks/kit/elements.ts';
import { link, mrkdwn } from '../../blocks/kit/text.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { failureSentence } from '../../interaction/failure-text.ts';
import { whyRefused } from '../../interaction/membership-guard.ts';
import { gateUrl } from '../../interaction/message-links.ts';
import { type ReadGate, readGate } from '../../interaction/open-gate.ts';
import { type Listener, marked, says } from '../../interaction/reply.ts';
import { sendAndTell } from '../../interaction/send-and-reply.ts';
import { visibleCampaigns } from '../../interaction/visible-campaigns.ts';
import { gateNotOpen, recordingVote } from '../../messages/gates.ts';
import { gateUnseen, notInChannelOf } from '../../messages/refusals.ts';
import { reviewReading, reviewView, reviewWords } from '../../views/review.ts';
import { notOwn } from '../upgrade-form.ts';
import { showNeeds } from './needs.ts';
import type { HomePublisher } from './publisher.ts';

/** `over`: a modal is open already. false: Slack did not open it in time. */
export async function openReview(
  deps: SlackDeps,
  asked: ReviewValue,
  { triggerId, user, over }: { triggerId: string; user: string; over: boolean },
): Promise<boolean> {
  const { views } = deps.web;
  let viewId: string;
  try {
    // A trigger lasts three seconds: docs.slack.dev/interactivity/handling-user-interaction
    const opening = { trigger_id: triggerId, view: reviewReading() };
    const { view } = over ? await views.push(opening) : await views.open(opening);
    viewId = view?.id ?? '';
  } catch (error) {
    deps.log.warn(slackError(error, 'opening a gate for review').message);
    return false;
  }
  await show(deps, viewId, await reviewOf(deps, asked, user));
  return true;
}

/** Replaces the buttons by words. false: a press on the same view came first, and decides. */
export async function takeReview(deps: SlackDeps, { view, title }: ReviewPlace, hash: string | undefined): Promise<boolean> {
  return (await show(deps, view, reviewWords(says(recordingVote()), title), hash)) !== 'changed';
}

/** Never throws. `decision`: what the pressed button carries; the workflow judges whether it is still what is asked there, and who may. */
export async function decideInReview(
  deps: SlackDeps,
  publisher: HomePublisher,
  decision: Omit<GateValue, 'ask'> & { reason?: string },
  { actor, place }: { actor: Actor; place: ReviewPlace },
): Promise<void> {
  const { id: user } = actor;
  const { view, title, list } = place;
  let isOnHome = false;
  const answer = async (told: Rendered): Promise<boolean> => {
    if ((await show(deps, view, reviewWords(told, title))) === 'shown') return true;
    isOnHome = await publisher.publish(user, { say: told.text });
    return isOnHome;
  };
  const refusal = await whyNot(deps, decision.workflowId, user);
  if (refusal !== undefined) return void (await answer(refusal));
  // Without a channel: what does not fit into the modal, since it is closed, is said on the Home.
  const listener: Listener = { web: deps.web, log: deps.log, channel: user, user, show: answer };
  await sendAndTell(deps, listener, () => deps.upgrades.decide({ ...decision, actor }));
  if (list !== undefined) await showNeeds(deps, { id: list.view }, { user, page: list.page });
  // What was just said there would be gone with the next Home.
  if (!isOnHome) await publisher.publish(user, { changed: true });
}

async function reviewOf(deps: SlackDeps, asked: ReviewValue, user: string): Promise<ModalView> {
  const refusal = await whyNot(deps, asked.workflowId, user);
  if (refusal !== undefined) return reviewWords(refusal);
  const unseen = (why: string): ModalView => reviewWords(says(gateUnseen(nameOf(asked.workflowId), why)));
  let read: ReadGate;
  try {
    read = await readGate(deps, asked);
  } catch (error) {
    return unseen(failureSentence(error, deps.log, `reading gate ${asked.gate}`));
  }
  switch (read.kind) {
    case 'open':
      return reviewView(read.gate, { run: read.run, user, page: asked.page });
    case 'closed':
      return reviewWords(marked(gateNotOpen(await threadOf(deps, asked))));
    case 'unread':
      return unseen(read.why);
  }
}

const nameOf = (workflowId: string): string => campaignNameOf(workflowId) ?? clusterNameOf(workflowId);

/** Of people who may not see it, by the same rules as the Home; asked again with each press, since people leave channels. */
async function whyNot(deps: SlackDeps, workflowId: string, user: string): Promise<Rendered | undefined> {
  const outsider = await whyRefused(deps, user);
  if (outsider !== undefined) return says(outsider);
  const campaign = campaignNameOf(workflowId);
  if (campaign === undefined) {
    const why = await notOwn(deps, clusterNameOf(workflowId), user);
    return why === undefined ? undefined : marked(why);
  }
  const { open, unread } = await visibleCampaigns(deps, user);
  if (open.some(({ name }) => name === campaign)) return undefined;
  return marked(unread[0] ?? notInChannelOf(mrkdwn(campaign, 100)));
}

/** "" where it is not known. */
async function threadOf(deps: SlackDeps, { workflowId, gate, run }: ReviewValue): Promise<string> {
  const channel = channelOf(deps, workflowId);
  if (channel === undefined || run === undefined) return '';
  // The thread is the run's, whichever of its workflows waits.
  const root = campaignNameOf(workflowId) === undefined ? workflowId.split('/').slice(0, 4).join('/') : workflowId;
  const url = await gateUrl(deps, channel, { workflowId: root, runId: run }, gate);
  return url === undefined ? '' : link(url, 'Its thread');
}

function channelOf({ clusters }: SlackDeps, workflowId: string): string | undefined {
  const campaign = campaignNameOf(workflowId);
  if (campaign !== undefined) return clusters.campaigns().find(({ name }) => name === campaign)?.channel;
  try {
    return clusters.channelOf(clusterNameOf(workflowId));
  } catch {
    return undefined;
  }
}

/** `changed`: since `hash`. `closed`: it is not there any more, or Slack does not take it. */
async function show(deps: SlackDeps, viewId: string, view: ModalView, hash?: string): Promise<'shown' | 'changed' | 'closed'> {
  try {
    await deps.web.views.update({ view_id: viewId, view, hash });
    return 'shown';
  } catch (error) {
    const { code, message } = slackError(error, 'showing a gate for review');
    if (code === 'hash_conflict') return 'changed';
    if (code !== 'not_found') deps.log.warn(message);
    return 'closed';
  }
}
