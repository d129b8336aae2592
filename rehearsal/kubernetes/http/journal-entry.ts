/** What of a write goes into the journal: its verb, what it acts on, and its body in short. */
import type { Mutation } from '../../world/journal.ts';
import { isObject } from '../json.ts';
import type { ResourceRequest } from './request.ts';

type Outcome = { accepted: true; name?: string } | { accepted: false; error: string; message: string };

const DETAIL_LIMIT = 400;

/** undefined for reads, dry runs, and leases, which are renewed all the time. */
export function journalEntry(request: ResourceRequest, outcome: Outcome): Omit<Mutation, 'at'> | undefined {
  const { verb, type, namespace, subresource, query } = request;
  if (verb === 'get' || verb === 'list' || verb === 'watch') return undefined;
  if (type.plural === 'leases' || query.getAll('dryRun').includes('All')) return undefined;
  const name = request.name ?? (outcome.accepted ? outcome.name : undefined) ?? nameInBody(request.body);
  return {
    api: 'kubernetes',
    operation: `${verb} ${type.plural}${subresource ? `/${subresource}` : ''}`,
    resource: [type.plural, namespace, name].filter((part) => part !== undefined).join('/'),
    accepted: outcome.accepted,
    ...(outcome.accepted ? {} : { error: outcome.error }),
    detail: { ...bodyInShort(request), ...(outcome.accepted ? {} : { message: outcome.message }) },
  };
}

function bodyInShort(request: ResourceRequest): Record<string, unknown> {
  if (request.type.plural === 'secrets' || request.body.trim() === '') return {};
  const text = request.body.replace(/\s+/g, ' ');
  const body = text.length > DETAIL_LIMIT ? `${text.slice(0, DETAIL_LIMIT)}…` : text;
  return request.verb === 'patch' ? { patchType: request.contentType, body } : { body };
}

function nameInBody(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const metadata = isObject(value) && isObject(value.metadata) ? value.metadata : {};
    return typeof metadata.name === 'string' ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
