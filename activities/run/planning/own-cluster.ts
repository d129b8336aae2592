/**
 * Does this worker's own pod run on the cluster that is to be upgraded? Then its upgrade moves the pod that runs it. What tells:
 *
 * 1. Kubernetes gives every pod KUBERNETES_SERVICE_HOST; without it this process is in no pod
 *    (kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api).
 * 2. The issuer of the pod's own tokens, which EKS makes for each cluster and DescribeCluster names (API_OIDC.html: issuer;
 *    docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html): the service account's, and those that EKS mounts for IAM roles
 *    and for Pod Identity, whose paths the AWS SDKs' variables name. It is read, and not believed for anything else.
 * 3. Where none of them is of EKS: the UID of namespace kube-system, which no two clusters share, asked of the pod's own API server.
 */
import { readFile } from 'node:fs/promises';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { exchangeHttp } from '../../clients/kubernetes/http.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const EKS_ISSUER = /^https:\/\/oidc[.-]eks\.[^/]+\/id\/([^/]+)\/?$/;
const ANSWER_MS = 10_000;

/** `unknown`: it is in a pod, and cannot tell of which cluster. */
export type OwnCluster = { kind: 'no-pod' } | { kind: 'other' } | { kind: 'same' } | { kind: 'unknown'; why: string };

export interface OwnPod {
  env: NodeJS.ProcessEnv;
  /** Of a file; rejects where it is not there or cannot be read. */
  read: (path: string) => Promise<string>;
  /** GET of a path of the pod's API server, with the service account's token. */
  ask: (path: string, as: { token: string; ca: string }) => Promise<{ status: number; text: string }>;
}

export const ownPod = (env: NodeJS.ProcessEnv): OwnPod => ({
  env,
  read: (path) => readFile(path, 'utf8'),
  ask(path, { token, ca }) {
    const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT_HTTPS'] ?? '443'}${path}`;
    const headers = { Authorization: `Bearer ${token}` };
    return exchangeHttp({ method: 'GET', url, options: { ca, headers: {} }, headers, signal: AbortSignal.timeout(ANSWER_MS) });
  },
});

/** `identity`: of the cluster, as activities/clients/aws/identity has it: its issuer's id is the end. */
export async function ownCluster(
  pod: OwnPod,
  cluster: { identity?: string; kubernetes: Pick<KubernetesPort, 'list'> },
): Promise<OwnCluster> {
  if ((pod.env['KUBERNETES_SERVICE_HOST'] ?? '') === '') return { kind: 'no-pod' };
  const tokens = await tokensOf(pod);
  if (tokens.length === 0)
    return { kind: 'unknown', why: 'it runs in a pod that has no token of a service account, which would name the cluster' };
  const issuers = tokens.flatMap((token) => EKS_ISSUER.exec(issuerOf(token))?.[1] ?? []);
  const [, issuer] = cluster.identity?.split(' ') ?? [];
  if (issuers.length > 0 && issuer !== undefined) return { kind: issuers.includes(issuer) ? 'same' : 'other' };
  try {
    const [own, theirs] = [await ownUid(pod), await uidIn(cluster.kubernetes)];
    return { kind: own === theirs ? 'same' : 'other' };
  } catch (error) {
    return { kind: 'unknown', why: messageOf(error) };
  }
}

async function tokensOf({ env, read }: OwnPod): Promise<string[]> {
  const paths = [`${SERVICE_ACCOUNT}/token`, env['AWS_WEB_IDENTITY_TOKEN_FILE'], env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']];
  const readToken = (path: string): Promise<string[]> =>
    read(path).then(
      (token) => [token.trim()],
      () => [],
    );
  return (await Promise.all(paths.flatMap((path) => (path === undefined || path === '' ? [] : readToken(path))))).flat();
}

/** The claim `iss` of a JWT; "" where it is none. */
function issuerOf(token: string): string {
  try {
    const issuer = field(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')), 'iss');
    return typeof issuer === 'string' ? issuer : '';
  } catch {
    return '';
  }
}

/** Throws why it is not known. */
async function ownUid({ read, ask }: OwnPod): Promise<string> {
  const files = await Promise.all([read(`${SERVICE_ACCOUNT}/token`), read(`${SERVICE_ACCOUNT}/ca.crt`)]).catch(() => undefined);
  if (files === undefined) throw new Error('no token of its pod is of EKS, and none is mounted to ask the pod’s own API server with');
  const [token, ca] = files;
  const { status, text } = await ask('/api/v1/namespaces/kube-system', { token: token.trim(), ca }).catch((error: unknown) => {
    throw new Error(`its pod’s own API server does not answer: ${messageOf(error)}`, { cause: error });
  });
  if (status === 401 || status === 403)
    throw new Error(`its pod’s service account may not get namespace kube-system of its own cluster (the API server answers ${status})`);
  const uid = status === 200 ? uidOf(JSON.parse(text)) : undefined;
  if (uid === undefined) throw new Error(`its pod’s own API server does not say the UID of namespace kube-system (it answers ${status})`);
  return uid;
}

async function uidIn(kubernetes: Pick<KubernetesPort, 'list'>): Promise<string> {
  const namespaces = await kubernetes.list<KubeObject>({ apiVersion: 'v1', plural: 'namespaces' }, (each) =>
    each.metadata.name === 'kube-system' ? each : undefined,
  );
  const uid = uidOf(namespaces?.[0]);
  if (uid === undefined) throw new Error('the cluster does not say the UID of its namespace kube-system');
  return uid;
}

function uidOf(namespace: unknown): string | undefined {
  const uid = field(field(namespace, 'metadata'), 'uid');
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}
