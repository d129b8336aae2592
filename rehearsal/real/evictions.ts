/** Evictions by the real API server, for a controller that cannot wait: the answer to one attempt is known to the next. */
import { budgetsOf } from '../kubernetes/pods/eviction.ts';
import { type EvictionResult, type ObjectStore, StoreError } from '../kubernetes/store.ts';
import { BUILT_IN_TYPES } from '../kubernetes/types.ts';
import { type Api, ApiError } from './api.ts';
import { objectPath } from './paths.ts';

/** A refusal is told again to whoever tries again this soon. Wall time. */
const REFUSAL_MS = 2_000;
const POD = BUILT_IN_TYPES.find(({ plural, group }) => plural === 'pods' && group === '');

export class Evictions {
  readonly #api: Api;
  readonly #store: ObjectStore;
  /** By pod. Without a refusal: asked for, or granted. */
  readonly #attempts = new Map<string, { refusal?: ApiError; atMs: number }>();

  constructor(api: Api, store: ObjectStore) {
    this.#api = api;
    this.#store = store;
  }

  attempt(name: string, namespace: string): EvictionResult {
    const key = `${namespace}/${name}`;
    const before = this.#attempts.get(key);
    if (before !== undefined && before.refusal === undefined) return { ok: true };
    if (before?.refusal === undefined || Date.now() - before.atMs >= REFUSAL_MS) this.#ask(key, name, namespace);
    return before?.refusal === undefined ? { ok: true } : this.#refused(name, namespace, before.refusal);
  }

  /** The pod is gone. */
  forget(name: string, namespace: string): void {
    this.#attempts.delete(`${namespace}/${name}`);
  }

  #ask(key: string, name: string, namespace: string): void {
    if (POD === undefined) return;
    this.#attempts.set(key, { atMs: Date.now() });
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    this.#api.post(`${objectPath(POD, name, namespace)}/eviction`, body).catch((error: unknown) => {
      const refusal = error instanceof ApiError ? error : new ApiError(0, 'Unknown', String(error));
      if (refusal.code === 0 || refusal.code === 404) this.#attempts.delete(key);
      else this.#attempts.set(key, { refusal, atMs: Date.now() });
    });
  }

  #refused(name: string, namespace: string, { code, reason, message }: ApiError): EvictionResult {
    const pod = this.#store.get('pods', name, namespace);
    const blockedBy = pod === undefined ? [] : budgetsOf(this.#store, pod).map((budget) => budget.metadata.name);
    return { ok: false, blockedBy, error: new StoreError(code, reason, message) };
  }
}
