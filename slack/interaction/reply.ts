/** Answers that only the person who acted sees. Nobody is ever left without one because Slack's first way was closed. */
import type { RespondFn } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { LIMITS, mrkdwnLines } from '../blocks/kit/text.ts';
import { slackError } from '../api/errors.ts';
import type { Log } from '../api/log.ts';

/** Where and to whom. */
export interface Listener {
  web: WebClient;
  log: Log;
  channel: string;
  user: string;
  thread?: string;
  /** Absent for modals. */
  respond?: RespondFn;
  /** Shows the answer where the person looks, such as in an open modal. false: it is not there any more. */
  show?: (answer: Rendered) => Promise<boolean>;
}

/** Plain words: escaped here. */
export function says(text: string): Rendered {
  return { text: mrkdwnLines(text, LIMITS.messageText - 500), blocks: [] };
}

/** Text that is mrkdwn already: what came from outside stands escaped in it. */
export function marked(text: string): Rendered {
  return { text, blocks: [] };
}

/** Through the response url, else by chat.postEphemeral. Never throws; what fails is logged. */
export async function tell(listener: Listener, { text, blocks }: Rendered): Promise<void> {
  const { web, log, channel, user, thread, respond, show } = listener;
  if (show !== undefined && (await show({ text, blocks }))) return;
  const content = blocks.length === 0 ? { text } : { text, blocks };
  const where = thread === undefined ? {} : { thread_ts: thread };
  try {
    if (respond !== undefined) {
      const response = await respond({ response_type: 'ephemeral', replace_original: false, ...content, ...where });
      if (response.ok) return;
      log.warn(`answering ${user}: the response url gave HTTP ${response.status}`);
    }
  } catch (error) {
    log.warn(`answering ${user}: ${messageOf(error)}`);
  }
  try {
    await web.chat.postEphemeral({ channel, user, ...content, ...where });
  } catch (error) {
    log.warn(slackError(error, `answering ${user}`).message);
  }
}
