/** What a campaign says of equal gates that it offers together. */

/** In the bundle's message. `why`: without a full stop. */
export const leftBundle = (cluster: string, why: string): string => `${cluster} dropped out: ${why}`;
