/** Paths that are no resources: version, health, discovery, metrics, access reviews. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../json.ts';
import type { AccessAttributes, KubernetesServerOptions } from '../server.ts';
import type { Identity } from './authentication.ts';
import { coreVersions, groupDocument, groupList, resourceList } from './discovery.ts';
import { openApiDocument } from './openapi.ts';

const HEALTH_PATHS = /^\/(healthz|livez|readyz)(\/.*)?$/;

/** Answers what needs no token; false when the path is none of those. */
export function answerPublicPath(options: KubernetesServerOptions, url: URL, message: IncomingMessage, response: ServerResponse): boolean {
  if (message.method !== 'GET') return false;
  if (HEALTH_PATHS.test(url.pathname)) {
    const check = url.pathname.split('/')[1] ?? '';
    sendText(response, url.searchParams.has('verbose') ? `[+]ping ok\n[+]etcd ok\n[+]informer-sync ok\n${check} check passed\n` : 'ok');
    return true;
  }
  if (url.pathname !== '/version' && url.pathname !== '/version/') return false;
  sendJson(response, 200, versionDocument(options.version()));
  return true;
}

/** Answers what needs a token; false when the path is a resource's. */
export function answerMetaPath(
  options: KubernetesServerOptions,
  url: URL,
  message: IncomingMessage,
  sent: { body: string; identity: Identity },
  response: ServerResponse,
): boolean {
  const [root, ...rest] = url.pathname.split('/').filter((segment) => segment !== '');
  if (message.method === 'POST' && rest.join('/') === 'authorization.k8s.io/v1/selfsubjectaccessreviews') {
    sendJson(response, 201, reviewAccess(options, sent));
    return true;
  }
  if (message.method !== 'GET') return false;
  if (root === 'metrics') {
    sendText(response, metrics(options.version()));
    return true;
  }
  const document = discoveryDocument(options, root, rest);
  if (document) sendJson(response, 200, document);
  return document !== undefined;
}

function discoveryDocument({ store }: KubernetesServerOptions, root: string | undefined, rest: string[]): object | undefined {
  const [first, second, ...more] = rest;
  if (root === 'openapi' && first === 'v3') return openApiDocument(store, rest.slice(1).join('/'));
  if (more.length > 0) return undefined;
  if (root === 'api') return first === undefined ? coreVersions() : second === undefined ? resourceList(store, '', first) : undefined;
  if (root !== 'apis') return undefined;
  if (first === undefined) return groupList(store);
  return second === undefined ? groupDocument(store, first) : resourceList(store, first, second);
}

function versionDocument(version: string): object {
  const [major = '1', minor = '0'] = version.split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    gitVersion: `v${version}.7-eks-113cf36`,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-15T00:00:00Z',
    goVersion: 'go1.24.6',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}

function reviewAccess(options: KubernetesServerOptions, { body, identity }: { body: string; identity: Identity }): object {
  const review: unknown = JSON.parse(body);
  const spec = isObject(review) && isObject(review.spec) ? review.spec : {};
  const wanted = isObject(spec.resourceAttributes) ? spec.resourceAttributes : undefined;
  const allowed = wanted === undefined || !options.forbidden?.(attributesOf(wanted), identity);
  const status = { allowed, ...(allowed ? {} : { reason: 'no RBAC rule allows it' }) };
  return { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status };
}

function attributesOf(wanted: Record<string, unknown>): AccessAttributes {
  const text = (field: string) => {
    const value = wanted[field];
    return typeof value === 'string' ? value : '';
  };
  const resource = text('subresource') ? `${text('resource')}/${text('subresource')}` : text('resource');
  return {
    verb: text('verb'),
    group: text('group'),
    resource,
    ...(text('namespace') ? { namespace: text('namespace') } : {}),
    ...(text('name') ? { name: text('name') } : {}),
  };
}

function metrics(version: string): string {
  const [major = '1', minor = '0'] = version.split('.');
  return [
    '# TYPE kubernetes_build_info gauge',
    `kubernetes_build_info{git_version="v${version}.7-eks-113cf36",major="${major}",minor="${minor}"} 1`,
    '# TYPE apiserver_requested_deprecated_apis gauge',
    '',
  ].join('\n');
}

function sendJson(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(text);
}
