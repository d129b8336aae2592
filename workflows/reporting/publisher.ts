/** Delivers notifications to Slack without ever holding up a step: one queue per workflow, the newest state per key wins, board edits coalesce. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import type { MessageRef, Notification, PublishInput } from '../../domain/run/notifications.ts';
import type { WeeklyHours } from '../../domain/policy/windows.ts';
import { publishActivities } from '../runtime/activity-proxies.ts';
import { whenSettled } from '../runtime/when-settled.ts';
import type { Pending } from './announcer.ts';
import { DeferredMentions } from './deferred-mentions.ts';
import { deliverLater } from './deliver-later.ts';
import { defined } from '../../domain/core/defined.ts';

/** Messages that go out in one activity: fewer events in the history, and a retry that stays short. */
const AT_ONCE_COUNT = 5;

export interface PublishTo {
  upgrade: PublishInput['upgrade'];
  channel: string;
  /** A second channel, for those who only look on. */
  stakeholders?: string;
  /** Nobody is mentioned then. */
  quietHours?: WeeklyHours[];
  boardEditMs: number;
  /** The board keeps to `boardEditMs` also where something else goes out. `lastAtMs`: its last edit, by the run before; 0: there is none. */
  paced?: { lastAtMs: number };
  /** Adds to each what is true when it is told. */
  stamp?: (notification: Notification) => Notification;
}

export class Publisher {
  readonly #to: PublishTo;
  readonly #pending = new Map<string, Notification>();
  readonly #known = new Map<string, MessageRef>();
  /** Of its own: what is to be told must be told above all when the run is being cancelled. */
  #scope: CancellationScope | undefined;
  #lastBoardAtMs: number;
  #started = false;
  #busy = false;
  #ended = false;
  readonly #held = new DeferredMentions({
    waiting: (key) => this.#pending.get(key),
    say: (key, notification) => this.put({ key, notification }),
  });

  constructor(to: PublishTo) {
    this.#to = to;
    this.#lastBoardAtMs = to.paced?.lastAtMs ?? 0;
  }

  /** Starts delivering in the background. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    void CancellationScope.nonCancellable(async () => {
      this.#scope = new CancellationScope({ cancellable: true });
      await this.#scope.run(() => this.#deliver());
    }).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  put({ key, notification }: Pending): void {
    this.#pending.set(key, this.#to.stamp?.(notification) ?? notification);
  }

  get idle(): boolean {
    return this.#pending.size === 0 && !this.#busy;
  }

  /** Waits until everything is delivered, at most `limitMs`; what was not is delivered later, by a workflow of its own. */
  async close(limitMs: number): Promise<void> {
    if (!this.idle && limitMs > 0) await condition(() => this.idle, limitMs, { summary: 'A moment for the last messages' });
    this.#ended = true;
    const left = [...this.#pending].map(([key, notification]) => ({ key, notification }));
    if (!this.idle) this.#scope?.cancel();
    const { upgrade, channel, stakeholders } = this.#to;
    await deliverLater({ upgrade, ...defined({ stakeholders }), channel }, left);
  }

  async #deliver(): Promise<void> {
    while (!this.#ended) {
      await condition(() => this.#pending.size > 0 || this.#ended);
      // What else comes at the same moment goes out with it.
      await whenSettled();
      const waitMs = this.#boardWaitMs();
      if (waitMs > 0) {
        await condition(() => this.#pending.size > 1 || this.#ended, waitMs, { summary: 'Collect changes for the board' });
      } else if (!this.#ended) {
        await this.#publish();
      }
    }
  }

  /** A board that was edited a moment ago waits for its turn, unless something else goes out anyway: then it goes along. */
  #boardWaitMs(): number {
    if (this.#ended || this.#pending.size !== 1 || !this.#pending.has('board')) return 0;
    return this.#untilBoardMs();
  }

  #untilBoardMs(): number {
    return this.#lastBoardAtMs + this.#to.boardEditMs - Date.now();
  }

  async #publish(): Promise<void> {
    const { upgrade, channel, stakeholders, quietHours = [], paced } = this.#to;
    const isBoardDue = paced === undefined || this.#untilBoardMs() <= 0;
    const going = [...this.#pending].filter(([key]) => key !== 'board' || isBoardDue).slice(0, AT_ONCE_COUNT);
    const keys = going.map(([key]) => key);
    const messages = going.map(([key, notification]) => ({ key, notification, known: this.#known.get(key) }));
    this.#busy = true;
    // Only removed when delivered: what fails for good, or is cut off by the end, stays to be handed over.
    try {
      const deliveries = await publishActivities.publish.executeWithOptions({ summary: `Tell Slack: ${keys.join(', ')}` }, [
        {
          upgrade,
          channel,
          ...defined({ stakeholders }),
          ...(quietHours.length === 0 ? {} : { quietHours }),
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
