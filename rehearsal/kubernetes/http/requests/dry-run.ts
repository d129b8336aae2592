/** Requests that only ask what would happen. */
import { fieldError, invalid } from '../../failures.ts';
import { isObject } from '../../json.ts';
import { parseOr400 } from '../views/go-json.ts';
import type { ResourceRequest } from '../request.ts';

const OPTIONS: Record<string, string> = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' };

/** Throws Invalid for anything but All. */
export function checkDryRun({ query, verb }: ResourceRequest): void {
  const wanted = query.getAll('dryRun').filter((value) => value !== '');
  if (wanted.every((value) => value === 'All')) return;
  const kind = OPTIONS[verb] ?? 'DeleteOptions';
  throw invalid({ group: 'meta.k8s.io', kind }, '', fieldError.unsupported('dryRun', wanted, ['All']));
}

export function isDryRun(request: ResourceRequest): boolean {
  if (request.query.getAll('dryRun').includes('All')) return true;
  if (request.verb !== 'delete' && request.verb !== 'deletecollection' && request.subresource !== 'eviction') return false;
  const body = request.body.trim() === '' ? {} : parseOr400(request.body);
  const options = isObject(body) && isObject(body.deleteOptions) ? body.deleteOptions : body;
  return isObject(options) && Array.isArray(options.dryRun) && options.dryRun.includes('All');
}
