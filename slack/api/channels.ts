/** Channel ids: belay.yaml may name a channel by id or by name, most methods take the id only. */
import type { WebClient } from '@slack/web-api';
import { slackError, SlackDeliveryError } from './errors.ts';
import { channelNotSeen, slackAnswered } from '../messages/failures.ts';
import { defined } from '../../domain/core/defined.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 50;
const KEEP_MEMBERS_MS = 60_000;

export interface Channels {
  /** The id of a channel given by id, name or #name. Throws SlackDeliveryError `channel_not_found`. */
  idOf(channel: string): Promise<string>;
  /** Whether somebody is in the channel, as of a minute ago at most. Throws SlackDeliveryError. */
  isMember(channel: string, userId: string): Promise<boolean>;
  /** Throws SlackDeliveryError `not_in_channel` where the app is not in the channel, so that nothing can be posted there. What Slack does not say is left to the post. */
  requireApp(channel: string): Promise<void>;
}

function isChannelId(channel: string): boolean {
  return /^[CGD][A-Z0-9]{2,20}$/.test(channel);
}

/** Remembers what it found. */
export function createChannels(web: WebClient): Channels {
  const known = new Map<string, string>();
  const members = new Map<string, { atMs: number; ids: Promise<ReadonlySet<string>> }>();
  const idOf = async (channel: string): Promise<string> => {
    if (isChannelId(channel)) return channel;
    const name = channel.replace(/^#/, '');
    const id = known.get(name) ?? (await find(web, name));
    known.set(name, id);
    return id;
  };
  return {
    idOf,
    async isMember(channel, userId) {
      const id = await idOf(channel);
      const last = members.get(id);
      if (last !== undefined && Date.now() - last.atMs < KEEP_MEMBERS_MS) return (await last.ids).has(userId);
      const ids = readMembers(web, id);
      members.set(id, { atMs: Date.now(), ids });
      ids.catch(() => members.delete(id));
      return (await ids).has(userId);
    },
    async requireApp(channel) {
      if (await isIn(web, () => idOf(channel))) return;
      throw new SlackDeliveryError(slackAnswered(`posting to ${channel}`, 'not_in_channel'), { code: 'not_in_channel', retryable: false });
    },
  };
}

/** Tier 3, and a private channel that the app is not in is not found: docs.slack.dev/reference/methods/conversations.info */
async function isIn(web: WebClient, idOf: () => Promise<string>): Promise<boolean> {
  try {
    const { channel } = await web.conversations.info({ channel: await idOf() });
    return channel?.is_member !== false;
  } catch (error) {
    return slackError(error, 'looking at the channel').code !== 'channel_not_found';
  }
}

/** Tier 4, so 100 a minute: docs.slack.dev/reference/methods/conversations.members */
async function readMembers(web: WebClient, channel: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await web.conversations.members({ channel, limit: PAGE_SIZE, ...defined({ cursor }) });
      for (const id of answer.members ?? []) ids.add(id);
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') break;
    }
  } catch (error) {
    throw slackError(error, `reading who is in channel ${channel}`);
  }
  return ids;
}

/**
 * Among the channels that the app is in, as it can post in no other. All channels of a large workspace take more calls than Slack allows for
 * conversations.list (Tier 2, so 20 a minute), and the search would begin anew each time (docs.slack.dev/reference/methods/users.conversations: Tier 3).
 */
async function find(web: WebClient, name: string): Promise<string> {
  const doing = `looking for channel #${name}`;
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await web.users.conversations({
        limit: PAGE_SIZE,
        exclude_archived: true,
        types: 'public_channel,private_channel',
        ...defined({ cursor }),
      });
      const found = answer.channels?.find((channel) => channel.name === name)?.id;
      if (found !== undefined) return found;
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') break;
    }
  } catch (error) {
    throw slackError(error, doing);
  }
  throw new SlackDeliveryError(channelNotSeen(doing), {
    code: 'channel_not_found',
    retryable: false,
  });
}
