/** Equal gates: both buttons of their message open the list, one of them to approve it. */
import type { App } from '@slack/bolt';
import { BUNDLE_ACTIONS } from '../../blocks/campaigns/bundle.ts';
import { parseBundleMetadata, parseBundleValue } from '../../blocks/kit/button-values.ts';
import { actorOf } from '../../interaction/actor.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { failureSentence } from '../../interaction/failure-text.ts';
import { whyRefused } from '../../interaction/membership-guard.ts';
import { says } from '../../interaction/reply.ts';
import { takenOnce } from '../../interaction/take-once.ts';
import { sendingVotes } from '../../messages/bundles.ts';
import { formUnreadable } from '../../messages/refusals.ts';
import { approveBundle, openBundle, showBundle } from '../../requests/bundle.ts';
import { BUNDLE_CALLBACK, bundleWords } from '../../views/bundle.ts';
import { onPress } from '../on-press.ts';

export function registerBundles(app: App, deps: SlackDeps): void {
  for (const [actionId, asks] of [
    [BUNDLE_ACTIONS.approve, true],
    [BUNDLE_ACTIONS.list, false],
  ] as const)
    onPress(app, deps, {
      actionId,
      parse: parseBundleValue,
      // A trigger id opens one form: docs.slack.dev/reference/methods/views.open
      showsOnly: true,
      act: async (value, _actor, listener, { trigger_id: triggerId }) => {
        const { channel, thread } = listener;
        await openBundle(deps, listener, { ...value, channel, ...(thread === undefined ? {} : { thread }), asks, page: 1 }, triggerId);
      },
    });
  for (const actionId of [BUNDLE_ACTIONS.back, BUNDLE_ACTIONS.on])
    onPress(app, deps, {
      actionId,
      parse: parseBundleMetadata,
      showsOnly: true,
      act: async (metadata, _actor, _listener, body) => {
        if (body.view !== undefined) await showBundle(deps, body.view.id, metadata);
      },
    });
  app.view({ type: 'view_submission', callback_id: BUNDLE_CALLBACK }, async ({ ack, body, view }) => {
    const metadata = parseBundleMetadata(view.private_metadata);
    const refused = metadata === undefined || !metadata.asks ? formUnreadable() : await whyRefused(deps, body.user.id);
    if (metadata === undefined || refused !== undefined)
      return await ack({ response_action: 'update', view: bundleWords(says(refused ?? formUnreadable())) });
    await ack({ response_action: 'update', view: bundleWords(says(sendingVotes())) });
    const actor = actorOf(body);
    try {
      // A form is sent once, however often Slack delivers it.
      if (!(await takenOnce(deps, view.id, actor))) return;
    } catch (error) {
      const words = bundleWords(says(failureSentence(error, deps.log, 'taking the form of equal gates')));
      return void (await deps.web.views.update({ view_id: view.id, view: words }));
    }
    await approveBundle(deps, { viewId: view.id, metadata, actor });
  });
}
