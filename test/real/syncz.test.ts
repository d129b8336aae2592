/** What Belay reads of a real istiod: a client that speaks xDS to it is connected and in sync, and then it is gone. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kubeconfigText } from '../../activities/clients/kubernetes/kubeconfig.ts';
import { readSync } from '../../activities/istio/mesh/syncz.ts';
import type { SyncReading } from '../../domain/health/mesh/wave-sync.ts';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { Api } from '../../rehearsal/real/api.ts';
import { provideParts } from '../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../rehearsal/real/parts/table.ts';
import { startControlPlane } from '../contract/real/control-plane.ts';
import { type ContractServer, TOKENS } from '../contract/server.ts';
import { FakeKubernetes } from '../support/fake-kubernetes.ts';
import { addIstiodPods } from '../support/istio-objects.ts';
import { PATIENCE } from '../support/eventually.ts';

const LIMIT_MS = 3_600_000;
const SEEN_MS = 60_000;
const REVISION = '1-30';

let server: ContractServer;
let folder: string;
const children: ChildProcess[] = [];
const programs = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belay-syncz-'));
  const wanted = PARTS.filter(({ name }) => name === 'istiod' || name === 'istio-parts');
  for (const [{ name }, path] of await provideParts(wanted, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) }))
    programs.set(name, path);
  server = await startControlPlane('1.34');
}, LIMIT_MS);

afterAll(async () => {
  for (const child of children) await ended(child);
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function start(name: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(programs.get(name) ?? name, args, { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' });
  children.push(child);
  return child;
}

/** Definitions and namespace, then istiod beside the cluster. Returns its ports. */
async function startIstiod(): Promise<{ xds: number; monitoring: number }> {
  await promisify(execFile)(programs.get('istio-parts') ?? 'istio-parts', ['charts', folder]);
  const api = new Api({ url: server.url, ca: Buffer.from(server.caData, 'base64').toString(), token: TOKENS.admin });
  for (const document of parseAllDocuments(await readFile(join(folder, 'base', 'files', 'crd-all.gen.yaml'), 'utf8'))) {
    const definition: object | null = document.toJS();
    if (definition !== null) await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  await api.post('/api/v1/namespaces', { metadata: { name: 'istio-system' } });
  api.close();
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText({ name: 'x', endpoint: server.url, caData: server.caData, token: TOKENS.admin }));
  const [webhook = 0, xds = 0, secureXds = 0, monitoring = 0, http = 0] = await freePorts(5);
  const on = (port: number): string => `127.0.0.1:${port}`;
  const addresses = {
    httpsAddr: on(webhook),
    grpcAddr: on(xds),
    secureGRPCAddr: on(secureXds),
    monitoringAddr: on(monitoring),
    httpAddr: on(http),
  };
  start(
    'istiod',
    [
      'discovery',
      `--kubeconfig=${kubeconfig}`,
      '--namespace=istio-system',
      '--ctrlz_port=0',
      ...Object.entries(addresses).map(([flag, value]) => `--${flag}=${value}`),
    ],
    {
      REVISION,
      POD_NAME: 'istiod-1-30',
      POD_NAMESPACE: 'istio-system',
      PILOT_CERT_PROVIDER: 'istiod',
      ISTIOD_CUSTOM_HOST: 'localhost',
    },
  );
  return { xds, monitoring };
}

test(
  'a connected proxy is in sync by its pod’s name; one that has gone is not listed',
  async () => {
    const { xds, monitoring } = await startIstiod();
    const port = new FakeKubernetes();
    addIstiodPods(port, REVISION, []);
    // A forwarded port ends on the pod's loopback: so does this.
    port.getInPod = async (_pod, path) => {
      const response = await fetch(`http://127.0.0.1:${monitoring}${path}`).catch(() => undefined);
      return { status: response?.status ?? 503, body: (await response?.text()) ?? '' };
    };
    const until = async (wanted: SyncReading): Promise<void> => {
      let last: SyncReading | undefined;
      for (const end = Date.now() + SEEN_MS * PATIENCE; Date.now() < end; await sleep(200)) {
        last = await readSync(port, REVISION);
        if (JSON.stringify(last) === JSON.stringify(wanted)) return;
      }
      expect(last).toEqual(wanted);
    };
    await until({ kind: 'seen', proxies: [] });
    const proxies = join(folder, 'proxies.json');
    const proxy = {
      namespace: 'shop',
      pod: 'web-7c9d-x',
      ip: '10.0.0.7',
      version: '1.30.2',
      revision: REVISION,
      address: `127.0.0.1:${xds}`,
    };
    await writeFile(proxies, JSON.stringify([proxy]));
    const client = start('istio-parts', ['proxies', proxies]);
    await until({ kind: 'seen', proxies: [{ pod: 'shop/web-7c9d-x' }] });
    await ended(client);
    await until({ kind: 'seen', proxies: [] });
  },
  LIMIT_MS,
);
