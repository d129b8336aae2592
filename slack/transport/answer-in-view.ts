/** What is told of a press in a modal or on the App Home, which come without a response url: in a modal over it. */
import type { AnyMiddlewareArgs } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Log } from '../api/log.ts';
import { tooManyTitle } from '../messages/refusals.ts';

/**
 * Pushed, so that what was entered below stays as it is, whatever earlier presses still change there. A modal holds three views
 * (docs.slack.dev/surfaces/modals); none that Belay opens as the third has a button that is refused. Nothing where the press was in no view. Never rejects.
 */
export async function answerInView(web: Pick<WebClient, 'views'>, body: AnyMiddlewareArgs['body'], text: string, log: Log): Promise<void> {
  if (!('view' in body) || body.view === undefined || !('trigger_id' in body)) return;
  const answer = { trigger_id: body.trigger_id, view: modal(text) };
  try {
    await (body.view.type === 'modal' ? web.views.push(answer) : web.views.open(answer));
  } catch (error) {
    log.warn(`telling of a refused press: ${messageOf(error)}`);
  }
}

const modal = (text: string): ModalView => ({
  type: 'modal',
  title: { type: 'plain_text', text: tooManyTitle() },
  close: { type: 'plain_text', text: 'Close' },
  blocks: [{ type: 'section', text: { type: 'plain_text', text: `⏳ ${text}` } }],
});
