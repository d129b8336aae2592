/** One direct message per gate to each approver who asked for them: beside the gate's own message, and never in its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebClient } from '@slack/web-api';
import { defined } from '../../domain/core/defined.ts';
import type { MessageRef, Notification, PublishInput, Voters } from '../../domain/run/notifications.ts';
import type { Channels } from '../api/channels.ts';
import { LOST, slackError, type SlackDeliveryError } from '../api/errors.ts';
import { shownGroups } from '../api/group-cache.ts';
import { directGateBlocks } from '../blocks/direct.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { directNotSent } from '../messages/direct.ts';
import { subscribersOf } from './subscribers.ts';
import { findMessage, metadataFor, oldestFor } from './threads.ts';

type GateInput = PublishInput<Extract<Notification, { kind: 'gate' }>>;

/** The gate's own publication waits no longer: it has 30 s, and other messages behind it. The rest goes on by itself. */
const MOST_MS = 5_000;
/** Gates that wait for their turn; where Slack hangs, more are left out. */
const MOST_TURNS = 100;
const MOST_GATES = 500;
/** What an administrator has to mend is tried again after this time; and a failure is logged no more often. */
const PAUSE_MS = 10 * 60_000;
/** What Slack did not take is tried again so often, after this time and then twice as long each time; by this worker, as long as it lives. */
const MOST_TRIES = 6;
const AGAIN_MS = 20_000;

/** Of the installation, so of everybody: docs.slack.dev/reference/methods/chat.postMessage#errors */
const OFF = ['missing_scope', 'not_allowed_token_type', 'invalid_auth', 'account_inactive', 'token_revoked', 'not_authed'];

export interface DirectDeps {
  web: WebClient;
  channels: Channels;
  nowMs: () => number;
  warn?: (message: string) => void;
  /** How long the gate's own publication waits, and after how long what Slack did not take is tried again; for tests. */
  mostMs?: number;
  againMs?: number;
}

/** One publication of a gate. */
interface Telling {
  input: GateInput;
  /** The gate's message. */
  shown: MessageRef;
  place: string;
  tryCount: number;
}

export class DirectMessages {
  readonly #deps: DirectDeps;
  /** By gate and person: what this worker has posted or found. */
  readonly #gates = new Map<string, Map<string, MessageRef>>();
  /** By gate: the newest one. An older one is not tried again. */
  readonly #newest = new Map<string, Telling>();
  #turn: Promise<void> = Promise.resolve();
  #turnCount = 0;
  #offUntilMs = 0;
  /** By Slack's code. */
  readonly #failures = new Map<string, { loggedAtMs: number; count: number }>();

  constructor(deps: DirectDeps) {
    this.#deps = deps;
  }

