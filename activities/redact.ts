/** Takes secrets out of texts before they can reach history, logs or Slack. */
import { isNativeError } from 'node:util/types';

const SECRETS: readonly RegExp[] = [
  /k8s-aws-v1\.[\w-]+/g,
  /(?<=bearer\s+)[\w.~+/=-]+/gi,
  /(?<=X-Amz-(?:Signature|Security-Token|Credential)=)[^&\s"']+/gi,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bxox[a-z]-[\w-]+/g,
  /\bxapp-[\w-]+/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<="?(?:client-key-data|token|password|secretAccessKey|sessionToken)"?\s*[:=]\s*"?)[\w.~+/=-]{8,}/gi,
];

/** The text with every known kind of secret replaced by "[redacted]". */
export function redact(text: string): string {
  return SECRETS.reduce((clean, secret) => clean.replace(secret, '[redacted]'), text);
}

/** The error itself when nothing in it or its causes is secret or long, else a clean copy: Temporal stores message, stack and causes. */
export function redactedCause(error: unknown, depth = 3): Error | undefined {
  if (!isError(error) || depth === 0) return undefined;
  const cause = redactedCause(error.cause, depth - 1);
  const message = clip(redact(error.message), 600);
  const stack = error.stack === undefined ? undefined : clip(redact(error.stack), 3000);
  if (message === error.message && stack === error.stack && cause === error.cause) return error;
  const copy = new Error(message, cause === undefined ? undefined : { cause });
  copy.name = error.name;
  if (stack !== undefined) copy.stack = stack;
  return copy;
}

/** Also errors of another realm and DOMExceptions (time-outs and aborts are such), which `instanceof Error` may miss. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error || isNativeError(value)) return true;
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value && typeof value.message === 'string';
}

/** At most `length` characters, cut with an ellipsis. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
