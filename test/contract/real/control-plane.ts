/** A real control plane for the contract suite: etcd and a kube-apiserver, on request with controller manager and scheduler, in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideParts } from '../../../rehearsal/real/parts/build.ts';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { webhookConfig } from '../../../rehearsal/real/control-plane-files.ts';
import { PARTS } from '../../../rehearsal/real/parts/table.ts';
import { type ContractServer, READER, TOKENS } from '../server.ts';
import { PATIENCE } from '../../support/eventually.ts';

export type Minor = '1.33' | '1.34';

const ALL: readonly Minor[] = ['1.34', '1.33'];

/** The minors that the suite is held against; BELAY_CONTRACT_MINORS=1.34 leaves the others out. */
export const MINORS: readonly Minor[] = ALL.filter((minor) => (process.env['BELAY_CONTRACT_MINORS'] ?? minor).includes(minor));

export interface ControlPlaneOptions {
  /** Controller manager and scheduler as well. */
  controllers?: boolean;
  /** Asked whose a token is that the server does not know: http://127.0.0.1:PORT/token. */
  tokenHookUrl?: string;
  /** Whose bearer tokens the server knows besides. */
  identities?: readonly { token: string; name: string; group: string }[];
  /** Versions that are not served by default: "networking.k8s.io/v1beta1". */
  served?: readonly string[];
}

/** Starts a control plane of this minor on an empty etcd; builds what is not there yet. */
export async function startControlPlane(minor: Minor, options: ControlPlaneOptions = {}): Promise<ContractServer> {
  const wanted = ['etcd', 'kube-apiserver', ...(options.controllers ? ['kube-controller-manager', 'kube-scheduler'] : [])];
  const parts = PARTS.filter((part) => wanted.includes(part.name) && (part.minor === undefined || part.minor === minor));
  const paths = await provideParts(parts, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
  const program = (name: string): string => [...paths].find(([part]) => part.name === name)?.[1] ?? name;

  const folder = await mkdtemp(join(tmpdir(), 'belay-control-plane-'));
  const processes: ChildProcess[] = [];
  const start = (name: string, args: string[]): void => {
    const child = spawn(program(name), args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (process.env['BELAY_CONTRACT_LOGS']) process.stderr.write(chunk);
    });
    processes.push(child);
  };
  const close = async (): Promise<void> => {
    for (const child of processes.toReversed()) await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const etcd = `http://127.0.0.1:${etcdPort}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    start('etcd', [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);
    await writeTokens(folder, options.identities);
    start('kube-apiserver', [...apiServerFlags({ folder, etcd, port }), ...(await flagsOf(options, folder))]);
    const url = `https://127.0.0.1:${port}`;
    const certificate = await waitUntilReady(folder, port);
    const caData = certificate.toString('base64');
    if (options.controllers) {
      const kubeconfig = await writeKubeconfig(folder, url, caData);
      start('kube-controller-manager', [
        `--kubeconfig=${kubeconfig}`,
        '--secure-port=0',
        '--leader-elect=false',
        // Nodes whose kubelet is the test beat rarely.
        '--node-monitor-grace-period=300s',
        '--controllers=*,-nodeipam,-route,-cloud-node-lifecycle,-service',
        '--use-service-account-credentials=false',
        `--service-account-private-key-file=${join(folder, 'service-accounts.key')}`,
      ]);
      start('kube-scheduler', [`--kubeconfig=${kubeconfig}`, '--secure-port=0', '--leader-elect=false']);
    }
    return { minor, url, caData, compact: () => compact(etcd), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function apiServerFlags({ folder, etcd, port }: { folder: string; etcd: string; port: number }): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'service-accounts.key')}`,
    `--service-account-signing-key-file=${join(folder, 'service-accounts.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--anonymous-auth=true',
    // Service accounts have no tokens in the twin; see the differences.
    '--disable-admission-plugins=ServiceAccount',
    // Compaction is the suite's own.
    '--etcd-compaction-interval=0',
  ];
}

async function flagsOf({ tokenHookUrl, served = [] }: ControlPlaneOptions, folder: string): Promise<string[]> {
  const flags = served.map((version) => `--runtime-config=${version}=true`);
  if (tokenHookUrl === undefined) return flags;
  const file = join(folder, 'token-webhook.yaml');
  await writeFile(file, webhookConfig(tokenHookUrl));
  return [...flags, `--authentication-token-webhook-config-file=${file}`, '--authentication-token-webhook-version=v1'];
}

async function writeTokens(folder: string, identities: ControlPlaneOptions['identities'] = []): Promise<void> {
  await mkdir(join(folder, 'certificates'));
  const known = [{ token: TOKENS.admin, name: 'admin', group: 'system:masters' }, { token: TOKENS.reader, ...READER }, ...identities];
  const tokens = known.map(({ token, name, group }) => `${token},${name},${name},"${group}"`);
  await writeFile(join(folder, 'tokens.csv'), `${tokens.join('\n')}\n`);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'service-accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
}

async function writeKubeconfig(folder: string, server: string, caData: string): Promise<string> {
  const file = join(folder, 'kubeconfig.json');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'contract',
    clusters: [{ name: 'contract', cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: 'admin', user: { token: TOKENS.admin } }],
    contexts: [{ name: 'contract', context: { cluster: 'contract', user: 'admin' } }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** The certificate that clients must trust; throws when the server is not ready within a minute. */
async function waitUntilReady(folder: string, port: number): Promise<Buffer> {
  const until = Date.now() + 60_000 * PATIENCE;
  for (;;) {
    const ca = await readFile(join(folder, 'certificates', 'apiserver.crt')).catch(() => undefined);
    if (ca && (await isReady(ca, port))) return ca;
    if (Date.now() > until) throw new Error('the kube-apiserver was not ready within a minute; BELAY_CONTRACT_LOGS=1 shows what it says');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isReady(ca: Buffer, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path: '/readyz', ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('error', () => resolve(false));
    call.end();
  });
}

/** etcd's JSON gateway: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
async function compact(etcd: string): Promise<void> {
  const key = Buffer.from('\0').toString('base64');
  const range: { header: { revision: string } } = await call(`${etcd}/v3/kv/range`, { key, limit: 1 });
  await call(`${etcd}/v3/kv/compaction`, { revision: range.header.revision, physical: true });
}

async function call<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`etcd answered ${response.status} to ${url}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(impatient);
}
