/** Delivers one upgrade's notifications: its message in the channel, and the thread below it. */
import type { WebClient } from '@slack/web-api';
import { type Channels, createChannels } from '../api/channels.ts';
import { type DirectDeps, DirectMessages } from './direct-messages.ts';
import { Stakeholders } from './stakeholder-channel.ts';
import { Posts } from './posts.ts';
import { begunAt, BOARD_KEY, findBoardOr, findMessage, oldestFor, REPOST_AFTER_MS, Thread } from './threads.ts';
import { type FileNotification, type FilesDeps, ThreadFiles } from './thread-files.ts';
import type { MessageNotification, MessageRef, Notification, PublishInput } from '../../domain/run/notifications.ts';
import { defined } from '../../domain/core/defined.ts';
import { SlackDeliveryError, slackError } from '../api/errors.ts';
import { render } from '../blocks/render.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { boardGone, boardNotPosted, postNotFound } from '../messages/failures.ts';

export interface NotifierDeps extends FilesDeps {
  /** For links to Temporal UI; default `default`. */
  namespace?: string;
  nowMs?: () => number;
  /** Told what goes wrong with direct messages. */
  warn?: (message: string) => void;
  /** Times of direct messages, for tests. */
  directTimes?: Pick<DirectDeps, 'mostMs' | 'againMs'>;
}

/** A thread of its own has its root, the board of the run or another. */
const rootId = (id: string, key: string): string => (key === BOARD_KEY ? id : `${id} ${key}`);

/** A board may be posted anew within this time; what waits for it longer is posted into the channel itself. */
const BOARD_GONE_MS = 10 * 60_000;

export class Delivery {
  readonly #web: WebClient;
  readonly #posts: Posts;
  readonly #channels: Channels;
  readonly #stakeholders: Stakeholders;
  readonly #direct: DirectMessages;
  readonly #namespace: string | undefined;
  readonly #nowMs: () => number;
  readonly #files: ThreadFiles;
  readonly #threads = new Map<string, Thread>();
  /** One message at a time per run: two first posts of a key would not see each other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** When a message was last posted in the place of a lost one, by run and key. */
  readonly #reposts = new Map<string, number>();
  /** By run: since when its board is not there. */
  readonly #goneSince = new Map<string, number>();

  constructor({ web, namespace, nowMs = Date.now, picture, chart, warn, directTimes }: NotifierDeps) {
    this.#web = web;
    this.#posts = new Posts(web);
    this.#files = new ThreadFiles({ web, picture, chart });
    this.#channels = createChannels(web);
    this.#stakeholders = new Stakeholders(web, this.#channels);
    this.#direct = new DirectMessages({ web, channels: this.#channels, nowMs, ...defined({ warn }), ...directTimes });
    this.#namespace = namespace;
    this.#nowMs = nowMs;
  }

  publish(input: PublishInput): Promise<MessageRef> {
    const id = `${input.upgrade.workflowId} ${input.upgrade.runId}`;
    const before = this.#turns.get(id) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.#publish(input, id));
    this.#turns.set(id, turn);
    const done = (): void => {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    };
    turn.then(done, done);
    return turn;
  }

  async #publish(told: PublishInput, id: string): Promise<MessageRef> {
    const channel = await this.#channels.idOf(told.channel);
    try {
      const { notification } = told;
      if (notification.kind === 'file') return await this.#publishFile({ ...told, notification }, id, channel);
      if (notification.kind === 'curves')
        return await this.#files.curves(notification, (await this.#thread(id, channel, told.upgrade)).board);
      const input = { ...told, notification };
      const rendered = this.#render(input);
      const isRoot = input.key === BOARD_KEY || notification.kind === 'ring';
      const ref = await (isRoot
        ? this.#publishRoot(input, rootId(id, input.key), channel, rendered)
        : this.#publishReply(input, id, channel, rendered));
      if (notification.kind === 'gate') await this.#remind({ ...told, notification }, id, channel, rendered.text);
      if (notification.kind === 'report') {
        const { thread } = await this.#foundThread(id, channel, input.upgrade);
        await this.#files.picture(notification.report, thread?.board ?? ref);
      }
      await this.#stakeholders.tell(input, ref);
      if (notification.kind === 'gate') await this.#direct.tell({ ...told, notification }, ref);
      return ref;
    } catch (error) {
      throw slackError(error, `publishing ${told.key} in ${channel}`);
    }
  }

