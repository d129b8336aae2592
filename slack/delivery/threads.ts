/**
 * Finds Belay's own messages by their metadata, so that nothing is posted twice whichever process posted it and whether or not the answer arrived. Anybody who
 * may post can write the same metadata: what others wrote is passed over.
 */
import type { MessageMetadata } from '@slack/types';
import type { ConversationsRepliesResponse, WebClient } from '@slack/web-api';
import type { MessageRef, Notification, PublishInput } from '../../domain/run/notifications.ts';
import { defined } from '../../domain/core/defined.ts';
import { ownMessages } from '../api/own-user.ts';

const EVENT_TYPE = 'belay';
export const BOARD_KEY = 'board';

const PAGE_SIZE = 200;
/** 10,000 messages back. */
const MAX_PAGES = 50;

type Upgrade = PublishInput['upgrade'];

/** A run whose messages are looked for. `notBefore`: ISO 8601, none of them is older; without it a busy channel is read far back. */
export interface Sought extends Upgrade {
  notBefore?: string;
}

/** Clocks of Slack, of Temporal and of workers differ. */
const CLOCK_SKEW_SEC = 120;

/** A time stamp of Slack before which nothing of this moment (ISO 8601) is; undefined where the moment is not known. */
export function oldestFor(iso: string | undefined): string | undefined {
  const sec = Date.parse(iso ?? '') / 1000 - CLOCK_SKEW_SEC;
  return Number.isNaN(sec) ? undefined : sec.toFixed(6);
}

/** When that began which a root message shows; undefined where the message does not say. A ring that is tried again keeps its first message. */
export function begunAt(notification: Notification): string | undefined {
  switch (notification.kind) {
    case 'board':
      return notification.status.startedAt;
    case 'ring':
      return notification.ring.attempt === 1 ? notification.ring.startedAt : undefined;
    case 'check':
      return notification.check.startedAt;
    case 'forecast':
      return notification.forecast.startedAt;
    case 'proposal':
      return notification.known.proposedAt;
    default:
      return undefined;
  }
}

/** What identifies a message, a key within a run of an upgrade; and what it asks of others. */
export function metadataOf({ upgrade, key, notification }: PublishInput): MessageMetadata {
  const ask = notification.kind === 'note' ? notification.ask : undefined;
  return {
    event_type: EVENT_TYPE,
    event_payload: {
      key,
      upgrade: upgrade.workflowId,
      run: upgrade.runId,
      ...(ask === undefined
        ? {}
        : { ask_component: ask.component, ask_name: ask.name, ask_version: ask.version, ask_managed_by: ask.managedBy }),
    },
  };
}

/** What identifies a message that asks nothing of anybody. */
export function metadataFor(upgrade: Upgrade, key: string): MessageMetadata {
  return { event_type: EVENT_TYPE, event_payload: { key, upgrade: upgrade.workflowId, run: upgrade.runId } };
}

/** The board of a run; undefined where the channel has none. Throws the Web API's errors. */
export function findBoard(web: WebClient, channel: string, { notBefore, ...upgrade }: Sought): Promise<MessageRef | undefined> {
  return findMessage(web, channel, upgrade, BOARD_KEY, defined({ oldest: oldestFor(notBefore) }));
}

/** A message of a run in the channel itself. `oldest`: none that is older is looked at; without it from the newest back. Throws the Web API's errors. */
export async function findMessage(
  web: WebClient,
  channel: string,
  upgrade: Upgrade,
  key: string,
  { oldest }: { oldest?: string } = {},
): Promise<MessageRef | undefined> {
  for await (const found of keyedMessages(web, channel, upgrade, oldest)) if (found.key === key) return found.ref;
  return undefined;
}

/** The board of a run; without one the message with this key that is in the channel itself. Reads the channel once. Throws the Web API's errors. */
export async function findBoardOr(
  web: WebClient,
  channel: string,
  upgrade: Upgrade,
  key?: string,
): Promise<{ board?: MessageRef; alone?: MessageRef }> {
  let alone: MessageRef | undefined;
  for await (const found of keyedMessages(web, channel, upgrade)) {
    if (found.key === BOARD_KEY) return { board: found.ref };
    if (found.key === key) alone = found.ref;
  }
  return defined({ alone });
}

