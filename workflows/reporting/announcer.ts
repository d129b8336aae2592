/** Tells people what happens without ever holding up a step: one queue per workflow, the newest state per key wins, board edits coalesce. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import type { MessageRef, Notification, PublishInput } from '../../domain/run/notifications.ts';
import type { WeeklyHours } from '../../domain/policy/windows.ts';
import { publishActivities } from '../runtime/activity-proxies.ts';
import { HeldMentions } from './deferred-mentions.ts';
import { whenQuiet } from '../runtime/when-settled.ts';

/** Messages that go out in one activity: fewer events in the history, and a retry that stays short. */
const AT_ONCE_COUNT = 5;

export interface Pending {
  key: string;
  notification: Notification;
}

export class Announcer {
  readonly #pending = new Map<string, Notification>();
  readonly #known = new Map<string, MessageRef>();
  readonly #upgrade: PublishInput['upgrade'];
  readonly #channel: string | undefined;
  readonly #stakeholders: string | undefined;
  readonly #boardEditMs: number;
  readonly #isConcise: boolean;
  /** Of its own: what is to be told must be told above all when the run is being cancelled. */
  #scope: CancellationScope | undefined;
  #lastBoardAtMs = 0;
  #busy = false;
  #ended = false;
  #noteCount = 0;
  readonly #notePrefix: string;
  readonly #quietHours: WeeklyHours[];
  readonly #held = new HeldMentions({
    waiting: (key) => this.#pending.get(key),
    say: (key, notification) => void this.#pending.set(key, this.#stamp(notification)),
  });
  #relay: ((pending: Pending) => void) | undefined;
  readonly #stamp: (notification: Notification) => Notification;

  /**
   * `notePrefix` keeps the keys of notes apart between workflows of one run, e.g. the step's id and round. `relay`: somebody else delivers, as long
   * as nobody calls `start`. `stamp`: adds to each what is true at that moment.
   */
  constructor(options: {
    upgrade: PublishInput['upgrade'];
    channel: string | undefined;
    /** A second channel, for those who only look on. */
    stakeholders?: string;
    boardEditMs: number;
    notePrefix: string;
    /** Nobody is mentioned then. */
    quietHours?: WeeklyHours[];
    relay?: (pending: Pending) => void;
    /** What else comes at the same moment goes out with it. */
    concise?: boolean;
    stamp?: (notification: Notification) => Notification;
  }) {
    this.#upgrade = options.upgrade;
    this.#channel = options.channel;
    this.#stakeholders = options.stakeholders;
    this.#boardEditMs = options.boardEditMs;
    this.#notePrefix = options.notePrefix;
    this.#isConcise = options.concise === true;
    this.#quietHours = options.quietHours ?? [];
    this.#relay = options.relay;
    this.#stamp = options.stamp ?? ((notification) => notification);
  }

  /** Starts delivering in the background. */
  start(): void {
    this.#relay = undefined;
    if (this.#channel === undefined) return;
    const channel = this.#channel;
    void CancellationScope.nonCancellable(async () => {
      this.#scope = new CancellationScope({ cancellable: true });
      await this.#scope.run(() => this.#deliver(channel));
    }).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  say(key: string, notification: Notification): void {
    if (this.#channel === undefined) return;
    if (this.#relay === undefined) this.#pending.set(key, this.#stamp(notification));
    else this.#relay({ key, notification });
  }

  note(text: string, options: Partial<Omit<Extract<Notification, { kind: 'note' }>, 'kind' | 'text'>> = {}): void {
    this.#noteCount += 1;
    this.say(`note/${this.#notePrefix}/${this.#noteCount}`, {
      kind: 'note',
      level: options.level ?? 'info',
      text,
      ask: options.ask,
      broadcast: options.broadcast,
      ...(options.mention === undefined ? {} : { mention: options.mention }),
    });
  }

  get idle(): boolean {
    return this.#pending.size === 0 && !this.#busy;
  }

  /** Waits until everything is delivered, at most `limitMs`; returns what was not. */
  async finish(limitMs: number): Promise<Pending[]> {
    if (!this.idle && limitMs > 0) await condition(() => this.idle, limitMs, { summary: 'A moment for the last messages' });
    this.#ended = true;
    const left = [...this.#pending].map(([key, notification]) => ({ key, notification }));
    if (!this.idle) this.#scope?.cancel();
    return left;
  }

  async #deliver(channel: string): Promise<void> {
    while (!this.#ended) {
      await condition(() => this.#pending.size > 0 || this.#ended);
      if (this.#isConcise) await whenQuiet();
      const waitMs = this.#boardWaitMs();
      if (waitMs > 0) {
        await condition(() => this.#pending.size > 1 || this.#ended, waitMs, { summary: 'Collect changes for the board' });
      } else if (!this.#ended) {
        await this.#publish(channel);
      }
    }
  }

  /** A board that was edited a moment ago waits for its turn, unless something else goes out anyway: then it goes along. */
  #boardWaitMs(): number {
    if (this.#ended || this.#pending.size !== 1 || !this.#pending.has('board')) return 0;
    return this.#lastBoardAtMs + this.#boardEditMs - Date.now();
  }

  async #publish(channel: string): Promise<void> {
    const going = [...this.#pending].slice(0, AT_ONCE_COUNT);
    const keys = going.map(([key]) => key);
    const messages = going.map(([key, notification]) => ({ key, notification, known: this.#known.get(key) }));
    this.#busy = true;
    // Only removed when delivered: what fails for good, or is cut off by the end, stays to be handed over.
    try {
      const deliveries = await publishActivities.publish.executeWithOptions({ summary: `Tell Slack: ${keys.join(', ')}` }, [
        {
          upgrade: this.#upgrade,
          channel,
          ...(this.#stakeholders === undefined ? {} : { stakeholders: this.#stakeholders }),
          ...(this.#quietHours.length === 0 ? {} : { quietHours: this.#quietHours }),
          messages,
        },
      ]);
      for (const delivery of deliveries) {
        const { key, ref } = delivery;
        if (ref !== undefined) this.#known.set(key, ref);
        this.#held.delivered(delivery, messages.find((message) => message.key === key)?.notification);
      }
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Slack refuses for good: people still have Temporal UI and the CLI.
      await sleep(1000, { summary: 'Slack refused a message' });
    } finally {
      this.#busy = false;
    }
    for (const [key, notification] of going) if (this.#pending.get(key) === notification) this.#pending.delete(key);
    if (keys.includes('board')) this.#lastBoardAtMs = Date.now();
  }
}
