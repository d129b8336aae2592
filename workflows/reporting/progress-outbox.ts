/** What a step's workflow has to tell its run and has not told yet: what comes in one breath is one message. */
import type { Told } from '../contract/messages.ts';

/** A message has room for one of each. */
const ONCE = ['gateOpened', 'gateClosed', 'notRestored'] as const;

export class Outbox {
  #left: Told = {};

  /** Would something of what waits be lost with this? */
  clashes(progress: Told): boolean {
    return ONCE.some((key) => key in this.#left && key in progress);
  }

  /** The newest word wins; what is said, asked and recorded is kept, the oldest first. */
  put(progress: Told): void {
    const say = [...(this.#left.say ?? []), ...(progress.say ?? [])];
    const audit = [...(this.#left.audit ?? []), ...(progress.audit ?? [])];
    const asked = [...(this.#left.asked ?? []), ...(progress.asked ?? [])];
    this.#left = {
      ...this.#left,
      ...progress,
      ...(say.length > 0 ? { say } : {}),
      ...(asked.length > 0 ? { asked } : {}),
      ...(audit.length > 0 ? { audit } : {}),
    };
  }

  /** undefined: nothing waits. */
  take(): Told | undefined {
    const left = this.#left;
    this.#left = {};
    return Object.keys(left).length === 0 ? undefined : left;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#left).length === 0;
  }
}
