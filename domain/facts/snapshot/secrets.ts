/** The last look at a snapshot before anybody has it: what reads like a credential, in whichever field it got through. */
import { isRecord } from '../../core/unknown.ts';

interface Suspect {
  what: string;
  pattern: RegExp;
}

/** By what their issuers begin them with. */
const SUSPECTS: readonly Suspect[] = [
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
  { what: 'an AWS access key', pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/ },
  { what: 'a JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\./ },
  { what: 'a PEM block', pattern: /-----BEGIN [A-Z ]+-----/ },
  // https://docs.slack.dev/authentication/tokens
  { what: 'a Slack token', pattern: /(?<!\w)(?:xox[a-z]|xapp)-[\w-]{8,}/ },
  { what: 'a Slack webhook', pattern: /hooks\.slack\.com\/(?:services|workflows)\/\w/ },
  // https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats
  { what: 'a GitHub token', pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/ },
  // https://docs.gitlab.com/security/tokens/#token-prefixes
  { what: 'a GitLab token', pattern: /(?<!\w)gl(?:pat|dt|rt|ptt|agent)-[\w-]{16,}/ },
  { what: 'a password in a URL', pattern: /\w:\/\/[^\s/:@"]+:[^\s/@"]+@/ },
];

const RUN = /[A-Za-z0-9+/=_-]{32,}/g;
/** Parts of a run that a secret of base64 or base62 has not. */
const BETWEEN = /[-_]/;
const SHORTEST = 32;
/** How often a letter or digit is of another kind than the one before it: 0.6 in random base64, 0.4 in random base36, 0.1 to 0.25 in words. */
const RESTLESS = 0.3;
/** Bits for each character: 5 and more in 40 random characters of base64, 4 in words of that length. */
const ENTROPY = 4;

/** What the text reads like; undefined: nothing. */
export function suspectIn(text: string): string | undefined {
  const known = SUSPECTS.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return known.what;
  if (text.length < SHORTEST) return undefined;
  return (text.match(RUN) ?? []).some(isRandom) ? 'a random key' : undefined;
}

/** Names of Kubernetes and AWS have words or hyphens in them. UUIDs and digests are dealt with before. */
function isRandom(run: string): boolean {
  return run.split(BETWEEN).some((part) => {
    if (part.length < SHORTEST) return false;
    const digits = part.replace(/\D/g, '').length;
    return digits >= 3 && changes(part) >= RESTLESS && entropyOf(part) >= ENTROPY && (!part.includes('/') || /[A-Z]/.test(part));
  });
}

const kindOf = (letter: string): string =>
  letter >= '0' && letter <= '9' ? 'digit' : letter >= 'a' && letter <= 'z' ? 'lower' : letter >= 'A' && letter <= 'Z' ? 'upper' : 'other';

function changes(text: string): number {
  let count = 0;
  for (let at = 1; at < text.length; at += 1) if (kindOf(text[at] ?? '') !== kindOf(text[at - 1] ?? '')) count += 1;
  return count / text.length;
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

export interface FoundSecret {
  /** "metadata.labels.app"; a key that is itself suspect is not named. */
  path: string;
  what: string;
}

/** The first in a value, by its path, never by what it says. */
export function findSecret(value: unknown, path = ''): FoundSecret | undefined {
  if (typeof value === 'string') {
    const what = suspectIn(value);
    return what === undefined ? undefined : { path, what };
  }
  if (Array.isArray(value)) return first(value.map((each, at) => () => findSecret(each, `${path}[${at}]`)));
  if (!isRecord(value)) return undefined;
  return first(
    Object.entries(value).map(([key, inner]) => () => {
      const what = suspectIn(key);
      const named = `${path}${path === '' ? '' : '.'}${what === undefined ? key : '(a key)'}`;
      return what === undefined ? findSecret(inner, named) : { path: named, what };
    }),
  );
}

function first(looks: readonly (() => FoundSecret | undefined)[]): FoundSecret | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}
