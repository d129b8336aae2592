/** One direct message per gate to each approver who asked for them: beside the gate's own message, and never in its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebClient } from '@slack/web-api';
import { defined } from '../../domain/core/defined.ts';
import type { MessageRef, Notification, PublishInput, Voters } from '../../domain/run/notifications.ts';
import type { Channels } from '../api/channels.ts';
import { LOST, slackError } from '../api/errors.ts';
import { shownGroups } from '../api/group-cache.ts';
import { ownUser } from '../api/own-user.ts';
import { directGateBlocks } from '../blocks/direct.ts';
import type { Rendered } from '../blocks/kit/elements.ts';
import { directNotSent } from '../messages/direct.ts';
import { subscribersOf } from './subscribers.ts';
import { findMessage, metadataFor } from './threads.ts';

type GateInput = PublishInput<Extract<Notification, { kind: 'gate' }>>;

/** The gate's own publication waits no longer: it has 30 s, and other messages behind it. The rest goes on by itself. */
const MOST_MS = 5_000;
/** Gates that wait for their turn; where Slack hangs, more are left out. */
const MOST_TURNS = 100;
const MOST_GATES = 500;
/** What an administrator has to mend is tried again after this time; and a failure is logged no more often. */
const PAUSE_MS = 10 * 60_000;
/** Clocks of Slack and of workers differ. */
const CLOCK_SKEW_SEC = 120;

/** Of the installation, so of everybody: docs.slack.dev/reference/methods/chat.postMessage#errors */
const OFF = ['missing_scope', 'not_allowed_token_type', 'invalid_auth', 'account_inactive', 'token_revoked', 'not_authed'];

/** What is known of one person at one gate. */
interface Sent {
  ref: MessageRef;
  /** As it was sent last; undefined: by a worker before this one. */
  text?: string;
}

export interface DirectDeps {
  web: WebClient;
  channels: Channels;
  nowMs: () => number;
  warn?: (message: string) => void;
}

export class DirectMessages {
  readonly #deps: DirectDeps;
  /** By gate and person; undefined: looked for, and not there. */
  readonly #gates = new Map<string, Map<string, Sent | undefined>>();
  #turn: Promise<void> = Promise.resolve();
  #turnCount = 0;
  #offUntilMs = 0;
  /** By Slack's code. */
  readonly #failures = new Map<string, { loggedAtMs: number; count: number }>();

  constructor(deps: DirectDeps) {
    this.#deps = deps;
  }

