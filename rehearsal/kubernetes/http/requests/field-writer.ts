/** Who a request writes as: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go, managerOrUserAgent. */
import { PATCH_TYPES } from '../../patches/apply-patch.ts';
import type { FieldWriter } from '../../store.ts';
import { apiVersionOf } from '../../types.ts';
import type { ResourceRequest } from '../request.ts';

const LONGEST_BYTES = 128;

/** The query's fieldManager, else what its User-Agent says before the first slash. `applied`: of server-side apply. */
export function fieldWriter(request: ResourceRequest, applied?: object): FieldWriter {
  const { query, userAgent, type, subresource, custom, verb, contentType } = request;
  const name = query.get('fieldManager') || printable(userAgent.split('/')[0] ?? '');
  const schema = custom?.schema?.openAPIV3Schema;
  return {
    manager: name || 'unknown',
    operation: verb === 'patch' && contentType === PATCH_TYPES.apply ? 'Apply' : 'Update',
    apiVersion: apiVersionOf(type),
    ...(subresource === undefined ? {} : { subresource }),
    ...(schema === undefined ? {} : { schema }),
    ...(applied === undefined ? {} : { applied }),
  };
}

function printable(text: string): string {
  let result = '';
  for (const character of text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')) {
    if (Buffer.byteLength(result + character) > LONGEST_BYTES) break;
    result += character;
  }
  return result;
}