  /** After the gate's message, which `shown` is. Never throws, and takes five seconds at most. */
  async tell(input: GateInput, shown: MessageRef): Promise<void> {
    const { upgrade, notification } = input;
    const place = `${upgrade.workflowId} ${upgrade.runId} ${notification.state.gate.id}`;
    const telling = { input, shown, place, tryCount: 1 };
    keep(this.#newest, place, telling);
    const done = new AbortController();
    const limit = sleep(this.#deps.mostMs ?? MOST_MS, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.#inTurn(telling).finally(() => done.abort()), limit]);
  }

  /** One after the other: two at a time would not see what the other posts. */
  #inTurn(telling: Telling): Promise<void> {
    if (this.#turnCount >= MOST_TURNS || this.#deps.nowMs() < this.#offUntilMs) return Promise.resolve();
    this.#turnCount += 1;
    this.#turn = this.#turn
      .then(() => this.#tell(telling))
      .catch((error: unknown) => this.#failed(error, 'looking for approvers'))
      .then((failure) => this.#after(telling, failure))
      .finally(() => (this.#turnCount -= 1));
    return this.#turn;
  }

  /** Gives the last failure, if there was one. */
  async #tell({ input, shown, place }: Telling): Promise<SlackDeliveryError | undefined> {
    const { upgrade, notification } = input;
    const { voters } = notification;
    const sent = this.#gates.get(place) ?? new Map<string, MessageRef>();
    const asked = voters === undefined ? new Map<string, string>() : await this.#asked(voters);
    const people = new Set([...asked.keys(), ...sent.keys()]);
    if (people.size === 0) return undefined;
    keep(this.#gates, place, sent);
    const content = directGateBlocks(
      { ...notification, run: upgrade.runId, mention: voters ?? notification.mention },
      await this.#link(shown),
    );
    let failure: SlackDeliveryError | undefined;
    for (const user of people) {
      try {
        await this.#tellOne(input, user, { sent, content, channel: asked.get(user) });
      } catch (error) {
        failure = this.#failed(error, `direct message to ${user}`);
        if (concernsAll(failure)) break;
      }
    }
    return failure;
  }

  /** Nothing may follow that would bring it: a closed gate is published once. */
  #after(telling: Telling, failure: SlackDeliveryError | undefined): void {
    const { place, input, tryCount } = telling;
    const isNewest = (): boolean => this.#newest.get(place) === telling;
    if (!isNewest()) return;
    if (failure?.retryable === true && tryCount < MOST_TRIES) {
      telling.tryCount += 1;
      const waitMs = Math.max((this.#deps.againMs ?? AGAIN_MS) * 2 ** (tryCount - 1), failure.retryAfterMs ?? 0);
      setTimeout(() => void (isNewest() && this.#inTurn(telling)), waitMs).unref();
      return;
    }
    if (input.notification.state.kind === 'open') return;
    this.#newest.delete(place);
    this.#gates.delete(place);
  }

  /** `channel`: of somebody who is asked now. Who has been sent one keeps it, and reads in it how the gate has ended. */
  async #tellOne(
    input: GateInput,
    user: string,
    { sent, content, channel }: { sent: Map<string, MessageRef>; content: Rendered; channel: string | undefined },
  ): Promise<void> {
    const { upgrade, key } = input;
    const { state } = input.notification;
    // What is not there is looked for each time: another worker may have posted it since.
    const known = sent.get(user) ?? (channel === undefined ? undefined : await this.#find(input, channel));
    if (known !== undefined) {
      sent.set(user, known);
      return await this.#edit(input, known, content);
    }
    if (state.kind !== 'open' || channel === undefined || hasVoted(state.votes, user)) return;
    if (!(await this.#deps.channels.isMember(input.channel, user))) return;
    const metadata = metadataFor(upgrade, key);
    const { ts } = await this.#deps.web.chat.postMessage({ channel, metadata, unfurl_links: false, unfurl_media: false, ...content });
    if (ts !== undefined) sent.set(user, { channel, ts });
  }

  /** By its metadata: a worker may have been killed between the post and this. */
  async #find({ upgrade, key, notification }: GateInput, channel: string): Promise<MessageRef | undefined> {
    const { web } = this.#deps;
    const oldest = oldestFor(notification.state.gate.openedAt);
    return await findMessage(web, channel, upgrade, key, defined({ oldest }));
  }

  async #edit({ upgrade, key }: GateInput, { channel, ts }: MessageRef, content: Rendered): Promise<void> {
    try {
      await this.#deps.web.chat.update({ channel, ts, metadata: metadataFor(upgrade, key), ...content });
    } catch (error) {
      // One that somebody deleted is not posted again.
      if (!LOST.includes(slackError(error, 'editing').code)) throw error;
    }
  }

  /** Of those who asked for messages, whoever may vote. Groups are read only where somebody of them may be in one. */
  async #asked({ users, groups, except }: Voters): Promise<ReadonlyMap<string, string>> {
    const { web } = this.#deps;
    const all = [...(await subscribersOf(web).channels())].filter(([user]) => !except.includes(user));
    const mayVote = new Set(users);
    for (const group of groups) {
      if (all.every(([user]) => mayVote.has(user))) break;
      try {
        for (const member of await shownGroups(web).members(group)) mayVote.add(member);
      } catch (error) {
        if (concernsAll(this.#failed(error, `reading user group ${group}`))) break;
      }
    }
    return new Map(all.filter(([user]) => mayVote.has(user)));
  }

  /** Without one the message is as good. */
  async #link({ channel, ts }: MessageRef): Promise<string | undefined> {
    const answer = await this.#deps.web.chat.getPermalink({ channel, message_ts: ts }).catch(() => undefined);
    return answer?.permalink;
  }

  /** Logs the first one of a kind, then once in ten minutes how many there were. */
  #failed(error: unknown, doing: string): SlackDeliveryError {
    const nowMs = this.#deps.nowMs();
    const failure = slackError(error, doing);
    const { code, message } = failure;
    const known = this.#failures.get(code) ?? { loggedAtMs: -Infinity, count: 0 };
    known.count += 1;
    this.#failures.set(code, known);
    if (nowMs - known.loggedAtMs >= PAUSE_MS) {
      this.#deps.warn?.(directNotSent(message, known.count));
      known.loggedAtMs = nowMs;
      known.count = 0;
    }
    if (OFF.includes(code)) this.#offUntilMs = nowMs + PAUSE_MS;
    return failure;
  }
}

/** There is no use in going on with others. */
const concernsAll = ({ code }: SlackDeliveryError): boolean => OFF.includes(code) || code === 'rate_limited';

const hasVoted = (votes: readonly { actor: { kind: string; id: string } }[], user: string): boolean =>
  votes.some(({ actor }) => actor.kind === 'slack' && actor.id === user);

/** The oldest ones give way. */
function keep<T>(gates: Map<string, T>, place: string, value: T): void {
  gates.set(place, value);
  for (const old of gates.keys()) {
    if (gates.size <= MOST_GATES) return;
    gates.delete(old);
  }
}
