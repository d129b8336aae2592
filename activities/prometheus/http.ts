/** One GET at Prometheus or its Alertmanager: headers, signature, time-out, and what keeps us from asking in our words. */
import { currentSignal } from '../context.ts';
import { failureOf, translateError } from '../translate-errors.ts';

export interface HttpOptions {
  /** Base address, e.g. http://prometheus:9090 or …/workspaces/ws-1 ; a path before /api is kept. */
  url: string;
  /** Such as X-Scope-OrgID or Authorization. Never logged. */
  headers?: Record<string, string>;
  /** The headers that a request has to have once it is signed. */
  sign?: (request: { url: URL; headers: Record<string, string> }) => Promise<Record<string, string>>;
  /** Default 30 s. */
  timeoutMs?: number;
}

export const USUAL_TIMEOUT_MS = 30_000;

/** Throws AccessDenied for 401 and 403, and Unavailable when it cannot be asked. `doing`: a gerund and its object. */
export function httpGetter({ url: base, headers = {}, sign, timeoutMs = USUAL_TIMEOUT_MS }: HttpOptions) {
  return async (path: string, doing: string): Promise<{ status: number; text: string }> => {
    const signal = AbortSignal.any([currentSignal(), AbortSignal.timeout(timeoutMs)]);
    const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
    const plain = { accept: 'application/json', ...headers };
    const { status, text } = await ask(url, async () => (sign === undefined ? plain : await sign({ url, headers: plain })), signal, doing);
    if (status === 401 || status === 403)
      throw failureOf('AccessDenied', `${doing}: it answered ${status}; check the headers under prometheus in belay.yaml`);
    return { status, text };
  };
}

async function ask(
  url: URL,
  headers: () => Promise<Record<string, string>>,
  signal: AbortSignal,
  doing: string,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { headers: await headers(), signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const failure = translateError(error, doing);
    // Whatever keeps us from asking is weather to the caller, an untrusted certificate aside.
    throw failure.type === 'Unknown' ? failureOf('Unavailable', failure.message, { cause: error }) : failure;
  }
}
