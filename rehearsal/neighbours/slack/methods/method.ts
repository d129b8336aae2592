/** The shape of a Web API method and the look-ups that several share. */
import { SlackError } from '../errors.ts';
import { type Fields, textOf } from '../block-kit/shape.ts';
import type { SlackState } from '../state.ts';
import type { Workspace } from '../workspace.ts';

export interface Method {
  /** Granted scopes must hold one of these. */
  scopes?: readonly string[];
  /** The kind of token that it takes: a bot's by default. */
  token?: 'app' | 'none';
  /** Does it change anything? Then it stands in the journal. */
  mutates?: boolean;
  /** `host`: the address under which the client reaches the server, "127.0.0.1:3000"; a proxy's where one stands between. */
  run(args: Fields, state: SlackState, host: string): Fields;
}

export type Methods = Record<string, Method>;
export type Channel = Workspace['channels'][number];

/** By id; by name too where Slack takes one (chat.postMessage). Throws channel_not_found. */
export function channelOf(args: Fields, state: SlackState, options: { byName?: boolean } = {}): Channel {
  const wanted = textOf(args['channel']) ?? '';
  const name = wanted.replace(/^#/, '');
  const found = [...state.workspace.channels, ...state.direct].find(
    (one) => one.id === wanted || (options.byName === true && one.name === name),
  );
  if (found === undefined) throw new SlackError('channel_not_found');
  return found;
}

/** As channelOf, and the bot is in it. Throws not_in_channel. */
export function joinedChannelOf(args: Fields, state: SlackState, options: { byName?: boolean } = {}): Channel {
  const channel = channelOf(args, state, options);
  if (!channel.botIsMember) throw new SlackError('not_in_channel');
  return channel;
}

/** The scope that a method needs in conversations of this type: docs.slack.dev/reference/methods/conversations.history. Throws missing_scope. */
export function checkDirectScope(channel: Channel, scope: string, state: SlackState): void {
  const { scopes } = state.workspace;
  if (channel.direct === undefined || scopes.includes(scope)) return;
  throw new SlackError('missing_scope', { needed: scope, provided: scopes.join(',') });
}

/** A required text argument. Throws invalid_arguments. */
export function required(args: Fields, name: string): string {
  const value = textOf(args[name]);
  if (value === undefined || value === '') throw missing(name);
  return value;
}

export function missing(argument: string): SlackError {
  return SlackError.withMessages('invalid_arguments', [`[ERROR] missing required field: ${argument}`]);
}

/** One page of a list: `limit`, `cursor`, and what Slack says about the next page. */
export function page<T>(items: T[], args: Fields, defaultLimit: number): { items: T[]; hasMore: boolean; nextCursor: string } {
  const limit = Math.min(Math.max(Math.trunc(Number(args['limit'])) || defaultLimit, 1), 999);
  const cursor = textOf(args['cursor']) ?? '';
  const decoded = /^offset:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString());
  if (cursor !== '' && decoded === null) throw new SlackError('invalid_cursor');
  const start = Number(decoded?.[1] ?? 0);
  const hasMore = items.length > start + limit;
  return {
    items: items.slice(start, start + limit),
    hasMore,
    nextCursor: hasMore ? Buffer.from(`offset:${start + limit}`).toString('base64') : '',
  };
}
