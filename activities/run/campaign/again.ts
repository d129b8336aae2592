/** When a cluster that cannot start is looked at again. */
const MINUTE_MS = 60_000;
/** What may mend itself. */
export const SOON_MS = 10 * MINUTE_MS;
/** What EKS does not offer yet comes within days. */
export const OFFER_MS = 6 * 60 * MINUTE_MS;
/** What checks have refused is for people; they may not say that they have mended it. */
export const REFUSED_MS = 60 * MINUTE_MS;

/** ISO 8601 */
export const againIn = (ms: number, nowMs: number): string => new Date(nowMs + ms).toISOString();
