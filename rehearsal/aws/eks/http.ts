/** Requests of the AWS stand-in: what a routed call carries, how members are read, how lists are cut into pages. */
import type { IncomingMessage } from 'node:http';
import { AwsError, invalidParameter } from './errors.ts';
import { mostOfAPage } from './short-pages.ts';

/** One call of an operation, already routed. */
export interface Call {
  /** Decoded path parameters, in order. */
  path: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** Names of the account's clusters in the region; absent: the one cluster that there is. */
  clusters?: readonly string[];
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses a JSON object; an empty body is an empty object. */
export function parseJson(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value = asRecord(JSON.parse(text));
    if (value !== undefined) return value;
  } catch {
    // falls through to the error that AWS gives for both
  }
  throw new AwsError(400, 'SerializationException', 'The request body is not a JSON object.');
}

/** A JSON object's members; undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
}

/** A string member, undefined when absent. Refuses other types. */
export function text(body: Record<string, unknown>, member: string): string | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new AwsError(400, 'SerializationException', `${member} must be a string.`);
  return value;
}

/** A structure member, undefined when absent. Refuses other types. */
export function structure(body: Record<string, unknown>, member: string): Record<string, unknown> | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  const found = asRecord(value);
  if (found === undefined) throw new AwsError(400, 'SerializationException', `${member} must be an object.`);
  return found;
}

/** A list of strings, undefined when absent. Refuses other types. */
export function strings(body: Record<string, unknown>, member: string): string[] | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new AwsError(400, 'SerializationException', `${member} must be a list.`);
  return value.map(String);
}

/** A map of strings, undefined when absent. */
export function stringMap(body: Record<string, unknown>, member: string): Record<string, string> | undefined {
  const found = structure(body, member);
  return found && Object.fromEntries(Object.entries(found).map(([key, value]) => [key, String(value)]));
}

/** Cuts a page out of a list, as nextToken and maxResults ask (1 to 100, default 100). */
export function page<T>(items: readonly T[], maxResults: unknown, nextToken: string | undefined): { items: T[]; nextToken?: string } {
  const size = maxResults === undefined || maxResults === null ? 100 : Number(maxResults);
  if (!Number.isInteger(size) || size < 1 || size > 100) throw invalidParameter('maxResults must be between 1 and 100.');
  const from = nextToken === undefined ? 0 : Number(Buffer.from(nextToken, 'base64url').toString());
  if (!Number.isInteger(from) || from < 0 || (nextToken !== undefined && from > items.length)) throw invalidParameter('Invalid nextToken.');
  const end = from + Math.min(size, mostOfAPage());
  return { items: items.slice(from, end), ...(end < items.length ? { nextToken: Buffer.from(String(end)).toString('base64url') } : {}) };
}

export const pageOf = <T>(items: readonly T[], query: URLSearchParams): { items: T[]; nextToken?: string } =>
  page(items, query.get('maxResults') ?? undefined, query.get('nextToken') ?? undefined);
