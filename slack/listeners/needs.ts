/** Pages of the list of what waits for somebody. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { parsePageValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { whyRefused } from '../interaction/membership-guard.ts';
import { showNeeds } from '../requests/home/needs.ts';
import { NEEDS_ACTIONS } from '../views/needs.ts';

export function registerNeeds(app: App, deps: SlackDeps): void {
  for (const actionId of Object.values(NEEDS_ACTIONS)) {
    app.action<BlockAction<ButtonAction>>(actionId, async ({ ack, body, action }) => {
      await ack();
      const value = parsePageValue(action.value);
      const user = body.user.id;
      if (body.view === undefined || value === undefined || (await whyRefused(deps, user)) !== undefined) return;
      await showNeeds(deps, { id: body.view.id, hash: body.view.hash }, { user, page: value.page });
    });
  }
}
