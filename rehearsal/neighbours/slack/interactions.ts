/** What people do in the client, told to the app: commands, button presses, modals; and what the app answers. */
import type { Delivery } from './modes/app-link.ts';
import { deliverEvent } from './modes/events.ts';
import { type Message, threadOf } from './methods/messages.ts';
import { actionPayload, commandPayload, homeOpenedPayload, type Occasion, pressables, viewActionPayload, viewPayload } from './payloads.ts';
import { answerInPlace } from './responses.ts';
import { fieldsOf, textOf, textsOf } from './block-kit/shape.ts';
import { type SlackState, wireMessage } from './state.ts';
import { type Filled, stateOf, submissionOf } from './view-state.ts';
import type { Person } from './workspace.ts';

export interface Click {
  actionId: string;
  value: string;
  messageTs: string;
  user: string;
}

/** How something that a person did reached the app. */
export type Outcome = 'acked' | 'unanswered' | 'no-app' | 'down';
export type ClickOutcome = Outcome | 'no-such-button';
export interface ViewOutcome {
  outcome: Outcome | 'refused' | 'no-such-view';
  closed: boolean;
  /** By block id. */
  errors?: Record<string, string>;
}

export class Interactions {
  readonly #state: SlackState;
  readonly #clickListeners = new Set<(click: Click) => void | Promise<void>>();

  constructor(state: SlackState) {
    this.#state = state;
  }

  onClick(listener: (click: Click) => void | Promise<void>): () => void {
    this.#clickListeners.add(listener);
    return () => this.#clickListeners.delete(listener);
  }

