/** Posts messages and edits them, each with the metadata by which it is found again. */
import type { WebClient } from '@slack/web-api';
import type { MessageRef, PublishInput } from '../../domain/run/notifications.ts';
import { BAD_BLOCKS, LOST, SlackDeliveryError, slackError } from '../api/errors.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { withoutLayout } from '../messages/answers.ts';
import { postUnnamed } from '../messages/failures.ts';
import { metadataOf } from './threads.ts';

export class Posts {
  readonly #web: WebClient;

  constructor(web: WebClient) {
    this.#web = web;
  }

  /** undefined: the message is lost. Throws the Web API's errors. */
  async edit(ref: MessageRef, input: PublishInput, rendered: Rendered): Promise<MessageRef | undefined> {
    const metadata = metadataOf(input);
    try {
      await send(rendered, (content) => this.#web.chat.update({ channel: ref.channel, ts: ref.ts, metadata, ...content }));
      return ref;
    } catch (error) {
      if (LOST.includes(slackError(error, 'editing').code)) return undefined;
      throw error;
    }
  }

  /** Below the message `threadTs`; without it into the channel itself. Throws the Web API's errors, and SlackDeliveryError where Slack does not say where it is. */
  async post(channel: string, input: PublishInput, rendered: Rendered, threadTs?: string): Promise<MessageRef> {
    const silent = input.quiet === true ? withoutMentions(rendered) : rendered;
    const ref = await this.#post(channel, input, silent, threadTs);
    // An edit notifies nobody. Where it fails, the next attempt finds the message and edits it.
    if (silent !== rendered) await this.edit(ref, input, rendered);
    return ref;
  }

  async #post(channel: string, input: PublishInput, rendered: Rendered, threadTs: string | undefined): Promise<MessageRef> {
    const common = { channel, metadata: metadataOf(input), unfurl_links: false, unfurl_media: false };
    const broadcast = input.notification.kind === 'note' && input.notification.broadcast === true;
    const answer = await send(rendered, (content) =>
      this.#web.chat.postMessage(
        threadTs === undefined
          ? { ...common, ...content }
          : broadcast
            ? { ...common, ...content, thread_ts: threadTs, reply_broadcast: true }
            : { ...common, ...content, thread_ts: threadTs },
      ),
    );
    if (answer.ts === undefined) throw new SlackDeliveryError(postUnnamed(), { code: 'no_ts', retryable: true });
    return { channel: answer.channel ?? channel, ts: answer.ts };
  }
}

/** https://docs.slack.dev/messaging/formatting-message-text#mentioning-users */
const MENTIONS = /<(?:@([UW])|!subteam\^S)[A-Z0-9]+(?:\|[^<>]*)?>/g;

/** The same object where it mentions nobody. */
function withoutMentions(rendered: Rendered): Rendered {
  const json = JSON.stringify(rendered);
  const silent = json.replaceAll(MENTIONS, (_mention, user: string | undefined) => (user === undefined ? 'a user group' : 'somebody'));
  return silent === json ? rendered : JSON.parse(silent);
}

async function send<T>({ text, blocks }: Rendered, call: (content: Rendered) => Promise<T>): Promise<T> {
  try {
    return await call({ text, blocks });
  } catch (error) {
    if (blocks.length === 0 || !BAD_BLOCKS.includes(slackError(error, 'sending').code)) throw error;
    return await call({
      text: withoutLayout(text),
      blocks: [],
    });
  }
}
