/** What a path and a method ask for, whether or not there is such a resource: k8s.io/apiserver/pkg/endpoints/request. */

export interface RequestInfo {
  path: string;
  /** "get", "list", "watch", "create", …; the method in lower case for paths of no resource. */
  verb: string;
  /** Absent for /version, /apis/apps/v1 and the like. */
  resource?: {
    verb: string;
    group: string;
    version: string;
    plural: string;
    namespace?: string;
    name?: string;
    subresource?: string;
  };
}

const VERBS: Record<string, [one: string, many: string]> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

export function readRequestInfo(method: string, url: URL): RequestInfo {
  const path = url.pathname;
  const nothing = { path, verb: method.toLowerCase() };
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return nothing;
  const [group, version, rest] = isCore ? ['', segments[1], segments.slice(2)] : [segments[1] ?? '', segments[2], segments.slice(3)];
  if (version === undefined || rest[0] === undefined) return nothing;
  const isOldWatch = rest[0] === 'watch';
  const { namespace, plural, name, subresource } = readPlace(isOldWatch ? rest.slice(1) : rest);
  if (plural === undefined) return nothing;
  const named = VERBS[method]?.[name === undefined ? 1 : 0] ?? method.toLowerCase();
  const watches = isOldWatch || (named === 'list' && isTrue(url.searchParams.get('watch')));
  const verb = watches ? 'watch' : named;
  return {
    path,
    verb,
    resource: {
      verb,
      group,
      version,
      plural,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(subresource === undefined ? {} : { subresource }),
    },
  };
}

/** `namespaces/shop/pods/cart-0/eviction`, `nodes/node-1/status`; a namespace itself lies in its own namespace. */
function readPlace(rest: string[]): { namespace?: string; plural?: string; name?: string; subresource?: string } {
  if (rest[0] !== 'namespaces') return { plural: rest[0], name: rest[1], subresource: rest[2] };
  const [, namespace, plural, name, subresource] = rest;
  if (plural === undefined || plural === 'status' || plural === 'finalize')
    return { ...(namespace === undefined ? {} : { namespace }), plural: 'namespaces', name: namespace, subresource: plural };
  return { namespace, plural, name, subresource };
}

export function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}
