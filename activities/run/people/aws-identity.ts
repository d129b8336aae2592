/**
 * Who sent a message by command line: sends on the GetCallerIdentity request that the sender has signed, and believes what STS answers. The request
 * is made anew from the parts that may be in one, never sent as it came: nothing else is ever asked of anybody in the sender's name.
 */
import { createHash } from 'node:crypto';
import { BINDING_HEADER, type Claim, PROOF_SECONDS } from '../../../domain/gates/identity-proof.ts';
import { CALLER_IDENTITY } from '../../clients/aws/presigned-identity.ts';

export interface CallerDeps {
  /** Where this worker's own GetCallerIdentity of the cluster's region would go. */
  endpoint(): Promise<URL>;
  region: string;
  nowMs?: () => number;
}

/** A claim that carries a proof. */
export type AwsClaim = Claim & { proof: string };

export type Caller = { arn: string } | { why: string };

/** STS answers in milliseconds; the sender is waiting. */
const LIMIT_MS = 3_000;
const MAX_ANSWER = 10_000;
/** Clocks differ. */
const SKEW_MS = 60_000;
const SIGNED = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Expires', 'X-Amz-SignedHeaders', 'X-Amz-Signature'] as const;
const OPTIONAL = ['X-Amz-Security-Token', 'X-Amz-Content-Sha256'];

/** The header's value: SHA-256 of what the message says, in hexadecimal digits. */
export function bindingOf(words: string): string {
  return createHash('sha256').update(words).digest('hex');
}

/** The caller's ARN, or why it is not known, in a sentence for the sender; that never holds a part of the request. */
export async function readCaller(deps: CallerDeps, { proof, words }: AwsClaim): Promise<Caller> {
  const refused = (why: string): Caller => ({ why: `Who you are could not be verified: ${why}. Nothing was done.` });
  const url = URL.canParse(proof) ? new URL(proof) : undefined;
  if (url === undefined) return refused('the message carries no signed request');
  const own = await deps.endpoint();
  if (url.origin !== own.origin && url.origin !== `https://${publicHost(deps.region)}`)
    return refused(`the request is for ${url.host}, not for STS of ${deps.region}`);
  const problem = problemOf(url, (deps.nowMs ?? Date.now)());
  if (problem !== undefined) return refused(problem);
  let answer: Response;
  let text: string;
  try {
    const headers = { [BINDING_HEADER]: bindingOf(words) };
    answer = await fetch(`${url.origin}/?${url.searchParams.toString()}`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    text = (await answer.text()).slice(0, MAX_ANSWER);
  } catch {
    return refused(`STS at ${url.host} did not answer; try again`);
  }
  if (answer.status >= 500) return refused(`STS answered HTTP ${answer.status}; try again`);
  if (!answer.ok) return refused(`STS refuses the signature (${/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? `HTTP ${answer.status}`})`);
  const arn = arnIn(text);
  return arn === undefined ? refused('STS did not say who you are') : { arn };
}

/** Partitions' own domains: docs.aws.amazon.com/general/latest/gr/sts.html */
function publicHost(region: string): string {
  const suffixes: [string, string][] = [
    ['cn-', 'amazonaws.com.cn'],
    ['us-iso-', 'c2s.ic.gov'],
    ['us-isob-', 'sc2s.sgov.gov'],
  ];
  return `sts.${region}.${suffixes.find(([start]) => region.startsWith(start))?.[1] ?? 'amazonaws.com'}`;
}

/** What keeps the request from being a GetCallerIdentity that was signed for this message, just now. */
function problemOf({ username, pathname, searchParams, hash }: URL, nowMs: number): string | undefined {
  const names = [...searchParams.keys()];
  const known = [...Object.keys(CALLER_IDENTITY), ...SIGNED];
  const isForeign = names.some((name) => !known.includes(name) && !OPTIONAL.includes(name));
  const isWhole = new Set(names).size === names.length && known.every((name) => searchParams.has(name));
  const isCall = Object.entries(CALLER_IDENTITY).every(([name, value]) => searchParams.get(name) === value);
  if (isForeign || !isWhole || !isCall || pathname !== '/' || username !== '' || hash !== '') return 'the request is no GetCallerIdentity';
  const headers = (searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
  if (headers.toSorted().join() !== ['host', BINDING_HEADER].join()) return 'the request is not bound to this message';
  const expires = Number(searchParams.get('X-Amz-Expires'));
  if (!(expires > 0 && expires <= PROOF_SECONDS)) return `the request has to be valid for at most ${PROOF_SECONDS} s`;
  const signedMs = dateOf(searchParams.get('X-Amz-Date') ?? '');
  if (Number.isNaN(signedMs) || signedMs - nowMs > SKEW_MS) return 'the request is dated in the future; set the clock right';
  if (nowMs - signedMs > expires * 1_000) return `it was signed more than ${expires} s ago; send the command again`;
  return undefined;
}

/** Milliseconds of 20260908T090000Z. */
function dateOf(text: string): number {
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return Number.NaN;
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)];
  return Date.parse(`${year}-${month}-${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
}

/** Of STS's answer to exactly this call. */
function arnIn(xml: string): string | undefined {
  const result =
    /^\s*(?:<\?xml[^>]*\?>\s*)?<GetCallerIdentityResponse [^>]*>\s*<GetCallerIdentityResult>([\s\S]*?)<\/GetCallerIdentityResult>/.exec(
      xml,
    );
  return /<Arn>(arn:aws[^<\s]+)<\/Arn>/.exec(result?.[1] ?? '')?.[1];
}
