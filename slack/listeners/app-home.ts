/** Publishes the App Home when somebody opens it, and again when they press Refresh. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { actorOf } from '../interaction/actor.ts';
import { HOME_ACTIONS } from '../blocks/home.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { openNeeds } from '../requests/home/needs.ts';
import { HomePublisher } from '../requests/home/publisher.ts';
import { openUpgradeForm } from '../requests/upgrade-form.ts';
import { formNotOpened } from '../messages/refusals.ts';
import { registerNotify } from './notify.ts';
import { registerReview } from './review.ts';

const PRESS_AGAIN = 'Press the button again.';

export function registerHome(app: App, deps: SlackDeps): void {
  const publisher = new HomePublisher(deps);
  registerReview(app, deps, publisher);
  registerNotify(app, deps, publisher);
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') await publisher.publish(event.user);
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.refresh, async ({ ack, body }) => {
    await ack();
    await publisher.publish(body.user.id, { anew: true });
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.start, async ({ ack, body }) => {
    await ack();
    const user = body.user.id;
    // There is no channel to answer in: what cannot be done is said by the Home itself.
    const show = ({ text }: Rendered): Promise<boolean> => publisher.publish(user, { say: text });
    const listener = { web: deps.web, log: deps.log, channel: user, user, show };
    if ((await whyRefused(deps, user)) !== undefined) return void (await publisher.publish(user));
    await openUpgradeForm(deps, { triggerId: body.trigger_id, actor: actorOf(body), listener });
  });
  app.action<BlockAction<ButtonAction>>(HOME_ACTIONS.needs, async ({ ack, body }) => {
    await ack();
    const user = body.user.id;
    if ((await whyRefused(deps, user)) !== undefined) return void (await publisher.publish(user));
    const isOpen = await openNeeds(deps, { triggerId: body.trigger_id, user });
    if (!isOpen) await publisher.publish(user, { say: formNotOpened('with what waits for you', PRESS_AGAIN) });
  });
}
