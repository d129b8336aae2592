/**
 * Posts events to a webhook. The address is the operator's alone; redirects are not followed, nothing of the answer but its status is used, and what is
 * said of trouble shows the origin only: the rest of an address may be a token.
 */
import { currentSignal } from '../../activities/runtime/context.ts';
import type { EventSink } from '../../activities/contract/ports.ts';
import { counted } from '../../activities/runtime/external-calls.ts';
import { failureOf, translateError } from '../../activities/runtime/translate-errors.ts';
import { cloudEventOf, CONTENT_TYPE, type CloudEvent } from './cloud-event.ts';
import { signedHeaders } from './standard-webhooks.ts';

const LIMIT_MS = 10_000;
/** Receivers bound bodies; events are made to be far below, but what others have written may grow as JSON: a control character takes six bytes. */
const MOST_BYTES = 64 * 1024;
/** RFC 9110 and RFC 6585: the request was fine, and the moment was not. */
const LATER = new Set([408, 425, 429]);
/** A secret that is being rotated, a route or a firewall that is being changed. Standard Webhooks has a 404 tried again, too ("Deliverability and reliability"). */
const MAY_PASS = new Set([401, 403, 404]);
const LONGEST_WAIT_MS = 10 * 60_000;

export interface WebhookDeps {
  name: string;
  url: URL;
  secrets: readonly Buffer[];
  /** Default: fetch. */
  post?: typeof fetch;
  nowMs?: () => number;
  limitMs?: number;
}

type Answer = Awaited<ReturnType<EventSink['send']>>;

export function webhookSink(deps: WebhookDeps): EventSink {
  return { send: (event, upgrade) => postEvent(deps, cloudEventOf(event, upgrade)) };
}

/** As EventSink.send. */
export async function postEvent(deps: WebhookDeps, event: CloudEvent): Promise<Answer> {
  const { name, url, secrets, post = fetch, nowMs = Date.now, limitMs = LIMIT_MS } = deps;
  const doing = `posting ${event.type} to ${name} at ${url.origin}`;
  const body = [event, withoutEvidence(event)].map((each) => JSON.stringify(each)).find((text) => Buffer.byteLength(text) <= MOST_BYTES);
  if (body === undefined) return { outcome: 'refused', why: `${event.type} is larger than ${MOST_BYTES / 1024} KiB` };
  const headers = {
    'content-type': CONTENT_TYPE,
    'user-agent': 'eks-belay',
    ...signedHeaders(secrets, { id: event.id, timestampS: Math.floor(nowMs() / 1000), body }),
  };
  return await counted({ service: 'webhook', operation: 'POST' }, async () => {
    const signal = AbortSignal.any([currentSignal(), AbortSignal.timeout(limitMs)]);
    const response = await post(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch((error: unknown) => {
      const failure = translateError(error, doing);
      // Whatever keeps us from posting can be mended, an untrusted certificate too.
      throw failure.type === 'Throttled' ? failure : failureOf('Unavailable', failure.message, { cause: error });
    });
    await response.body?.cancel().catch(() => undefined);
    return judge(response, doing, url);
  });
}

/** That somebody has to decide is told in any case. */
function withoutEvidence(event: CloudEvent): CloudEvent {
  const { gate } = event.data;
  if (gate === undefined) return event;
  const evidence = gate.evidence.map((block) => ({ ...block, lines: ['Too large for this event: see it where the gate is decided.'] }));
  return { ...event, data: { ...event.data, gate: { ...gate, evidence } } };
}

function judge({ status, headers }: Response, doing: string, { origin }: URL): Answer {
  if (status >= 200 && status < 300) return { outcome: 'sent' };
  if (status >= 300 && status < 400)
    return {
      outcome: 'refused',
      why: `${origin} redirects (${status}), and redirects are not followed; write the address that answers itself`,
    };
  const retryAfterMs = waitOf(headers.get('retry-after'));
  if (LATER.has(status) || (status === 503 && retryAfterMs !== undefined))
    throw failureOf('Throttled', `${doing}: it answered ${status}`, retryAfterMs === undefined ? {} : { retryAfterMs });
  if (MAY_PASS.has(status)) return { outcome: 'refused', why: `${origin} answered ${status}`, mayPass: true };
  if (status < 500) return { outcome: 'refused', why: `${origin} answered ${status}, which no retry mends` };
  throw failureOf('Unavailable', `${doing}: it answered ${status}`);
}

/** Seconds or a date (RFC 9110, 10.2.3), bounded: nobody is made to wait for days. */
function waitOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const ms = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 1000), LONGEST_WAIT_MS) : undefined;
}
