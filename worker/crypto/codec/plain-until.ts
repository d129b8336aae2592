/** BELAY_CODEC_ALLOW_PLAIN: until when plain payloads are read although there are keys, while encryption is switched on under runs that began without. */

const FORM = 'Write until-YYYY-MM-DD, the last day (UTC) on which plain payloads are still read.';
const DAY_MS = 24 * 60 * 60 * 1000;

/** BELAY_CODEC_ALLOW_PLAIN cannot be used. */
export class AllowPlainError extends Error {
  override readonly name = 'AllowPlainError';

  constructor(why: string) {
    super(`BELAY_CODEC_ALLOW_PLAIN: ${why}. ${FORM}`);
  }
}

/** First moment (epoch, ms) at which plain payloads are refused; 0 where the variable is absent or empty. Throws AllowPlainError, for a day that is over, too. */
export function plainAllowedUntilMs(env: NodeJS.ProcessEnv, nowMs: number): number {
  const text = (env['BELAY_CODEC_ALLOW_PLAIN'] ?? '').trim();
  if (text === '') return 0;
  const day = /^until-(\d{4}-\d{2}-\d{2})$/.exec(text)?.[1];
  if (day === undefined) throw new AllowPlainError(`"${text}" is not a day`);
  const startsMs = Date.parse(`${day}T00:00:00Z`);
  // JavaScript takes the 30th of February for a day of March.
  if (Number.isNaN(startsMs) || new Date(startsMs).toISOString().slice(0, 10) !== day) throw new AllowPlainError(`${day} is not a day`);
  if (startsMs + DAY_MS <= nowMs) throw new AllowPlainError(`${day} is over: remove the variable, or name a later day`);
  return startsMs + DAY_MS;
}
