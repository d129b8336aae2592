/** Delivers the store's events in order, even when a listener changes the store. */
import type { ObjectStore } from './store.ts';

export type StoreListener = Parameters<ObjectStore['watch']>[0];
export type StoreEvent = Parameters<StoreListener>[0];

export class EventQueue {
  readonly #listeners = new Set<StoreListener>();
  readonly #pending: StoreEvent[] = [];
  #emitting = false;

  listen(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: StoreEvent): void {
    this.#pending.push(event);
    if (this.#emitting) return;
    this.#emitting = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
        for (const listener of this.#listeners) listener(next);
      }
    } finally {
      this.#emitting = false;
    }
  }
}
