/** A started stand-in with clients of the real SDK. */
import { createHash } from 'node:crypto';
import { request } from 'node:https';
import { AppsV1Api, CoreV1Api, CustomObjectsApi, KubeConfig, PolicyV1Api } from '@kubernetes/client-node';
import { createObjectStore } from '../../../rehearsal/kubernetes/object-store.ts';
import { startKubernetesServer } from '../../../rehearsal/kubernetes/server.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import type { KubernetesServerOptions } from '../../../rehearsal/kubernetes/http/server-options.ts';

export const WORLD_START = '2026-03-02T09:00:00Z';

/** A token as `aws eks get-token` makes it; one field can be changed. */
export function awsToken(
  change: { ageMs?: number; host?: string; signedHeaders?: string; action?: string; accessKeyId?: string } = {},
): string {
  const signedAt = new Date(Date.now() - (change.ageMs ?? 0)).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const url = new URL(`https://${change.host ?? 'sts.eu-west-1.amazonaws.com'}/`);
  url.searchParams.set('Action', change.action ?? 'GetCallerIdentity');
  url.searchParams.set('Version', '2011-06-15');
  url.searchParams.set('X-Amz-Algorithm', 'AWS4-HMAC-SHA256');
  url.searchParams.set('X-Amz-Credential', `${change.accessKeyId ?? 'AKIATEST'}/20260302/eu-west-1/sts/aws4_request`);
  url.searchParams.set('X-Amz-Date', signedAt);
  url.searchParams.set('X-Amz-Expires', '60');
  url.searchParams.set('X-Amz-SignedHeaders', change.signedHeaders ?? 'host;x-k8s-aws-id');
  url.searchParams.set('X-Amz-Signature', createHash('sha256').update(signedAt).digest('hex'));
  return `k8s-aws-v1.${Buffer.from(url.toString()).toString('base64url')}`;
}

export async function startStandIn(change: Partial<KubernetesServerOptions> = {}) {
  const clock = { nowMs: Date.parse(WORLD_START) };
  const now = () => new Date(clock.nowMs);
  const store = change.store ?? createObjectStore({ now });
  const journal = new Journal(now);
  const server = await startKubernetesServer({
    store,
    journal,
    now,
    version: () => '1.32',
    down: () => false,
    staticTokens: ['human'],
    ...change,
  });
  const config = configFor(server, awsToken());
  return {
    store,
    journal,
    server,
    clock,
    config,
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    policy: config.makeApiClient(PolicyV1Api),
    custom: config.makeApiClient(CustomObjectsApi),
  };
}

export function configFor(server: { url: string; caData: string }, token: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'twin', server: server.url, caData: server.caData, skipTLSVerify: false }],
    users: [{ name: 'user', token }],
    contexts: [{ name: 'twin', cluster: 'twin', user: 'user' }],
    currentContext: 'twin',
  });
  return config;
}

export function nodePool(name: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { disruption: { budgets: [{ nodes: '10%' }] }, ...spec },
  };
}

export function pod(
  name: string,
  change: { namespace?: string; labels?: Record<string, string>; nodeName?: string; ready?: boolean } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: change.namespace ?? 'default', labels: change.labels ?? { app: 'cart' } },
    spec: { ...(change.nodeName ? { nodeName: change.nodeName } : {}), containers: [{ name: 'app', image: 'app:1' }] },
    status: { phase: change.ready ? 'Running' : 'Pending', conditions: [{ type: 'Ready', status: change.ready ? 'True' : 'False' }] },
  };
}

/** What an ApiException of the SDK tells. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ code: number; reason: string; message: string; details?: Record<string, unknown> }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && 'body' in error && typeof error.body === 'string')
      return parsed(error.body, 'code' in error ? error.code : 0);
    if (error instanceof Error && 'body' in error && typeof error.body === 'object') return JSON.parse(JSON.stringify(error.body));
    throw error;
  }
  throw new Error('the call was expected to be refused and was not');
}

/** Paths that belong to nothing are answered in plain text. */
function parsed(text: string, code: unknown): { code: number; reason: string; message: string } {
  return text.startsWith('{') ? JSON.parse(text) : { code: Number(code), reason: '', message: text };
}

/** One GET without any SDK: the status, the headers and the text of the answer. */
export function rawGet(
  server: { url: string; caData: string },
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; date: string | undefined; warning: unknown; text: string }> {
  return new Promise((resolve, reject) => {
    const ca = Buffer.from(server.caData, 'base64');
    const call = request(`${server.url}${path}`, { ca, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { date, warning } = response.headers;
        resolve({ status: response.statusCode, date, warning, text });
      });
    });
    call.on('error', reject);
    call.end();
  });
}
