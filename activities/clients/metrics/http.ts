/** One GET at Prometheus or its Alertmanager: headers, signature, time-out, and what keeps us from asking in our words. */
import { currentSignal } from '../../runtime/context.ts';
import { counted } from '../../runtime/external-calls.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';

export interface HttpOptions {
  /** Base address, e.g. http://prometheus:9090 or …/workspaces/ws-1 ; a path before /api is kept. */
  url: string;
  /** Such as X-Scope-OrgID or Authorization. Never logged. */
  headers?: Record<string, string>;
  /** The headers that a request has to have once it is signed. */
  sign?: (request: { url: URL; headers: Record<string, string> }) => Promise<Record<string, string>>;
  /** Credentials may go over plain HTTP to other machines. */
  allowPlainHttp?: boolean;
  /** Default 30 s. */
  timeoutMs?: number;
}

export const USUAL_TIMEOUT_MS = 30_000;
/** Answers to Belay's questions have hundreds of series at most; this is a hundred thousand. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Headers that let whoever reads them ask in our name. */
const CREDENTIALS = /^(authorization|cookie|x-amz-security-token|x-api-key)$/i;

/** Throws AccessDenied for 401 and 403, and Unavailable when it cannot be asked. `doing`: a gerund and its object. */
export function httpGetter({ url: base, headers = {}, sign, allowPlainHttp = false, timeoutMs = USUAL_TIMEOUT_MS }: HttpOptions) {
  const get = async (path: string, doing: string): Promise<{ status: number; text: string }> => {
    const signal = AbortSignal.any([currentSignal(), AbortSignal.timeout(timeoutMs)]);
    const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
    const plain = { accept: 'application/json', ...headers };
    const signed = async (): Promise<Record<string, string>> => {
      const all = sign === undefined ? plain : await sign({ url, headers: plain });
      if (!allowPlainHttp && isReadableByOthers(url) && Object.keys(all).some((name) => CREDENTIALS.test(name)))
        throw failureOf(
          'Configuration',
          `${doing}: ${url.origin} is plain http, and credentials would be readable on the way; use https:// or set prometheus.allowPlainHttp in belay.yaml`,
        );
      return all;
    };
    const { status, text, location } = await ask(url, signed, signal, doing);
    if (location !== undefined)
      throw failureOf(
        'Configuration',
        `${doing}: ${url.origin} redirects to ${location}, and redirects are not followed; write the address that answers itself under prometheus.url in belay.yaml`,
      );
    if (status === 401 || status === 403)
      throw failureOf('AccessDenied', `${doing}: it answered ${status}; check the headers under prometheus in belay.yaml`);
    return { status, text };
  };
  // The path without its query: /api/v1/query, /api/v2/alerts.
  return (path: string, doing: string) => counted({ service: 'prometheus', operation: path.split('?')[0] ?? path }, () => get(path, doing));
}

async function ask(
  url: URL,
  headers: () => Promise<Record<string, string>>,
  signal: AbortSignal,
  doing: string,
): Promise<{ status: number; text: string; location?: string }> {
  try {
    // Followed, a redirect would carry tenant headers and questions to whoever the answer names.
    const response = await fetch(url, { headers: await headers(), signal, redirect: 'manual' });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return { status, text: '', location: originOf(response.headers.get('location'), url) };
    }
    return { status, text: await boundedText(response, doing) };
  } catch (error) {
    const failure = translateError(error, doing);
    // Whatever keeps us from asking is transient to the caller, an untrusted certificate aside.
    throw failure.type === 'Unknown' ? failureOf('Unavailable', failure.message, { cause: error }) : failure;
  }
}

/** Only as far as it can be shown: what follows may hold a token. */
function originOf(location: string | null, base: URL): string {
  const target = location === null ? null : URL.parse(location, base.href);
  return target === null ? 'nowhere' : `${target.origin}${target.pathname}`;
}

/** What is sent there can be read on the way. */
export function isReadableByOthers({ protocol, hostname }: URL): boolean {
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
  return protocol === 'http:' && !isLoopback;
}

export async function boundedText(response: Response, doing: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (bytes > MAX_BYTES)
      throw failureOf(
        'InvalidRequest',
        `${doing}: the answer is larger than ${MAX_BYTES / 1024 / 1024} MiB; aggregate the query (sum, max)`,
      );
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