  /** `input.notification` is held to the gate's own key: reminders are messages of the thread. After the gate's message, which `shown` is. Never throws, and takes five seconds at most. */
  async tell(input: GateInput, shown: MessageRef): Promise<void> {
    if (this.#turnCount >= MOST_TURNS || this.#deps.nowMs() < this.#offUntilMs) return;
    this.#turnCount += 1;
    // One after the other: two at a time would not see what the other posts.
    this.#turn = this.#turn
      .then(() => this.#tell(input, shown))
      .catch((error: unknown) => void this.#failed(error, 'looking for approvers'))
      .finally(() => (this.#turnCount -= 1));
    const done = new AbortController();
    const limit = sleep(MOST_MS, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.#turn.finally(() => done.abort()), limit]);
  }

  async #tell(input: GateInput, shown: MessageRef): Promise<void> {
    const { upgrade, notification } = input;
    const { state, voters } = notification;
    const place = `${upgrade.workflowId} ${upgrade.runId} ${state.gate.id}`;
    const sent = this.#gates.get(place) ?? new Map<string, Sent | undefined>();
    const asked = voters === undefined ? new Map<string, string>() : await this.#asked(voters);
    const people = [...new Set([...asked.keys(), ...sent.keys()])];
    if (people.length === 0) return;
    this.#keep(place, sent);
    const content = directGateBlocks(
      { ...notification, run: upgrade.runId, mention: voters ?? notification.mention },
      await this.#link(shown),
    );
    for (const user of people) {
      try {
        await this.#tellOne(input, user, { sent, content, channel: asked.get(user) });
      } catch (error) {
        if (this.#failed(error, `direct message to ${user}`)) return;
      }
    }
    if (state.kind !== 'open') this.#gates.delete(place);
  }

  /** `channel`: of somebody who is asked now. Who has been sent one keeps it, and reads in it how the gate has ended. */
  async #tellOne(
    input: GateInput,
    user: string,
    { sent, content, channel }: { sent: Map<string, Sent | undefined>; content: Rendered; channel: string | undefined },
  ): Promise<void> {
    const { upgrade, key } = input;
    const { state } = input.notification;
    if (!sent.has(user) && channel !== undefined) sent.set(user, await this.#find(input, channel));
    const known = sent.get(user);
    if (known !== undefined) return await this.#edit(input, known, content);
    if (state.kind !== 'open' || channel === undefined || hasVoted(state.votes, user)) return;
    if (!(await this.#deps.channels.isMember(input.channel, user))) return;
    const metadata = metadataFor(upgrade, key);
    const posting = { channel, metadata, unfurl_links: false, unfurl_media: false, ...content };
    const { ts } = await this.#deps.web.chat.postMessage(posting);
    if (ts !== undefined) sent.set(user, { ref: { channel, ts }, text: JSON.stringify(content) });
  }

  /** By its metadata: a worker may have been killed between the post and this. */
  async #find({ upgrade, key, notification }: GateInput, channel: string): Promise<Sent | undefined> {
    const { web } = this.#deps;
    const openedSec = Date.parse(notification.state.gate.openedAt) / 1000 - CLOCK_SKEW_SEC;
    const oldest = Number.isNaN(openedSec) ? undefined : openedSec.toFixed(6);
    const ref = await findMessage(web, channel, upgrade, key, { ...defined({ oldest }), author: await ownUser(web) });
    return ref === undefined ? undefined : { ref };
  }

  async #edit({ upgrade, key }: GateInput, known: Sent, content: Rendered): Promise<void> {
    const text = JSON.stringify(content);
    if (known.text === text) return;
    const { channel, ts } = known.ref;
    try {
      await this.#deps.web.chat.update({ channel, ts, metadata: metadataFor(upgrade, key), ...content });
    } catch (error) {
      // One that somebody deleted is not posted again.
      if (!LOST.includes(slackError(error, 'editing').code)) throw error;
    }
    known.text = text;
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
        if (this.#failed(error, `reading user group ${group}`)) break;
      }
    }
    return new Map(all.filter(([user]) => mayVote.has(user)));
  }

  /** Without one the message is as good. */
  async #link({ channel, ts }: MessageRef): Promise<string | undefined> {
    const answer = await this.#deps.web.chat.getPermalink({ channel, message_ts: ts }).catch(() => undefined);
    return answer?.permalink;
  }

  #keep(place: string, sent: Map<string, Sent | undefined>): void {
    this.#gates.set(place, sent);
    for (const old of this.#gates.keys()) {
      if (this.#gates.size <= MOST_GATES) return;
      this.#gates.delete(old);
    }
  }

  /** Whether there is no use in going on with others. What was not sent is sent when the gate is published again: with a reminder, a vote, its end. */
  #failed(error: unknown, doing: string): boolean {
    const nowMs = this.#deps.nowMs();
    const { code, message } = slackError(error, doing);
    const known = this.#failures.get(code) ?? { loggedAtMs: -Infinity, count: 0 };
    known.count += 1;
    this.#failures.set(code, known);
    if (nowMs - known.loggedAtMs >= PAUSE_MS) {
      this.#deps.warn?.(directNotSent(message, known.count));
      known.loggedAtMs = nowMs;
      known.count = 0;
    }
    if (OFF.includes(code)) this.#offUntilMs = nowMs + PAUSE_MS;
    return OFF.includes(code) || code === 'rate_limited';
  }
}

const hasVoted = (votes: readonly { actor: { kind: string; id: string } }[], user: string): boolean =>
  votes.some(({ actor }) => actor.kind === 'slack' && actor.id === user);
