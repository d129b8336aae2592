/** Paths that are no resources: version, health, discovery, metrics, reviews. */
import type { Identity } from './access/authentication.ts';
import type { DeprecatedRequests } from './deprecations.ts';
import { coreVersions, groupDocument, groupList, resourceList } from './views/discovery.ts';
import { healthAnswer, versionDocument } from './health.ts';
import { openApiDocument } from './views/openapi.ts';
import { reviewAt } from './access/reviews.ts';
import { methodNotAllowed } from './status.ts';
import type { KubernetesServerOptions } from './server-options.ts';

export interface MetaAnswer {
  status: number;
  /** Text is sent as it is, anything else as JSON. */
  body: string | object;
}

/** undefined when the path is a resource's, or nobody's. */
export function metaAnswer(
  options: KubernetesServerOptions,
  deprecated: DeprecatedRequests,
  { method, url, body, identity }: { method: string; url: URL; body: string; identity: Identity },
): MetaAnswer | undefined {
  const review = reviewAt(url.pathname);
  if (review) {
    if (method !== 'POST') throw methodNotAllowed();
    return { status: 201, body: review(options, identity, body) };
  }
  if (method !== 'GET') return undefined;
  const health = healthAnswer(url);
  if (health) return { status: health.status, body: health.text };
  const [root, ...rest] = url.pathname.split('/').filter((segment) => segment !== '');
  if (root === 'version' && rest.length === 0) return { status: 200, body: versionDocument(options.version()) };
  if (root === 'metrics' && rest.length === 0) return { status: 200, body: metrics(options, deprecated) };
  const document = discoveryDocument(options, root, rest);
  return document && { status: 200, body: document };
}

function discoveryDocument({ store, version }: KubernetesServerOptions, root: string | undefined, rest: string[]): object | undefined {
  const [first, second, ...more] = rest;
  const served = { store, serverVersion: version() };
  if (root === 'openapi' && first === 'v3') return openApiDocument(store, rest.slice(1).join('/'));
  if (more.length > 0) return undefined;
  if (root === 'api') return first === undefined ? coreVersions() : second === undefined ? resourceList(served, '', first) : undefined;
  if (root !== 'apis') return undefined;
  if (first === undefined) return groupList(served);
  return second === undefined ? groupDocument(served, first) : resourceList(served, first, second);
}

function metrics({ version: ofServer, metrics: own }: KubernetesServerOptions, deprecated: DeprecatedRequests): string {
  const version = ofServer();
  const [major = '1', minor = '0'] = version.split('.');
  return [
    '# TYPE kubernetes_build_info gauge',
    `kubernetes_build_info{git_version="v${version}.7-eks-113cf36",major="${major}",minor="${minor}"} 1`,
    ...deprecated.metrics(),
    own?.() ?? '',
  ].join('\n');
}
