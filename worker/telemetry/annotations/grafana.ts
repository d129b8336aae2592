/**
 * The three calls of Grafana's annotations API that Belay makes: find, create, patch
 * (https://grafana.com/docs/grafana/latest/developers/http_api/annotations/). Times are epochs in milliseconds; a region is an annotation with `timeEnd`.
 */
import { boundedText, isReadableByOthers } from '../../../activities/clients/metrics/http.ts';
import { counted } from '../../../activities/runtime/external-calls.ts';
import { failureOf, translateError } from '../../../activities/runtime/translate-errors.ts';
import { field } from '../../../domain/core/unknown.ts';
import type { GrafanaAccess } from '../../../domain/policy/config/sections/grafana.ts';

const LIMIT_MS = 5_000;
const PATH = '/api/annotations';

export interface Annotation {
  id: number;
  time: number;
  /** That of an annotation without an end is its time, or 0, by Grafana's version. */
  timeEnd: number;
  text: string;
}

export interface Grafana {
  /** Those with all of these tags at that moment. */
  find(tags: readonly string[], timeMs: number): Promise<Annotation[]>;
  create(annotation: { time: number; timeEnd?: number; tags: readonly string[]; text: string }): Promise<number>;
  patch(id: number, change: { timeEnd: number; text: string }): Promise<void>;
}

/** Calls reject with a failure that says the fix. Throws one at once where the token is not set, or would be readable on the way. */
export function grafanaAt(access: GrafanaAccess, env: NodeJS.ProcessEnv, limitMs = LIMIT_MS): Grafana {
  const base = new URL(access.url);
  const headers = { ...access.headers, ...bearer(access, base, env), accept: 'application/json', 'content-type': 'application/json' };
  const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown> => {
    const doing = `${method === 'GET' ? 'reading' : 'writing'} annotations of Grafana at ${base.origin}`;
    const url = `${access.url.replace(/\/+$/, '')}${path}`;
    const signal = AbortSignal.timeout(limitMs);
    return await counted({ service: 'grafana', operation: `${method} ${PATH}` }, async () => {
      try {
        // Followed, a redirect would carry the token to whoever the answer names.
        const response = await fetch(url, {
          method,
          headers,
          signal,
          redirect: 'manual',
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await boundedText(response, doing);
        if (!response.ok) throw refusal(doing, response.status);
        return JSON.parse(text) as unknown;
      } catch (error) {
        const failure = translateError(error, doing);
        throw failure.type === 'Unknown' ? failureOf('Unavailable', failure.message, { cause: error }) : failure;
      }
    });
  };
  return {
    async find(tags, timeMs) {
      const query = new URLSearchParams([
        ...tags.map((tag): [string, string] => ['tags', tag]),
        ['type', 'annotation'],
        ['from', String(timeMs - 1)],
        ['to', String(timeMs + 1)],
        ['limit', '100'],
      ]);
      const found = await call('GET', `${PATH}?${query.toString()}`);
      if (!Array.isArray(found)) throw failureOf('Unavailable', `reading annotations of Grafana at ${base.origin}: the answer is no list`);
      return found.flatMap(annotationIn);
    },
    async create(annotation) {
      const id = field(await call('POST', PATH, annotation), 'id');
      if (typeof id !== 'number') throw failureOf('Unavailable', `writing annotations of Grafana at ${base.origin}: the answer has no id`);
      return id;
    },
    async patch(id, change) {
      await call('PATCH', `${PATH}/${id}`, change);
    },
  };
}

function bearer(
  { bearerTokenFrom: name, allowPlainHttp = false }: GrafanaAccess,
  base: URL,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  if (name === undefined) return {};
  const token = env[name];
  if (token === undefined || token === '')
    throw failureOf(
      'Configuration',
      `grafana.bearerTokenFrom names ${name}, which is not set in this environment; set it to a token of a service account`,
    );
  if (!allowPlainHttp && isReadableByOthers(base))
    throw failureOf(
      'Configuration',
      `grafana.url: ${base.origin} is plain http, and the token would be readable on the way; use https:// or set grafana.allowPlainHttp in belay.yaml`,
    );
  return { authorization: `Bearer ${token}` };
}

function refusal(doing: string, status: number): Error {
  if (status === 401 || status === 403)
    return failureOf(
      'AccessDenied',
      `${doing}: it answered ${status}; the token of grafana.bearerTokenFrom needs annotations:read, annotations:create and annotations:write`,
    );
  if (status >= 300 && status < 400)
    return failureOf(
      'Configuration',
      `${doing}: it redirects, and redirects are not followed; write the address that answers itself under grafana.url`,
    );
  if (status === 429) return failureOf('Throttled', `${doing}: it answered 429`);
  if (status === 404)
    return failureOf(
      'NotFound',
      `${doing}: it answered 404; grafana.url has to be the address of Grafana itself, with the path before /api`,
    );
  return failureOf(status < 500 ? 'InvalidRequest' : 'Unavailable', `${doing}: it answered ${status}`);
}

function annotationIn(value: unknown): Annotation[] {
  const [id, time, timeEnd, text] = ['id', 'time', 'timeEnd', 'text'].map((name) => field(value, name));
  if (typeof id !== 'number' || typeof time !== 'number') return [];
  return [{ id, time, timeEnd: typeof timeEnd === 'number' ? timeEnd : 0, text: typeof text === 'string' ? text : '' }];
}
