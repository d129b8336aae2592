/** What the mirror writes, sent to the real API server in the background: one object's writes in their order, through its restarts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './api.ts';

const RETRY_MS = 200;
/** A restart of the API server is transient; what lasts longer is not. */
const TRANSIENT_MS = 60_000;

export interface WritesOptions {
  /** A write that the server refused, for people. */
  onRefusal: (text: string) => void;
  /** Nothing is tried again once it has aborted. */
  signal: AbortSignal;
}

export class Writes {
  readonly #options: WritesOptions;
  /** The last one of each object that is under way. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** `object`: its name among all, which people read as well. An object that is gone or there already is no refusal. */
  send(object: string, request: () => Promise<void>): void {
    const sent = (this.#last.get(object) ?? Promise.resolve()).then(() => this.#persist(object, request));
    this.#last.set(object, sent);
    void sent.finally(() => {
      if (this.#last.get(object) === sent) this.#last.delete(object);
    });
  }

  async #persist(object: string, request: () => Promise<void>): Promise<void> {
    const { onRefusal, signal } = this.#options;
    const startedAt = performance.now();
    while (!signal.aborted) {
      try {
        return await request();
      } catch (error) {
        const failure = error instanceof ApiError ? error : new ApiError(-1, 'Unknown', String(error));
        const onTransient = failure.code === 0 || failure.code === 429 || failure.code >= 500;
        if (failure.code === 404 || failure.code === 409) return;
        if (!onTransient || performance.now() - startedAt > TRANSIENT_MS) return onRefusal(`${object}: ${failure.message}`);
        await sleep(RETRY_MS);
      }
    }
  }
}
