/** Finds Belay's own messages by their metadata, so that nothing is posted twice whoever posted it and whether or not the answer arrived. */
import type { MessageMetadata } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { MessageRef, PublishInput } from '../../domain/run/notifications.ts';
import { defined } from '../../domain/core/defined.ts';

const EVENT_TYPE = 'belay';
export const BOARD_KEY = 'board';

const PAGE_SIZE = 200;
/** 10,000 messages back. */
const MAX_PAGES = 50;

type Upgrade = PublishInput['upgrade'];

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

/** The part of a message in a history that counts here. */
interface Found {
  ts?: string;
  user?: string;
  metadata?: { event_type?: string; event_payload?: object };
}

/** What identifies a message that asks nothing of anybody. */
export function metadataFor(upgrade: Upgrade, key: string): MessageMetadata {
  return { event_type: EVENT_TYPE, event_payload: { key, upgrade: upgrade.workflowId, run: upgrade.runId } };
}

/** The board of a run; undefined where the channel has none. Throws the Web API's errors. */
export function findBoard(web: WebClient, channel: string, upgrade: Upgrade): Promise<MessageRef | undefined> {
  return findMessage(web, channel, upgrade, BOARD_KEY);
}

/** A message of a run in the channel itself, newest first; `oldest`: none that is older is looked at; `author`: of nobody else. Throws the Web API's errors. */
export async function findMessage(
  web: WebClient,
  channel: string,
  upgrade: Upgrade,
  key: string,
  { oldest, author }: { oldest?: string; author?: string } = {},
): Promise<MessageRef | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await web.conversations.history({
      channel,
      limit: PAGE_SIZE,
      include_all_metadata: true,
      ...defined({ oldest, cursor }),
    });
    const ts = (answer.messages ?? []).find(
      (message) => keyOf(message, upgrade) === key && (author === undefined || message.user === author),
    )?.ts;
    if (ts !== undefined) return { channel, ts };
    cursor = answer.response_metadata?.next_cursor;
    if (answer.has_more !== true || cursor === undefined || cursor === '') return undefined;
  }
  return undefined;
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
    let cursor: string | undefined;
    let newest = this.#readTo;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await web.conversations.replies({
        channel: this.board.channel,
        ts: this.board.ts,
        limit: PAGE_SIZE,
        include_all_metadata: true,
        ...(this.#readTo === undefined ? {} : { oldest: this.#readTo }),
        ...defined({ cursor }),
      });
      for (const message of answer.messages ?? []) {
        const key = keyOf(message, this.#upgrade);
        const { ts = '' } = message;
        // The first message with a key is the one that is edited.
        if (ts !== '' && key !== undefined && key !== BOARD_KEY && !this.#keys.has(key)) this.#keys.set(key, ts);
        if (Number(ts) > Number(newest ?? 0)) newest = ts;
      }
      cursor = answer.response_metadata?.next_cursor;
      if (answer.has_more !== true || cursor === undefined || cursor === '') break;
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
