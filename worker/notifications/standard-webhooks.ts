/**
 * Signatures as Standard Webhooks 1.0.0 has them: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * ("Signature scheme", "Webhook headers"). With two secrets each signs, so that a receiver may know either while one replaces the other.
 */
import { createHmac } from 'node:crypto';

/** The spec's bounds: 192 to 512 bits. */
const [LEAST_BYTES, MOST_BYTES] = [24, 64];
const MOST_SECRETS = 4;

/** Of a text with secrets between white space. Throws an error that says the fix and shows nothing of the text. */
export function secretsIn(text: string): Buffer[] {
  const secrets = text.split(/\s+/).filter((word) => word !== '');
  if (secrets.length === 0) throw new Error('it is empty; write a secret of 24 random bytes in base64 after whsec_');
  if (secrets.length > MOST_SECRETS) throw new Error(`it has ${secrets.length} secrets; write at most ${MOST_SECRETS}, one on each line`);
  return secrets.map(secretOf);
}

function secretOf(word: string, at: number): Buffer {
  const base64 = word.replace(/^whsec_/, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new Error(`secret ${at + 1} is not base64; make one with: openssl rand -base64 32`);
  const secret = Buffer.from(base64, 'base64');
  if (secret.length < LEAST_BYTES || secret.length > MOST_BYTES)
    throw new Error(`secret ${at + 1} has ${secret.length} bytes; it needs ${LEAST_BYTES} to ${MOST_BYTES}: openssl rand -base64 32`);
  return secret;
}

/** `timestampS`: of this attempt. */
export function signedHeaders(
  secrets: readonly Buffer[],
  message: { id: string; timestampS: number; body: string },
): Record<string, string> {
  const { id, timestampS, body } = message;
  const sign = (secret: Buffer): string => `v1,${createHmac('sha256', secret).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': secrets.map(sign).join(' ') };
}
