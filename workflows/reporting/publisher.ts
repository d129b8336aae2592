/** Delivers notifications to Slack, or keeps them in the history alone where there is none, without ever holding up a step: one queue per workflow, the newest state per key wins, board edits coalesce. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import type { MessageRef, Notification, PublishInput } from '../../domain/run/notifications.ts';
import { NO_SLACK } from '../../domain/policy/policy.ts';
import type { WeeklyHours } from '../../domain/policy/windows.ts';
import { publishActivities } from '../runtime/activity-proxies.ts';
import { whenSettled } from '../runtime/when-settled.ts';
import type { Pending } from './announcer.ts';
import { DeferredMentions } from './deferred-mentions.ts';
import { deliverLater } from './deliver-later.ts';
import { defined } from '../../domain/core/defined.ts';

/** Messages that go out in one activity: fewer events in the history, and a retry that stays short. */
const AT_ONCE_COUNT = 5;

const A_MOMENT = 'A moment for the last messages';

export interface PublishTo {
  upgrade: PublishInput['upgrade'];
  channel: string;
  /** A second channel, for those who only look on. */
  stakeholders?: string;
  /** Nobody is mentioned then. */
  quietHours?: WeeklyHours[];
  boardEditMs: number;
  /**
   * What is edited in place keeps to `boardEditMs` also where something else goes out, all of it together: one edit at a time, in turn. `lastAtMs`: the last
   * one, by the run before; 0: there is none.
   */
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
  #lastEditAtMs: number;
  #started = false;
  #busy = false;
  #ended = false;
  readonly #held = new DeferredMentions({
    waiting: (key) => this.#pending.get(key),
    say: (key, notification) => this.put({ key, notification }),
  });

  constructor(to: PublishTo) {
    this.#to = to;
    this.#lastEditAtMs = to.paced?.lastAtMs ?? 0;
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

  /** Waits until everything is delivered, at most `limitMs` beside the pace of edits; what was not is delivered later, by a workflow of its own. `part` as deliverLater. */
  async close(limitMs: number, part?: string): Promise<void> {
    const edits = this.#to.paced === undefined ? 0 : [...this.#pending.values()].filter(isEdited).length;
    const [isDone, mostMs] = [(): boolean => this.idle, limitMs + edits * this.#to.boardEditMs];
    if (!isDone() && mostMs > 0) await condition(isDone, mostMs, { summary: A_MOMENT });
    const left = this.#end(isDone);
    const { upgrade, channel, stakeholders } = this.#to;
    await deliverLater({ upgrade, ...defined({ stakeholders }), channel }, left, part);
  }

  /** For a run that another one goes on from. Gives the keys of states and files that have not gone out: that one tells them, as they are then. `part` as deliverLater. */
  async handOn(limitMs: number, part?: string): Promise<string[]> {
    const isLeft = (notification: Notification): boolean => isEdited(notification) || notification.kind === 'file';
    const isDone = (): boolean => !this.#busy && [...this.#pending.values()].every(isLeft);
    if (!isDone()) await condition(isDone, limitMs, { summary: A_MOMENT });
    const left = this.#end(isDone);
    const { upgrade, channel, stakeholders } = this.#to;
    await deliverLater(
      { upgrade, ...defined({ stakeholders }), channel },
      left.filter(({ notification }) => !isLeft(notification)),
      part,
    );
    // With what has changed up to this moment.
    return [...this.#pending].flatMap(([key, notification]) => (isLeft(notification) ? [key] : []));
  }

  /** Gives what has not gone out. */
  #end(isDone: () => boolean): Pending[] {
    this.#ended = true;
    if (!isDone()) this.#scope?.cancel();
    return [...this.#pending].map(([key, notification]) => ({ key, notification }));
  }

  async #deliver(): Promise<void> {
    while (!this.#ended) {
      await condition(() => this.#pending.size > 0 || this.#ended);
      // What else comes at the same moment goes out with it.
      await whenSettled();
      const waitMs = this.#editWaitMs();
      if (waitMs > 0) {
        await condition(() => this.#hasMore() || this.#ended, waitMs, { summary: 'Collect changes for the board' });
      } else if (!this.#ended) {
        await this.#publish();
      }
    }
  }

  /** What was edited a moment ago waits for its turn, unless something else goes out anyway: then it goes along, or waits on. */
  #editWaitMs(): number {
    return this.#ended || this.#hasMore() ? 0 : this.#untilEditMs();
  }

  #untilEditMs(): number {
    return this.#lastEditAtMs + this.#to.boardEditMs - Date.now();
  }

  /** Does something wait that is not held to the pace of edits? */
  #hasMore(): boolean {
    return [...this.#pending.values()].some((notification) => !isEdited(notification) && !this.#isHeld(notification));
  }

  /** A file goes below a message that is there, in its last state. */
  #isHeld(notification: Notification): boolean {
    return notification.kind === 'file' && this.#pending.has(notification.below);
  }

  #going(): [string, Notification][] {
    const going = [...this.#pending].filter(([, notification]) => !this.#isHeld(notification));
    if (this.#to.paced === undefined) return going.slice(0, AT_ONCE_COUNT);
    const others = going.filter(([, notification]) => !isEdited(notification));
    // The one that has waited longest; before the others, which may be replies to it.
    const next = this.#untilEditMs() > 0 ? [] : going.filter(([, notification]) => isEdited(notification)).slice(0, 1);
    return [...next, ...others].slice(0, AT_ONCE_COUNT);
  }

  async #publish(): Promise<void> {
    const { upgrade, channel, stakeholders, quietHours = [] } = this.#to;
    const going = this.#going();
    const keys = going.map(([key]) => key);
    const messages = going.map(([key, notification]) => ({
      key,
      notification,
      known: this.#known.get(notification.kind === 'file' ? notification.below : key),
    }));
    this.#busy = true;
    // Only removed when delivered: what fails for good, or is cut off by the end, stays to be handed over.
    try {
      const deliveries = await publishActivities.publish.executeWithOptions({ summary: summaryOf(channel, keys) }, [
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
    for (const [key, notification] of going) this.#wentOut(key, notification);
    if (going.some(([, notification]) => isEdited(notification))) this.#lastEditAtMs = Date.now();
  }

  /** What has changed meanwhile is told again, in a campaign after all that waits already. */
  #wentOut(key: string, notification: Notification): void {
    const newer = this.#pending.get(key);
    if (newer !== undefined && newer !== notification && this.#to.paced === undefined) return;
    this.#pending.delete(key);
    if (newer !== undefined && newer !== notification) this.#pending.set(key, newer);
  }
}

/** Of the activity, in Temporal UI. */
export const summaryOf = (channel: string, keys: readonly string[]): string =>
  `${channel === NO_SLACK ? 'Keep for belay logs' : 'Tell Slack'}: ${keys.join(', ')}`;

const EDITED: readonly Notification['kind'][] = ['board', 'campaign', 'ring'];

/** How things are: told again and again, and only the last state counts. */
const isEdited = ({ kind }: Notification): boolean => EDITED.includes(kind);
