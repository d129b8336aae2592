/** The button "Restore" below what runs have left behind. */
import type { App, BlockAction } from '@slack/bolt';
import { messageOf } from '../../domain/core/unknown.ts';
import { slackError } from '../api/errors.ts';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { leftBehindBlocks, takenBlocks } from '../blocks/reconcile.ts';
import { parseReconcileValue, type ReconcileValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { onPress } from './on-press.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { restoringLeftovers } from '../messages/answers.ts';

export function registerReconcile(app: App, deps: SlackDeps): void {
  onPress(app, deps, {
    actionId: 'reconcile/apply',
    parse: parseReconcileValue,
    act: (value, actor, listener, { message }) => putBack(deps, value, actor, { listener, pressed: message }),
  });
}

/** Where it was pressed. */
interface Pressed {
  listener: Listener;
  pressed: BlockAction['message'];
}

/** The workflow says who may. What the message showed is looked for again, so a second press finds nothing. */
async function putBack(deps: SlackDeps, { cluster, roll }: ReconcileValue, by: Actor, { listener, pressed }: Pressed): Promise<void> {
  await tell(listener, says(restoringLeftovers(cluster)));
  const report = await deps.upgrades.reconcile({ cluster, requestedBy: by, apply: true, roll });
  if (report.refused !== undefined) return await tell(listener, says(report.refused));
  const result = leftBehindBlocks(cluster, report);
  const { channel } = listener;
  const thread = pressed?.ts;
  if (thread === undefined) return await tell(listener, result);
  try {
    await deps.web.chat.postMessage({ channel, thread_ts: thread, unfurl_links: false, unfurl_media: false, ...result });
  } catch (error) {
    // It is done, whatever Slack takes: the one who pressed is told what came of it.
    deps.log.warn(slackError(error, 'telling what was restored').message);
    return await tell(listener, result);
  }
  const taken = takenBlocks({ text: pressed?.text ?? '', blocks: pressed?.blocks ?? [] }, by);
  // It is done, and said in the thread; a button that stays finds nothing any more.
  await deps.web.chat
    .update({ channel, ts: thread, ...taken })
    .catch((error: unknown) => deps.log.warn(`closing the offer: ${messageOf(error)}`));
}
