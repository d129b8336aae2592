/** HTTP mode: form-encoded requests to the app's Request URL, signed with the signing secret (scheme v0). */
import { createHmac } from 'node:crypto';
import type { AppLink, Delivery, Envelope, Retry } from './app-link.ts';
import { fieldsOf, type Fields } from '../block-kit/shape.ts';

/** Slack's v0 signature of a request body. */
function signature(secret: string, timestampSec: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestampSec}:${body}`).digest('hex')}`;
}

/** Events are JSON, commands plain form fields, interactions JSON in the form field `payload`. */
function bodyOf(envelope: Envelope): string {
  if (envelope.type === 'events_api') return JSON.stringify(envelope.payload);
  const form = new URLSearchParams();
  if (envelope.type === 'interactive') form.set('payload', JSON.stringify(envelope.payload));
  else for (const [name, value] of Object.entries(envelope.payload)) form.set(name, String(value));
  return form.toString();
}

/** An acknowledgement's body: nothing, text, or JSON. */
function payloadOf(body: string, contentType: string): Fields {
  if (body === '') return {};
  if (!contentType.includes('json')) return { text: body };
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return { text: body };
  }
}

export class HttpMode implements AppLink {
  readonly #requestUrl: string;
  readonly #secret: string;
  readonly #ackTimeoutMs: number;
  #down = false;

  constructor(options: { requestUrl: string; signingSecret: string; ackTimeoutMs: number }) {
    this.#requestUrl = options.requestUrl;
    this.#secret = options.signingSecret;
    this.#ackTimeoutMs = options.ackTimeoutMs;
  }

  connected(): number {
    return this.#down ? 0 : 1;
  }

  async deliver(envelope: Envelope, retry?: Retry): Promise<Delivery> {
    const body = bodyOf(envelope);
    const timestampSec = Math.floor(Date.now() / 1000);
    try {
      const response = await fetch(this.#requestUrl, {
        method: 'POST',
        headers: {
          'content-type': envelope.type === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': String(timestampSec),
          'x-slack-signature': signature(this.#secret, timestampSec, body),
          ...(retry === undefined ? {} : { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': retry.reason }),
        },
        body,
        signal: AbortSignal.timeout(this.#ackTimeoutMs),
      });
      const text = await response.text();
      if (response.ok) return { kind: 'acked', payload: payloadOf(text, response.headers.get('content-type') ?? '') };
      return { kind: 'unanswered', why: 'http_error', last: response.headers.get('x-slack-no-retry') === '1' };
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError'
        ? { kind: 'unanswered', why: 'http_timeout' }
        : { kind: 'no-app', why: 'connection_failed' };
    }
  }

  setDown(down: boolean): void {
    this.#down = down;
  }

  close(): void {
    this.#down = true;
  }
}
