/** A service's own clock, as its answers say it. */
import { field } from '../../../domain/core/unknown.ts';

/** For a client's middleware stack: reads the Date header of every answer, errors included. */
export function dateReader() {
  let last: string | undefined;
  return {
    middleware:
      <Args, Result extends { response: unknown }>(next: (args: Args) => Promise<Result>) =>
      async (args: Args): Promise<Result> => {
        const result = await next(args);
        last = isoDate(field(field(result.response, 'headers'), 'date')) ?? last;
        return result;
      },
    // Innermost: sees the raw answer before it is parsed.
    options: { step: 'deserialize', priority: 'low', name: 'belayServerDate' },
    /** Of the last answer, ISO 8601; undefined before the first. */
    last: () => last,
  } as const;
}

/** ISO 8601 of an HTTP date; undefined for anything else. */
export function isoDate(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
