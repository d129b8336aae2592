/** A connection to Temporal in whose place another one can be put: a client's certificates expire while its process runs. */
import type { Connection } from '@temporalio/client';

export interface Replaceable {
  /** What a client is made with. Each call goes over the newest. */
  connection: Connection;
  /** Throws what `open` throws, and goes on with the one that there is. */
  replace(): Promise<void>;
  close(): Promise<void>;
}

/** `open`: with the credentials of that moment; connects lazily. */
export function replaceable(open: () => Connection): Replaceable {
  let current = open();
  const before: Connection[] = [];
  const closeBefore = async (): Promise<void> => {
    for (const old of before.splice(0)) await old.close();
  };
  const connection = new Proxy(current, {
    get: (_, name) => {
      const value: unknown = Reflect.get(current, name, current);
      return typeof value === 'function' ? value.bind(current) : value;
    },
  });
  return {
    connection,
    async replace() {
      const next = open();
      await closeBefore();
      // It stays open until the next one comes: calls may wait on it.
      before.push(current);
      current = next;
    },
    async close() {
      await closeBefore();
      await current.close();
    },
  };
}