  #render(input: PublishInput<MessageNotification>): Rendered {
    return render(input, { nowMs: this.#nowMs(), namespace: this.#namespace });
  }

  /** Gives the message that the file is below. One whose own message is lost is below the board. */
  async #publishFile(input: PublishInput<FileNotification>, id: string, channel: string): Promise<MessageRef> {
    const { notification, upgrade, known } = input;
    const root =
      known ??
      this.#threads.get(rootId(id, notification.below))?.board ??
      (await findMessage(this.#web, channel, upgrade, notification.below)) ??
      (await this.#thread(id, channel, upgrade)).board;
    return await this.#files.text(notification, root);
  }

  async #publishRoot(input: PublishInput, id: string, channel: string, rendered: Rendered): Promise<MessageRef> {
    const since = defined({ oldest: oldestFor(begunAt(input.notification)) });
    const found = (): Promise<MessageRef | undefined> => findMessage(this.#web, channel, input.upgrade, input.key, since);
    const known = input.known ?? this.#threads.get(id)?.board ?? (await found());
    const ref =
      (known === undefined ? undefined : await this.#posts.edit(known, input, rendered)) ??
      (known === undefined ? undefined : await this.#elsewhere(known, await found(), input, rendered, id)) ??
      (await this.#posts.post(channel, input, rendered));
    this.#goneSince.delete(id);
    if (this.#threads.get(id)?.board.ts !== ref.ts) this.#threads.set(id, new Thread(ref, input.upgrade));
    return ref;
  }

  async #publishReply(input: PublishInput, id: string, channel: string, rendered: Rendered): Promise<MessageRef> {
    const known = input.known ?? this.#threads.get(id)?.find(input.key);
    const edited = known === undefined ? undefined : await this.#posts.edit(known, input, rendered);
    if (edited !== undefined) return edited;
    const { thread, alone } = await this.#foundThread(id, channel, input.upgrade, input.key);
    if (thread === undefined) {
      if (!this.#isGone(id)) throw notPosted(input.upgrade);
    } else {
      if (known !== undefined) thread.forget(input.key);
      await this.#read(thread, id);
    }
    // Nobody else may post the board again: then what is to be said is said without it.
    const found = thread === undefined ? alone : thread.find(input.key);
    const ref =
      (known === undefined
        ? found === undefined
          ? undefined
          : await this.#posts.edit(found, input, rendered)
        : await this.#elsewhere(known, found, input, rendered, id)) ?? (await this.#posts.post(channel, input, rendered, thread?.board.ts));
    thread?.note(input.key, ref.ts);
    return ref;
  }

  /**
   * In the place of a message that Slack says is lost: the one that `found` shows by its metadata. undefined: another one may be posted. Throws where one was
   * posted within the last minute: who posts again at each answer of that kind fills the thread.
   */
  async #elsewhere(
    lost: MessageRef,
    found: MessageRef | undefined,
    input: PublishInput,
    rendered: Rendered,
    id: string,
  ): Promise<MessageRef | undefined> {
    const edited = found === undefined || found.ts === lost.ts ? undefined : await this.#posts.edit(found, input, rendered);
    if (edited !== undefined) return edited;
    const place = `${id} ${input.key}`;
    const nowMs = this.#nowMs();
    for (const [old, atMs] of this.#reposts) if (nowMs - atMs >= REPOST_AFTER_MS) this.#reposts.delete(old);
    if (this.#reposts.has(place))
      throw new SlackDeliveryError(postNotFound(input.key), {
        code: 'message_not_found',
        retryable: true,
      });
    this.#reposts.set(place, nowMs);
    return undefined;
  }

  /** An edit tells nobody: a reminder is a message of its own below the gate's, and is closed with the gate: `text` says how. */
  async #remind(input: PublishInput<Extract<Notification, { kind: 'gate' }>>, id: string, channel: string, text: string): Promise<void> {
    const { notification } = input;
    const { state } = notification;
    const prefix = `reminder/${state.gate.id}/`;
    if (state.kind === 'open') {
      if (notification.reminder !== true) return;
      // Each pings, so each is a message of its own. Runs of an earlier release do not say when they remind: they remind once.
      const round = notification.afterQuiet ?? notification.remindedAt ?? 'undated';
      const reminder = { ...input, key: `${prefix}${round}`, known: undefined };
      await this.#publishReply(reminder, id, channel, this.#render(reminder));
      return;
    }
    // Another worker, or this one before it was restarted, may have posted reminders.
    const { thread } = await this.#foundThread(id, channel, input.upgrade);
    if (thread === undefined) return;
    await this.#read(thread, id);
    for (const { key, ref } of thread.startingWith(prefix)) {
      await this.#posts.edit(ref, { ...input, key }, { text, blocks: [] });
      thread.forget(key);
    }
  }

  /** For what can be nowhere else. Throws what may be tried again, and for good once the board is gone. */
  async #thread(id: string, channel: string, upgrade: PublishInput['upgrade']): Promise<Thread> {
    const { thread } = await this.#foundThread(id, channel, upgrade);
    if (thread !== undefined) return thread;
    if (!this.#isGone(id)) throw notPosted(upgrade);
    throw new SlackDeliveryError(boardGone(upgrade.workflowId), { code: 'board_gone', retryable: false });
  }

  /** Without `thread`: its board is not there, or no more. `alone`: the message with this key that was posted without it. */
  async #foundThread(
    id: string,
    channel: string,
    upgrade: PublishInput['upgrade'],
    key?: string,
  ): Promise<{ thread?: Thread; alone?: MessageRef }> {
    const known = this.#threads.get(id);
    if (known !== undefined) return { thread: known };
    const { board, alone } = await findBoardOr(this.#web, channel, upgrade, key);
    if (board === undefined) {
      if (!this.#goneSince.has(id)) this.#goneSince.set(id, this.#nowMs());
      return defined({ alone });
    }
    this.#goneSince.delete(id);
    const thread = new Thread(board, upgrade);
    this.#threads.set(id, thread);
    return { thread };
  }

  #isGone(id: string): boolean {
    return this.#nowMs() - (this.#goneSince.get(id) ?? Number.POSITIVE_INFINITY) >= BOARD_GONE_MS;
  }

  /** A thread whose board was deleted is looked for anew the next time. */
  async #read(thread: Thread, id: string): Promise<void> {
    try {
      await thread.read(this.#web);
    } catch (error) {
      const { code } = slackError(error, 'reading the thread');
      if (code === 'thread_not_found' || code === 'message_not_found') this.#threads.delete(id);
      throw error;
    }
  }
}

const notPosted = ({ workflowId }: PublishInput['upgrade']): SlackDeliveryError =>
  new SlackDeliveryError(boardNotPosted(workflowId), { code: 'board_not_posted', retryable: true });
