/** Channel ids: belay.yaml may name a channel by id or by name, most methods take the id only. */
import type { WebClient } from '@slack/web-api';
import { slackError, SlackDeliveryError } from './errors.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 50;

export interface Channels {
  /** The id of a channel given by id, name or #name. Throws SlackDeliveryError `channel_not_found`. */
  idOf(channel: string): Promise<string>;
}

function isChannelId(channel: string): boolean {
  return /^[CGD][A-Z0-9]{2,20}$/.test(channel);
}

/** Remembers what it found. */
export function createChannels(web: WebClient): Channels {
  const known = new Map<string, string>();
  return {
    async idOf(channel) {
      if (isChannelId(channel)) return channel;
      const name = channel.replace(/^#/, '');
      const id = known.get(name) ?? (await find(web, name));
      known.set(name, id);
      return id;
    },
  };
}

async function find(web: WebClient, name: string): Promise<string> {
  const doing = `looking for channel #${name}`;
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await web.conversations.list({
        limit: PAGE_SIZE,
        exclude_archived: true,
        types: 'public_channel,private_channel',
        ...(cursor === undefined ? {} : { cursor }),
      });
      const found = answer.channels?.find((channel) => channel.name === name)?.id;
      if (found !== undefined) return found;
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') break;
    }
  } catch (error) {
    throw slackError(error, doing);
  }
  throw new SlackDeliveryError(`${doing}: the app sees none of that name. Write its id in belay.yaml, or invite the app to it.`, {
    code: 'channel_not_found',
    retryable: false,
  });
}
