/** The second channel: three kinds of messages, each posted once, and none of them ever in the way of the thread. */
import type { WebClient } from '@slack/web-api';
import type { MessageRef, PublishInput } from '../../domain/run/notifications.ts';
import { stakeholderBlocks, type StakeholderMessage, stakeholderMessage } from '../blocks/stakeholders.ts';
import type { Channels } from '../api/channels.ts';
import { LOST, type SlackDeliveryError, slackError } from '../api/errors.ts';
import { findMessage, metadataFor } from './threads.ts';

interface Owed {
  input: PublishInput;
  /** Of the message in the thread. */
  shown: MessageRef;
  told: StakeholderMessage;
}

export class Stakeholders {
  readonly #web: WebClient;
  readonly #channels: Channels;
  /** By run and key: what is there. */
  readonly #posted = new Map<string, MessageRef>();
  /** By run and key: what Slack did not take just now. */
  readonly #owed = new Map<string, Owed>();
  /** One after the other: two at a time would not see what the other posts. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(web: WebClient, channels: Channels) {
    this.#web = web;
    this.#channels = channels;
  }

  /**
   * After the message in the thread. What Slack does not take now is tried with the next message of any run, and holds up no other channel; only a
   * report, after which nothing of its run comes, is thrown as SlackDeliveryError to be tried again. A channel that is not there is nobody's loss but its own.
   */
  tell(input: PublishInput, shown: MessageRef): Promise<void> {
    const turn = this.#turn.catch(() => undefined).then(() => this.#tell(input, shown));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #tell(input: PublishInput, shown: MessageRef): Promise<void> {
    const told = input.stakeholders === undefined ? undefined : stakeholderMessage(input);
    if (told !== undefined && !(told.key === 'stakeholders/started' && this.#posted.has(idOf(input, told))))
      this.#owed.set(idOf(input, told), { input, shown, told });
    // By channel: what follows there comes after it.
    const failures = new Map<string, SlackDeliveryError>();
    for (const [id, owed] of this.#owed) {
      const channel = owed.input.stakeholders ?? '';
      if (failures.has(channel)) continue;
      try {
        await this.#deliver(id, owed);
        this.#owed.delete(id);
      } catch (error) {
        const failure = slackError(error, `telling ${channel} of ${owed.told.key}`);
        if (failure.retryable) failures.set(channel, failure);
        else this.#owed.delete(id);
        if (isOfAll(failure)) break;
      }
    }
    if (input.notification.kind === 'report') this.#throwOwed(input, [...failures.values()].at(-1));
  }

  #throwOwed({ upgrade }: PublishInput, failure: SlackDeliveryError | undefined): void {
    const isOwed = [...this.#owed.values()].some(
      ({ input: { upgrade: of } }) => of.runId === upgrade.runId && of.workflowId === upgrade.workflowId,
    );
    if (isOwed && failure !== undefined) throw failure;
  }

  async #deliver(id: string, { input, shown, told }: Owed): Promise<void> {
    const channel = await this.#channels.idOf(input.stakeholders ?? '');
    const { upgrade } = input;
    // It was posted after the one in the thread.
    const known = this.#posted.get(id) ?? (await findMessage(this.#web, channel, upgrade, told.key, { oldest: shown.ts }));
    if (known !== undefined) this.#posted.set(id, known);
    if (known === undefined && told.editsOnly) return;
    if (known !== undefined && !told.editsOnly) return;
    const content = stakeholderBlocks(told, await this.#link(shown));
    if (known !== undefined) {
      try {
        await this.#web.chat.update({ channel, ts: known.ts, metadata: metadataFor(upgrade, told.key), ...content });
      } catch (error) {
        if (!LOST.includes(slackError(error, 'editing').code)) throw error;
        // Somebody deleted the line: how its gate ended is nothing for this channel any more.
        this.#posted.delete(id);
      }
      return;
    }
    const metadata = metadataFor(upgrade, told.key);
    const { ts } = await this.#web.chat.postMessage({ channel, metadata, unfurl_links: false, unfurl_media: false, ...content });
    if (ts !== undefined) this.#posted.set(id, { channel, ts });
  }

  /** Without one the line is as good. */
  async #link({ channel, ts }: MessageRef): Promise<string | undefined> {
    const answer = await this.#web.chat.getPermalink({ channel, message_ts: ts }).catch(() => undefined);
    return answer?.permalink;
  }
}

/** Slack is away, or asks to wait: no other channel would be told either. */
const isOfAll = ({ code }: SlackDeliveryError): boolean =>
  code === 'rate_limited' || code === 'timeout' || code === 'unreachable' || code.startsWith('http_');

function idOf({ upgrade }: PublishInput, { key }: StakeholderMessage): string {
  return `${upgrade.workflowId} ${upgrade.runId} ${key}`;
}
