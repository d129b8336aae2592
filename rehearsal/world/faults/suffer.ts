/** Runs a request of a stand-in under its fate. */
import type { ServerResponse } from 'node:http';
import type { Fate } from './fates.ts';

type Refusal = Extract<Fate, { kind: 'refuse' }>;

/**
 * Serves, unless the fate forbids it: throws `refusal` where it is refused, and answers undefined where nobody must answer any more
 * (it hung until the client went, or the answer was lost).
 */
export async function suffer<T>(
  fate: Fate | undefined,
  response: ServerResponse,
  refusal: (fate: Refusal) => Error,
  serve: () => T | Promise<T>,
): Promise<T | undefined> {
  if (fate?.kind === 'refuse') throw refusal(fate);
  if (fate?.kind === 'hang') {
    await gone(response);
    return undefined;
  }
  const answer = await serve();
  if (fate?.kind !== 'lose') return answer;
  response.destroy();
  return undefined;
}

/** Resolves when the client has given up. */
function gone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', () => resolve());
  });
}
