/** What a worker of the bench and the process that started it tell each other. */

export type FromWorker = { kind: 'polling' } | { kind: 'call'; id: number; name: string; input: unknown };
/** To the call of the same id. */
export type Answer = { id: number } & ({ result: unknown } | { failed: string });
