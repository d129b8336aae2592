/** Takes secrets out of texts before they can reach history, logs or Slack. */
import { isNativeError } from 'node:util/types';

/** An idempotency token tells requests apart and is no secret: without it the record could not be compared with CloudTrail. */
const IDEMPOTENCY_TOKEN = 'belay-[0-9a-f]{32}(?![\\w.~+/=-])';

/**
 * Linear in the length of the text, whoever wrote it: everything before a pattern's end has a bound, and only its end repeats without one. So a try costs
 * a constant unless it succeeds, and what has succeeded is not looked at again.
 */
export const SECRETS: readonly RegExp[] = [
  /k8s-aws-v1\.[\w-]+/g,
  /(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /xox[a-z]-[\w-]+/g,
  /xapp-[\w-]+/g,
  // Those that a snapshot is refused for as well (domain/facts/snapshot/secrets): a JSON Web Token, as of a ServiceAccount, and tokens of GitHub and GitLab.
  /eyJ[\w-]{8,2048}\.[\w.-]+/g,
  /gh[pousr]_[A-Za-z0-9]{20,}/g,
  /github_pat_\w{20,}/g,
  /gl(?:pat|dt|rt|ptt|agent)-[\w-]{16,}/g,
];

/** Likewise; what stands in parentheses stays. */
export const NAMED_SECRETS: readonly RegExp[] = [
  // In a sentence about bearer tokens the word "token" is none.
  /(bearer\s{1,20})(?!tokens?(?!\.?[\w~+/=-]))[\w.~+/=-]+/gi,
  /(X-Amz-(?:Signature|Security-Token|Credential)=)[^&\s"']+/gi,
  // Whoever has the address of an incoming webhook posts by it (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]+/gi,
  // User and password of a URL, up to the last @ before its path. The user git, whom Git servers know by an SSH key, is no secret.
  /(:\/\/)(?!git@)[^\s/?#"'<>|]{1,4096}(?=@)/g,
  new RegExp(
    `((?:client-key-data|token|password|secretAccessKey|sessionToken)"?\\s{0,20}[:=]\\s{0,20}"?)(?!${IDEMPOTENCY_TOKEN})[\\w.~+/=-]{8,}`,
    'gi',
  ),
];

export const KEY_BEGINS = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g;
export const KEY_ENDS = /-----END [A-Z ]{0,40}PRIVATE KEY-----/g;

/** The text with every known kind of secret replaced by "[redacted]". */
export function redact(text: string): string {
  const plain = SECRETS.reduce((clean, secret) => clean.replace(secret, '[redacted]'), withoutPrivateKeys(text));
  return NAMED_SECRETS.reduce((clean, secret) => clean.replace(secret, '$1[redacted]'), plain);
}

/** A key that is cut off goes to the end of the text. */
function withoutPrivateKeys(text: string): string {
  let clean = '';
  for (let from = 0; ; ) {
    const begins = matchFrom(KEY_BEGINS, text, from);
    if (begins === undefined) return clean + text.slice(from);
    clean += `${text.slice(from, begins.start)}[redacted]`;
    const ends = matchFrom(KEY_ENDS, text, begins.end);
    if (ends === undefined) return clean;
    from = ends.end;
  }
}

function matchFrom(pattern: RegExp, text: string, from: number): { start: number; end: number } | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found === null ? undefined : { start: found.index, end: pattern.lastIndex };
}

const SECRET_FIELD = /^(?:client-key-data|token|password|secretAccessKey|sessionToken)$/i;
/** No secret: an idempotency token, or the word that stands in a secret's place already. */
const IS_NONE = new RegExp(`^(?:${IDEMPOTENCY_TOKEN}|\\[[a-z ]{1,20}\\])$`);

/**
 * The value as JSON, each of its strings redacted by itself: no text that somebody wrote can swallow what stands beside it, and what comes out is JSON
 * whatever went in. Throws where the value has no JSON.
 */
export function redactedJson(value: unknown, space?: number): string {
  return JSON.stringify(
    value,
    (key, inner: unknown) => {
      if (typeof inner !== 'string') return inner;
      return SECRET_FIELD.test(key) && inner.length >= 8 && !IS_NONE.test(inner) ? '[redacted]' : redact(inner);
    },
    space,
  );
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
