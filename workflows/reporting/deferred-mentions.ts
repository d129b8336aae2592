/** Mentions that quiet hours held back: whoever was to be asked at a gate is asked when they end, where it is still open. */
import { isCancellation, sleep } from '@temporalio/workflow';
import type { Delivery, Notification } from '../../domain/run/notifications.ts';

type GateNotification = Extract<Notification, { kind: 'gate' }>;

interface Voice {
  /** What is to be told under this key and has not gone out yet. */
  waiting: (key: string) => Notification | undefined;
  say: (key: string, notification: Notification) => void;
}

export class DeferredMentions {
  readonly #voice: Voice;
  /** By key: as they were told last. */
  readonly #held = new Map<string, GateNotification>();
  /** One timer for all: they end together. */
  #waits = false;

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  /** After each delivery. Adds nothing to the history where no mention is held back. */
  delivered({ key, heldForMs }: Delivery, notification: Notification | undefined): void {
    if (notification?.kind !== 'gate') return;
    if (notification.state.kind !== 'open') this.#held.delete(key);
    else if (heldForMs !== undefined || this.#held.has(key)) this.#held.set(key, notification);
    if (heldForMs === undefined || this.#waits) return;
    this.#waits = true;
    void this.#tellIn(heldForMs).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  async #tellIn(waitMs: number): Promise<void> {
    // Clocks of workers differ: what goes out a moment too early would be held back for that moment.
    await sleep(waitMs + 1_000, { summary: 'Mentions wait for the end of quiet hours' });
    this.#waits = false;
    for (const [key, told] of this.#held) {
      const next = this.#voice.waiting(key) ?? told;
      if (next.kind === 'gate' && next.state.kind === 'open')
        this.#voice.say(key, { ...next, reminder: true, afterQuiet: new Date().toISOString() });
    }
    this.#held.clear();
  }
}
