/** Requests and answers of the AWS stand-in, and the errors that its services throw. */
import type { IncomingMessage } from 'node:http';

/** An AWS error: its name goes to the x-amzn-errortype header (REST-JSON) or the body (JSON 1.1, query). */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Further members of the error's shape, e.g. clusterName. */
  readonly members: Record<string, unknown>;

  constructor(status: number, code: string, message: string, members: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.members = members;
  }
}

export const notFound = (message: string, members: Record<string, unknown> = {}): AwsError =>
  new AwsError(404, 'ResourceNotFoundException', message, members);
export const invalidParameter = (message: string, members: Record<string, unknown> = {}): AwsError =>
  new AwsError(400, 'InvalidParameterException', message, members);
export const invalidRequest = (message: string): AwsError => new AwsError(400, 'InvalidRequestException', message);
export const inUse = (message: string, members: Record<string, unknown> = {}): AwsError =>
  new AwsError(409, 'ResourceInUseException', message, members);

/** One call of an operation, already routed. */
export interface Call {
  /** Decoded path parameters, in order. */
  path: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export type Handler = (call: Call) => Promise<Record<string, unknown>> | Record<string, unknown>;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses a JSON object; an empty body is an empty object. */
export function parseJson(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.fromEntries(Object.entries(value));
  } catch {
    // falls through to the error that AWS gives for both
  }
  throw new AwsError(400, 'SerializationException', 'The request body is not a JSON object.');
}

/** A string member, undefined when absent. Refuses other types. */
export function text(body: Record<string, unknown>, member: string): string | undefined {
  const value = body[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new AwsError(400, 'SerializationException', `${member} must be a string.`);
  return value;
}

/** Cuts a page out of a list, as nextToken and maxResults ask (1 to 100, default 100). */
export function page<T>(items: readonly T[], maxResults: unknown, nextToken: string | undefined): { items: T[]; nextToken?: string } {
  const size = maxResults === undefined || maxResults === null ? 100 : Number(maxResults);
  if (!Number.isInteger(size) || size < 1 || size > 100) throw invalidParameter('maxResults must be between 1 and 100.');
  const from = nextToken === undefined ? 0 : Number(Buffer.from(nextToken, 'base64url').toString());
  if (!Number.isInteger(from) || from < 0 || (nextToken !== undefined && from > items.length)) throw invalidParameter('Invalid nextToken.');
  const end = from + size;
  return { items: items.slice(from, end), ...(end < items.length ? { nextToken: Buffer.from(String(end)).toString('base64url') } : {}) };
}

export const pageOf = <T>(items: readonly T[], query: URLSearchParams): { items: T[]; nextToken?: string } =>
  page(items, query.get('maxResults') ?? undefined, query.get('nextToken') ?? undefined);
