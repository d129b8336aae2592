/** Review: a gate's modal over the App Home or over the list of what waits, its choices, and the form for a reason. */
import type { App, BlockAction, ButtonAction, ViewOutput } from '@slack/bolt';
import { REVIEW_OPENS } from '../blocks/home.ts';
import {
  type GateValue,
  parseGateValue,
  parseReviewMetadata,
  parseReviewReason,
  parseReviewValue,
  type ReviewPlace,
} from '../blocks/kit/button-values.ts';
import { REVIEW_CHOICES } from '../blocks/open-gate.ts';
import { slackError } from '../api/errors.ts';
import { actorOf } from '../interaction/actor.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { buttonUnreadable, formNotOpened } from '../messages/refusals.ts';
import type { HomePublisher } from '../requests/home/publisher.ts';
import { decideInReview, openReview, takeReview } from '../requests/home/review.ts';
import { NO_REASON, reasonOf } from '../views/fields.ts';
import { REVIEW_REASON_CALLBACK, reviewReasonView } from '../views/review.ts';

const PRESS_AGAIN = 'Press the button again.';

export function registerReview(app: App, deps: SlackDeps, publisher: HomePublisher): void {
  const say = async (user: string, text: string): Promise<void> => void (await publisher.publish(user, { say: text }));
  app.action<BlockAction<ButtonAction>>(startsWith(REVIEW_OPENS), async ({ ack, action, body }) => {
    await ack();
    const { user, trigger_id: triggerId, view } = body;
    const value = parseReviewValue(action.value);
    if (value === undefined) return await say(user.id, buttonUnreadable());
    const isOpen = await openReview(deps, value, { triggerId, user: user.id, over: view?.type === 'modal' });
    if (!isOpen) await say(user.id, formNotOpened('with the gate', PRESS_AGAIN));
  });
  app.action<BlockAction<ButtonAction>>(startsWith(REVIEW_CHOICES), async ({ ack, action, body }) => {
    await ack();
    const { user, trigger_id: triggerId, view } = body;
    const value = parseGateValue(action.value);
    const place = placeOf(view);
    if (value === undefined || action.action_id !== `${REVIEW_CHOICES}${value.choice}` || place === undefined)
      return await say(user.id, buttonUnreadable());
    const { ask, ...decision } = value;
    if (ask !== undefined) {
      const isOpen = await askReason(deps, triggerId, { ...decision, place }, ask);
      return isOpen ? undefined : await say(user.id, formNotOpened('for the reason', PRESS_AGAIN));
    }
    if (await takeReview(deps, place, view?.hash)) await decideInReview(deps, publisher, decision, { actor: actorOf(body), place });
  });
  app.view({ type: 'view_submission', callback_id: REVIEW_REASON_CALLBACK }, async ({ ack, body, view }) => {
    const reason = reasonOf(view.state.values);
    if (reason === undefined) return await ack({ response_action: 'errors', errors: NO_REASON });
    // Goes back to the gate, which says what became of it.
    await ack();
    const metadata = parseReviewReason(view.private_metadata);
    if (metadata === undefined) return await say(body.user.id, buttonUnreadable());
    const { place, ...decision } = metadata;
    await takeReview(deps, place, undefined);
    await decideInReview(deps, publisher, { ...decision, reason }, { actor: actorOf(body), place });
  });
}

const startsWith = (prefix: string): { type: 'block_actions'; action_id: RegExp } => ({
  type: 'block_actions',
  action_id: new RegExp(`^${prefix}`),
});

/** undefined: no modal of a gate. */
function placeOf(view: ViewOutput | undefined): ReviewPlace | undefined {
  const metadata = parseReviewMetadata(view?.private_metadata);
  if (view === undefined || metadata === undefined) return undefined;
  const { title, page } = metadata;
  const below = view.previous_view_id;
  return { view: view.id, title, ...(page === undefined || below === null ? {} : { list: { view: below, page } }) };
}

async function askReason(
  deps: SlackDeps,
  triggerId: string,
  decision: Omit<GateValue, 'ask'> & { place: ReviewPlace },
  ask: NonNullable<GateValue['ask']>,
): Promise<boolean> {
  const view = reviewReasonView(decision, ask);
  if (view === undefined) return false;
  try {
    await deps.web.views.push({ trigger_id: triggerId, view });
    return true;
  } catch (error) {
    deps.log.warn(slackError(error, 'asking for a reason').message);
    return false;
  }
}
