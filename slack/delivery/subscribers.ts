/**
 * Who asked for direct messages. It is kept in Slack: a message of the bot in the person's conversation, with a reaction of the bot. `reactions.list` gives
 * all messages that the bot reacted to, in all conversations that it is in (docs.slack.dev/reference/methods/reactions.list, reference/scopes/reactions.read),
 * so nobody else's conversation is read for it.
 */
import type { ReactionsListResponse, WebClient } from '@slack/web-api';
import { defined } from '../../domain/core/defined.ts';
import { SlackDeliveryError } from '../api/errors.ts';
import { ownUser } from '../api/own-user.ts';
import { subscribedBlocks, subscribedUser, unsubscribedBlocks } from '../blocks/direct.ts';
import { postUnnamed } from '../messages/failures.ts';

const REACTION = 'bell';
const PAGE_SIZE = 200;
/** 2,000 people. The method is of Tier 2: some twenty calls a minute. */
const MAX_PAGES = 10;
/** Another process hears of a change within this time. */
const KEEP_MS = 2 * 60_000;

export interface Subscriber {
  user: string;
  /** D… */
  channel: string;
  ts: string;
}

type Item = NonNullable<ReactionsListResponse['items']>[number];

export class Subscribers {
  readonly #web: WebClient;
  readonly #nowMs: () => number;
  #read: { atMs: number; all: Promise<Subscriber[]> } | undefined;
  /** Two presses at a time would not see each other's message. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(web: WebClient, nowMs: () => number = Date.now) {
    this.#web = web;
    this.#nowMs = nowMs;
  }

  /** The conversation of each, as of two minutes ago at most. Throws the Web API's errors. */
  async channels(): Promise<ReadonlyMap<string, string>> {
    const kept = this.#read !== undefined && this.#nowMs() - this.#read.atMs < KEEP_MS ? this.#read.all : this.#readAnew();
    return new Map((await kept).map(({ user, channel }) => [user, channel]));
  }

  /** Throws the Web API's errors; then nothing has changed. */
  subscribe(user: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#readAnew()).some((one) => one.user === user)) return;
      const { channel: opened } = await this.#web.conversations.open({ users: user });
      const channel = opened?.id ?? '';
      const { ts } = await this.#web.chat.postMessage({ channel, ...subscribedBlocks(user) });
      if (ts === undefined) throw new SlackDeliveryError(postUnnamed(), { code: 'no_ts', retryable: true });
      try {
        await this.#web.reactions.add({ channel, timestamp: ts, name: REACTION });
      } catch (error) {
        // It says what is not so.
        await this.#web.chat.delete({ channel, ts }).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Throws the Web API's errors. */
  unsubscribe(user: string): Promise<void> {
    return this.#inTurn(async () => {
      const theirs = (await this.#readAnew()).filter((one) => one.user === user);
      for (const { channel, ts } of theirs) {
        await this.#web.reactions.remove({ channel, timestamp: ts, name: REACTION });
        await this.#web.chat.update({ channel, ts, ...unsubscribedBlocks() }).catch(() => undefined);
      }
    });
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(change).finally(() => (this.#read = undefined));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #readAnew(): Promise<Subscriber[]> {
    const read = { atMs: this.#nowMs(), all: this.#list() };
    this.#read = read;
    read.all.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return read.all;
  }

  async #list(): Promise<Subscriber[]> {
    const own = await ownUser(this.#web);
    const found: Subscriber[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await this.#web.reactions.list({ user: own, limit: PAGE_SIZE, ...defined({ cursor }) });
      found.push(...(answer.items ?? []).flatMap((item) => subscriberIn(item, own) ?? []));
      cursor = answer.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') break;
    }
    return found;
  }
}

/** What others write in a conversation is not believed, whatever it looks like. */
function subscriberIn({ type, channel = '', message }: Item, own: string): Subscriber | undefined {
  if (type !== 'message' || !channel.startsWith('D') || message?.user !== own || message.ts === undefined) return undefined;
  if (message.reactions?.some(({ name }) => name === REACTION) !== true) return undefined;
  const user = subscribedUser(message.blocks ?? []);
  return user === undefined ? undefined : { user, channel, ts: message.ts };
}

const SHARED = new WeakMap<WebClient, Subscribers>();

/** One for each client: what a press changes is known at once in its process. */
export function subscribersOf(web: WebClient): Subscribers {
  const known = SHARED.get(web) ?? new Subscribers(web);
  SHARED.set(web, known);
  return known;
}
