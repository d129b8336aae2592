/** Files that a control plane starts with: certificates, tokens, its way to the hooks, and what it audits. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { makeCertificates } from '../kubernetes/http/access/certificates.ts';
import { BELAY_USER } from './hooks.ts';

export interface ControlPlaneFiles {
  /** PEM of the authority, and where it lies. */
  ca: string;
  caFile: string;
  certFile: string;
  keyFile: string;
  serviceAccountKeyFile: string;
  serviceAccountPublicFile: string;
  tokenFile: string;
  tokenHookFile: string;
  auditHookFile: string;
  auditPolicyFile: string;
  egressFile: string;
  /** An administrator's bearer token by the name of who uses it. */
  tokens: Record<Administrator, string>;
}

/** Those of the rehearsal that talk to the API server. */
const ADMINISTRATORS = ['rehearsal', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'karpenter', 'istiod', 'prometheus'] as const;
export type Administrator = (typeof ADMINISTRATORS)[number];

/** What Belay changes, whole requests; nothing of anybody else. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Request', users: [BELAY_USER], verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] }, { level: 'None' }],
};

/** Written for the owner only: tokens and keys are among them. */
export async function writeControlPlaneFiles(options: {
  directory: string;
  hooksUrl: string;
  egressSocket: string;
}): Promise<ControlPlaneFiles> {
  const { directory, hooksUrl } = options;
  const certificates = await makeCertificates();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const write = (name: string, text: string): string => {
    const file = join(directory, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const tokens: Partial<Record<Administrator, string>> = {};
  const tokenOf = (name: Administrator): string => (tokens[name] ??= randomBytes(24).toString('hex'));
  const lines = ADMINISTRATORS.map((name) => `${tokenOf(name)},rehearsal:${name},${name},system:masters`);
  return {
    ca: certificates.ca,
    caFile: write('ca.pem', certificates.ca),
    certFile: write('kube-apiserver.pem', certificates.cert),
    keyFile: write('kube-apiserver-key.pem', certificates.key),
    serviceAccountKeyFile: write('service-account-key.pem', privateKey),
    serviceAccountPublicFile: write('service-account.pem', publicKey),
    tokenFile: write('tokens.csv', `${lines.join('\n')}\n`),
    tokenHookFile: write('token-webhook.yaml', webhookConfig(`${hooksUrl}/token`)),
    auditHookFile: write('audit-webhook.yaml', webhookConfig(`${hooksUrl}/audit`)),
    auditPolicyFile: write('audit-policy.yaml', stringify(AUDIT_POLICY)),
    egressFile: write('egress.yaml', stringify(egress(options.egressSocket))),
    tokens: Object.fromEntries(ADMINISTRATORS.map((name) => [name, tokenOf(name)])) as Record<Administrator, string>,
  };
}

/** The API server knows a webhook by a kubeconfig. */
export function webhookConfig(server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'rehearsal',
    clusters: [{ name: 'rehearsal', cluster: { server } }],
    users: [{ name: 'kube-apiserver', user: {} }],
    contexts: [{ name: 'rehearsal', context: { cluster: 'rehearsal', user: 'kube-apiserver' } }],
  });
}

/** What the API server sends into the cluster goes through the proxy; etcd and the control plane are beside it. */
function egress(udsName: string): object {
  return {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } } },
      { name: 'controlplane', connection: { proxyProtocol: 'Direct' } },
      { name: 'etcd', connection: { proxyProtocol: 'Direct' } },
    ],
  };
}
