/** What was said in the workspace: messages, threads, ephemerals, in Slack's own shape. */
import { SlackError } from '../errors.ts';
import type { Fields } from '../block-kit/shape.ts';

export interface Block extends Fields {
  type: string;
  block_id: string;
}

export interface Metadata {
  event_type: string;
  event_payload: Fields;
}

export interface Message {
  type: 'message';
  channel: string;
  ts: string;
  user: string;
  text: string;
  blocks: Block[];
  bot_id?: string;
  app_id?: string;
  team?: string;
  /** Of a reply: its parent's ts. Of a parent with replies: its own. */
  thread_ts?: string;
  subtype?: 'thread_broadcast';
  reply_count?: number;
  latest_reply?: string;
  edited?: { user: string; ts: string };
  metadata?: Metadata;
  reactions?: { name: string; users: string[]; count: number }[];
  /** File objects. */
  files?: Fields[];
  upload?: boolean;
  /** Only this user sees it; it is in no history. */
  ephemeralTo?: string;
}

export type MessageChange = { kind: 'posted' | 'edited' | 'deleted'; message: Message };
export type NewMessage = Omit<Message, 'type' | 'ts' | 'reply_count' | 'latest_reply' | 'edited' | 'reactions'>;

/** Of a reply: its thread. Undefined for what stands in the channel, with or without replies. */
export function threadOf({ ts, thread_ts: thread }: Message): string | undefined {
  return thread === ts ? undefined : thread;
}

export class MessageStore {
  readonly #messages: Message[] = [];
  readonly #listeners = new Set<(change: MessageChange) => void>();
  #lastUs = 0;

  /** Slack's clock: seconds and microseconds of wall time, never the same twice. */
  nextTs(): string {
    this.#lastUs = Math.max(this.#lastUs + 1, Date.now() * 1000);
    return `${Math.floor(this.#lastUs / 1e6)}.${String(this.#lastUs % 1e6).padStart(6, '0')}`;
  }

  onChange(listener: (change: MessageChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All messages in order, ephemeral ones too. */
  all(): Message[] {
    return [...this.#messages];
  }

  find(channel: string, ts: string): Message | undefined {
    return this.#messages.find((message) => message.channel === channel && message.ts === ts);
  }

  /** Throws `thread_not_found` where the thread does not exist. */
  post(input: NewMessage): Message {
    const message: Message = { type: 'message', ...input, ts: this.nextTs() };
    if (input.thread_ts !== undefined) {
      const parent = this.find(input.channel, input.thread_ts);
      if (parent === undefined || parent.ephemeralTo !== undefined) throw new SlackError('thread_not_found');
      const root = parent.thread_ts ?? parent.ts;
      message.thread_ts = root;
      if (input.ephemeralTo === undefined) this.#countReply(input.channel, root, message.ts);
    }
    this.#messages.push(message);
    this.#tell({ kind: 'posted', message });
    return message;
  }

  /** Throws `message_not_found`. */
  edit(channel: string, ts: string, change: (message: Message) => void): Message {
    const message = this.find(channel, ts);
    if (message === undefined) throw new SlackError('message_not_found');
    change(message);
    this.#tell({ kind: 'edited', message });
    return message;
  }

  /** Throws `message_not_found`. */
  remove(channel: string, ts: string): void {
    const index = this.#messages.findIndex((message) => message.channel === channel && message.ts === ts);
    const [message] = index < 0 ? [] : this.#messages.splice(index, 1);
    if (message === undefined) throw new SlackError('message_not_found');
    this.#tell({ kind: 'deleted', message });
  }

  /** The channel without replies, newest first, as conversations.history orders it. */
  history(channel: string): Message[] {
    return this.#visible(channel)
      .filter((message) => threadOf(message) === undefined || message.subtype === 'thread_broadcast')
      .reverse();
  }

  /** Parent first, then replies from old to new. `ts` may be a reply's. Throws `thread_not_found`. */
  thread(channel: string, ts: string): Message[] {
    const found = this.find(channel, ts);
    if (found === undefined || found.ephemeralTo !== undefined) throw new SlackError('thread_not_found');
    const root = found.thread_ts ?? found.ts;
    return this.#visible(channel).filter((message) => message.ts === root || message.thread_ts === root);
  }

  #visible(channel: string): Message[] {
    return this.#messages.filter((message) => message.channel === channel && message.ephemeralTo === undefined);
  }

  #countReply(channel: string, root: string, latest: string): void {
    this.edit(channel, root, (parent) => {
      parent.thread_ts = root;
      parent.reply_count = (parent.reply_count ?? 0) + 1;
      parent.latest_reply = latest;
    });
  }

  #tell(change: MessageChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
