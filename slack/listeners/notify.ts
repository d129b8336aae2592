/** Buttons that turn direct messages about gates on and off: on the App Home, and on the message by which somebody asked for them. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { NOTIFY_ACTIONS } from '../blocks/home.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { setDirect } from '../requests/home/direct.ts';
import type { HomePublisher } from '../requests/home/publisher.ts';

export function registerNotify(app: App, deps: SlackDeps, publisher: HomePublisher): void {
  for (const [to, actionId] of Object.entries(NOTIFY_ACTIONS)) {
    app.action<BlockAction<ButtonAction>>(actionId, async ({ ack, body }) => {
      await ack();
      // Always of whoever presses, whatever the button says.
      const user = body.user.id;
      if ((await whyRefused(deps, user)) !== undefined) return void (await publisher.publish(user));
      await publisher.publish(user, { say: await setDirect(deps, user, to === 'on') });
    });
  }
}