/** Belay's messages of a run in the channel itself, from the newest back. */
async function* keyedMessages(
  web: WebClient,
  channel: string,
  upgrade: Upgrade,
  oldest?: string,
): AsyncGenerator<{ key: string; ref: MessageRef }> {
  const isOwn = await ownMessages(web);
  const asked = { channel, limit: PAGE_SIZE, include_all_metadata: true, ...defined({ oldest }) };
  for await (const message of paged((cursor) => web.conversations.history({ ...asked, ...cursor }))) {
    const key = message.ts !== undefined && isOwn(message) ? keyOf(message, upgrade) : undefined;
    if (key !== undefined && message.ts !== undefined) yield { key, ref: { channel, ts: message.ts } };
  }
}

/** The messages of a thread, its root first. `oldest`: replies that are newer alone, behind the root. Throws the Web API's errors. */
export function threadMessages(web: WebClient, { channel, ts }: MessageRef, oldest?: string): AsyncGenerator<Found> {
  const asked = { channel, ts, limit: PAGE_SIZE, include_all_metadata: true, ...defined({ oldest }) };
  return paged((cursor) => web.conversations.replies({ ...asked, ...cursor }));
}

type Page = Pick<ConversationsRepliesResponse, 'messages' | 'has_more' | 'response_metadata'>;
type Found = NonNullable<Page['messages']>[number];

/** Reads a page only when the ones before have been looked at. */
async function* paged(read: (at: { cursor?: string }) => Promise<Page>): AsyncGenerator<Found> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await read(defined({ cursor }));
    yield* answer.messages ?? [];
    cursor = answer.response_metadata?.next_cursor;
    if (answer.has_more !== true || cursor === undefined || cursor === '') return;
  }
}

/** A thread as far as it was read. */
export class Thread {
  readonly board: MessageRef;
  readonly #upgrade: Upgrade;
  readonly #keys = new Map<string, string>();
  #readTo: string | undefined;

  constructor(board: MessageRef, upgrade: Upgrade) {
    this.board = board;
    this.#upgrade = upgrade;
  }

  find(key: string): MessageRef | undefined {
    const ts = this.#keys.get(key);
    return ts === undefined ? undefined : { channel: this.board.channel, ts };
  }

  /** Keys that begin so. */
  startingWith(prefix: string): { key: string; ref: MessageRef }[] {
    return [...this.#keys]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, ts]) => ({ key, ref: { channel: this.board.channel, ts } }));
  }

  note(key: string, ts: string): void {
    this.#keys.set(key, ts);
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** Reads what was added since the last time. Throws the Web API's errors. */
  async read(web: WebClient): Promise<void> {
    let newest = this.#readTo;
    const isOwn = await ownMessages(web);
    for await (const message of threadMessages(web, this.board, this.#readTo)) {
      const key = isOwn(message) ? keyOf(message, this.#upgrade) : undefined;
      const { ts = '' } = message;
      // The first message with a key is the one that is edited.
      if (ts !== '' && key !== undefined && key !== BOARD_KEY && !this.#keys.has(key)) this.#keys.set(key, ts);
      if (Number(ts) > Number(newest ?? 0)) newest = ts;
    }
    this.#readTo = newest;
  }
}

function keyOf(message: Found, upgrade: Upgrade): string | undefined {
  const payload = message.metadata?.event_type === EVENT_TYPE ? message.metadata.event_payload : undefined;
  if (payload === undefined || !('key' in payload && 'upgrade' in payload && 'run' in payload)) return undefined;
  const mine = payload.upgrade === upgrade.workflowId && payload.run === upgrade.runId;
  return mine && typeof payload.key === 'string' ? payload.key : undefined;
}

/** A message that is lost takes its place anew this often at most: what was just posted may not be found for some seconds, and is there. */
export const REPOST_AFTER_MS = 60_000;
