/** Which bakes people can end early. */

/** Nobody reads and decides in less. */
const SHORT_BAKE_MS = 60_000;

export const hasBakeGate = (bakeMs: number): boolean => bakeMs >= SHORT_BAKE_MS;

/** Of an Istio revision. */
export const retireAfter = (bakeMs: number): { bakeMs: number; gate?: true } => ({
  bakeMs,
  ...(hasBakeGate(bakeMs) ? { gate: true } : {}),
});
