/** Just enough OpenAPI for kubectl to leave validation to the server: which kinds can be patched, and that fieldValidation is known. */
import type { ObjectStore, ResourceType } from '../../store.ts';
import { apiVersionOf } from '../../types.ts';
import { servedTypes } from './discovery.ts';

/** GET /openapi/v3 and /openapi/v3/apis/GROUP/VERSION; undefined when there is none. */
export function openApiDocument(store: ObjectStore, path: string): object | undefined {
  const types = servedTypes(store);
  if (path === '') {
    const paths = new Set(types.map(rootOf));
    return { paths: Object.fromEntries([...paths].map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }])) };
  }
  const here = types.filter((type) => rootOf(type) === path);
  if (here.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'twin' },
    paths: Object.fromEntries(here.map((type) => [pathOf(type), { patch: patchOperation(type) }])),
    components: { schemas: {} },
  };
}

function rootOf(type: ResourceType): string {
  return type.group === '' ? `api/${type.version}` : `apis/${apiVersionOf(type)}`;
}

function pathOf(type: ResourceType): string {
  return `/${rootOf(type)}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}/{name}`;
}

function patchOperation({ group, version, kind }: ResourceType): object {
  return {
    operationId: `patch${kind}`,
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}