  /** A line such as "/eks-upgrade start staging 1.32"; without a slash it is the first command's text. */
  async submitCommand(user: string, line: string): Promise<Outcome> {
    const { workspace } = this.#state;
    const typed = line.trim();
    const [, command = workspace.commands[0] ?? '', text = ''] = /^(\/\S+)?\s*([\s\S]*)$/.exec(typed) ?? [];
    const channel = this.#channel();
    if (this.#state.down) return 'down';
    if (!workspace.commands.includes(command)) {
      this.#tellUser(user, channel.id, `${command} is not a valid command.`);
      return 'no-app';
    }
    const responseUrl = this.#responseUrl({ user, channel: channel.id });
    const payload = commandPayload(this.#occasion(user), { command, text, channel, responseUrl });
    const delivery = await this.#state.link.deliver({ type: 'slash_commands', payload, acceptsPayload: true });
    if (delivery.kind === 'acked') answerInPlace(this.#state, { user, channel: channel.id }, delivery.payload);
    else
      this.#tellUser(
        user,
        channel.id,
        `${command} failed with the error "${delivery.kind === 'no-app' ? 'dispatch_failed' : 'operation_timeout'}"`,
      );
    return delivery.kind;
  }

  /** Presses a button. Listeners are awaited before the app hears of it. `selected` is the value chosen in a menu. */
  async click(user: string, messageTs: string, actionId: string, selected?: string): Promise<ClickOutcome> {
    if (this.#state.down) return 'down';
    const message = this.#state.messages.all().find((one) => one.ts === messageTs && (one.ephemeralTo ?? user) === user);
    const pressable = message === undefined ? undefined : pressables(message).find(({ element }) => element['action_id'] === actionId);
    if (message === undefined || pressable === undefined) return 'no-such-button';
    const value = textOf(pressable.element['value']) ?? selected ?? '';
    for (const listener of this.#clickListeners) await listener({ actionId, value, messageTs, user });
    const responseUrl = this.#responseUrl({ user, channel: message.channel, threadTs: threadOf(message), messageTs });
    const payload = actionPayload(this.#occasion(user), {
      message,
      wireMessage: wireMessage(message),
      pressable,
      selected,
      channelName: this.#channel(message.channel).name,
      responseUrl,
    });
    return (await this.#state.link.deliver({ type: 'interactive', payload, acceptsPayload: false })).kind;
  }

  async submitView(user: string, viewId: string, filled: Filled): Promise<ViewOutcome> {
    if (this.#state.down) return { outcome: 'down', closed: false };
    const open = this.#state.views.find(viewId);
    if (open === undefined || open.user !== user) return { outcome: 'no-such-view', closed: false };
    const submission = submissionOf(open.view, filled);
    if (submission.kind === 'refused') return { outcome: 'refused', closed: false, errors: submission.errors };
    const payload = viewPayload(this.#occasion(user), 'view_submission', open.view, submission.values);
    const delivery = await this.#state.link.deliver({ type: 'interactive', payload, acceptsPayload: true });
    return this.#afterSubmission(user, viewId, delivery);
  }

  /** Presses a button or chooses from a menu in a modal or on the Home tab. `filled`: what stands in its fields by then. */
  async pressInView(
    user: string,
    viewId: string,
    actionId: string,
    press: { selected?: string; filled?: Filled } = {},
  ): Promise<ClickOutcome> {
    if (this.#state.down) return 'down';
    const open = this.#state.views.find(viewId);
    const pressable = open === undefined ? undefined : pressables(open.view).find(({ element }) => element['action_id'] === actionId);
    if (open === undefined || open.user !== user || pressable === undefined) return 'no-such-button';
    const { selected, filled = {} } = press;
    const values = stateOf(open.view, selected === undefined ? filled : { ...filled, [pressable.blockId]: selected });
    const payload = viewActionPayload(this.#occasion(user), { view: open.view, pressable, selected, values });
    return (await this.#state.link.deliver({ type: 'interactive', payload, acceptsPayload: false })).kind;
  }

  /** Looks at the app's Home tab. */
  async openHome(user: string): Promise<Outcome> {
    if (this.#state.down) return 'down';
    const payload = homeOpenedPayload(this.#occasion(user), this.#state.views.home(user));
    return (await deliverEvent(this.#state.link, payload)).kind;
  }

  async closeView(user: string, viewId: string): Promise<void> {
    const open = this.#state.views.find(viewId);
    if (open === undefined || open.user !== user) return;
    this.#state.views.close(viewId);
    if (open.view['notify_on_close'] !== true || this.#state.down) return;
    const payload = viewPayload(this.#occasion(user), 'view_closed', open.view, {});
    await this.#state.link.deliver({ type: 'interactive', payload, acceptsPayload: false });
  }

  /** A person says something in their conversation with the app, or another app does in their name: then with metadata. */
  sayDirectly(user: string, text: string, metadata?: Message['metadata']): Message {
    const channel = this.#state.direct.find(({ direct }) => direct === user)?.id ?? '';
    return this.#state.messages.post({ channel, user, text, blocks: [], team: this.#state.workspace.team.id, metadata });
  }

  /** A person says something in the channel or in a thread, or another app does in their name: then with metadata. */
  say(user: string, text: string, threadTs?: string, metadata?: Message['metadata']): Message {
    return this.#state.messages.post({
      channel: this.#channel().id,
      user,
      text,
      blocks: [],
      team: this.#state.workspace.team.id,
      thread_ts: threadTs,
      metadata,
    });
  }

  #afterSubmission(user: string, viewId: string, delivery: Delivery): ViewOutcome {
    const { views } = this.#state;
    if (delivery.kind !== 'acked') return { outcome: delivery.kind, closed: false };
    const { payload } = delivery;
    switch (payload['response_action']) {
      case 'errors':
        return { outcome: 'acked', closed: false, errors: textsOf(payload['errors']) };
      case 'update':
        views.update({ viewId }, fieldsOf(payload['view']));
        return { outcome: 'acked', closed: false };
      case 'push':
        views.push(user, fieldsOf(payload['view']));
        return { outcome: 'acked', closed: false };
      case 'clear':
        views.closeAll(user);
        return { outcome: 'acked', closed: true };
      default:
        views.close(viewId);
        return { outcome: 'acked', closed: true };
    }
  }

  #occasion(user: string): Occasion {
    return { workspace: this.#state.workspace, person: this.#person(user), triggerId: this.#state.triggers.issue(user) };
  }

  #person(user: string): Person {
    const person = this.#state.workspace.people.find((one) => one.id === user);
    if (person === undefined) throw new RangeError(`nobody in the rehearsal's workspace has the id ${user}`);
    return person;
  }

  #channel(id?: string): { id: string; name: string } {
    const { workspace, direct } = this.#state;
    const channel = [...workspace.channels, ...direct].find((one) => (id === undefined ? one.botIsMember : one.id === id));
    if (channel === undefined) throw new RangeError(`the rehearsal's workspace has no channel ${id ?? 'with the app in it'}`);
    return channel;
  }

  #responseUrl(target: { user: string; channel: string; threadTs?: string; messageTs?: string }): string {
    return `${this.#state.origin}/response/${this.#state.responseUrls.issue(target)}`;
  }

  /** What Slack itself says to one person. */
  #tellUser(user: string, channel: string, text: string): void {
    this.#state.messages.post({ channel, user: 'USLACKBOT', text, blocks: [], ephemeralTo: user });
  }
}
