/** Ways into answers whose shape is what is being tried, and into refusals. */
import { setTimeout as sleep } from 'node:timers/promises';
import { field, isRecord } from '../../../domain/core/unknown.ts';
import { currentSignal } from '../../runtime/context.ts';
import { CannotTry, type Ground, type KubeAnswer } from './check.ts';

/** The value behind these keys and indices; undefined where there is none. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => field(inner, String(key)), value);
}

export function textAt(value: unknown, ...keys: (string | number)[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

export function listAt(value: unknown, ...keys: (string | number)[]): unknown[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
}

/** The string values of an object: labels, annotations. */
export function stringsAt(value: unknown, ...keys: (string | number)[]): Record<string, string> {
  const found = at(value, ...keys);
  if (!isRecord(found)) return {};
  return Object.fromEntries(Object.entries(found).flatMap(([key, each]) => (typeof each === 'string' ? [[key, each]] : [])));
}

/** "kube-system/coredns" or "default" */
export function nameOf(object: unknown): string {
  return [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')].filter((part) => part !== undefined).join('/');
}

export function conditionOf(object: unknown, type: string): unknown {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

export const isTrue = (object: unknown, type: string): boolean => textAt(conditionOf(object, type), 'status') === 'True';

/** What AWS refuses with; undefined: it accepted. Refusals for want of a right, and what is no answer at all, are thrown. */
export async function refusalOf(request: Promise<unknown>): Promise<{ name: string; status: number; message: string } | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    const status = at(error, '$metadata', 'httpStatusCode');
    const name = textAt(error, 'name') ?? '';
    if (typeof status !== 'number' || status >= 500 || isDenied(error) || NOT_AN_ANSWER.has(name)) throw error;
    return { name, status, message: textAt(error, 'message') ?? '' };
  }
}

const NOT_AN_ANSWER: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  'ExpiredTokenException',
  'UnknownOperationException',
]);

/** The caller lacks a right. */
export const isDenied = (error: unknown): boolean =>
  /AccessDenied|UnauthorizedOperation|NotAuthorized|MissingAuthenticationToken|InvalidClientTokenId/.test(textAt(error, 'name') ?? '');

/** The items of a list; undefined: the server has no such type. Throws CannotTry for any other answer but 200. */
export async function itemsOf(ground: Ground, path: string): Promise<unknown[] | undefined> {
  const answer = await ground.kube('GET', path);
  if (answer.status === 404) return undefined;
  return listAt(mustBe(answer, 200, `GET ${path}`), 'items');
}

/** As itemsOf; CannotTry where there are none. `what`: "a NodePool" */
export async function someOf(ground: Ground, path: string, what: string): Promise<unknown[]> {
  const items = await itemsOf(ground, path);
  if (items === undefined || items.length === 0) throw new CannotTry(`there is no ${what} on this cluster`);
  return items;
}

/** The body of an answer with this status. Throws CannotTry for any other one. */
export function mustBe({ status, body }: KubeAnswer, wanted: number, asked: string): unknown {
  if (status !== wanted)
    throw new CannotTry(`${asked} was answered with ${status} (${textAt(body, 'message') ?? 'no message'})`, 'unanswered');
  return body;
}

/** Looks until it holds; false: not within the ground's limit, or `limitMs`. */
export async function within(ground: Ground, holds: () => Promise<boolean>, limitMs = ground.limitMs): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() >= endMs) return false;
    await sleep(ground.pollMs, undefined, { signal: currentSignal() });
  }
}

/** "1.33" of "v1.33.4-eks-1a2b3c4" */
export const minorOf = (version: string | undefined): string | undefined => /^v?(1\.\d+)/.exec(version ?? '')?.[1];

/** "coredns, kube-proxy and 3 more" */
export function some(names: readonly string[], most = 3): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
