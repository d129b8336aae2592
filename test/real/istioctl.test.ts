/** Belay's istioctl is the real one, on a real API server with Istio's definitions: what it prints, and what it may not read. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { checkWithIstioctl } from '../../activities/observe/checks/istioctl.ts';
import { createIstioctl } from '../../activities/istio/mesh/istioctl.ts';
import { kubeconfigText } from '../../activities/clients/kubernetes/kubeconfig.ts';
import type { AnalysisReading } from '../../domain/health/mesh/istioctl-analysis.ts';
import { Api } from '../../rehearsal/real/api.ts';
import { provideParts } from '../../rehearsal/real/parts/build.ts';
import { PARTS } from '../../rehearsal/real/parts/table.ts';
import { kubernetesRules } from '../../rehearsal/world/core/rights.ts';
import { startControlPlane } from '../contract/real/control-plane.ts';
import { type ContractServer, READER, TOKENS } from '../contract/server.ts';
import { CLUSTER } from '../support/facts.ts';
import { FakeKubernetes } from '../support/fake-kubernetes.ts';

const LIMIT_MS = 3_600_000;
const SERVED_MS = 60_000;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NETWORKING = '/apis/networking.istio.io/v1';
const REVISION = '1-30';

let server: ContractServer;
let api: Api;
let folder: string;
const programs = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belay-istioctl-'));
  const wanted = PARTS.filter(({ name }) => name === 'istioctl' || name === 'istio-parts');
  for (const [{ name }, path] of await provideParts(wanted, { env: process.env, say: (line) => process.stderr.write(`${line}\n`) }))
    programs.set(name, path);
  server = await startControlPlane('1.34');
  api = new Api({ url: server.url, ca: Buffer.from(server.caData, 'base64').toString(), token: TOKENS.admin });
  await defineIstio();
  for (const name of ['istio-system', 'shop', 'docs'])
    await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'istio.io/rev': REVISION } } });
  for (const namespace of ['shop', 'docs']) {
    const ports = [{ name: 'http', port: 80 }];
    await api.post(`/api/v1/namespaces/${namespace}/services`, { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } });
    await route(namespace, 'web', 'mesh');
  }
}, LIMIT_MS);

afterAll(async () => {
  api?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Those of istio-base, as istiod's module carries them. */
async function defineIstio(): Promise<void> {
  await promisify(execFile)(programs.get('istio-parts') ?? 'istio-parts', ['charts', folder]);
  const text = await readFile(join(folder, 'base', 'files', 'crd-all.gen.yaml'), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const definition: object | null = document.toJS();
    if (definition !== null) await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  const served = (): Promise<boolean> =>
    api.get(`${NETWORKING}/virtualservices`).then(
      () => true,
      () => false,
    );
  for (const end = Date.now() + SERVED_MS; !(await served()); await sleep(200))
    if (Date.now() > end) throw new Error('VirtualServices are not served');
}

const route = (namespace: string, name: string, gateway: string) =>
  api.post(`${NETWORKING}/namespaces/${namespace}/virtualservices`, {
    apiVersion: 'networking.istio.io/v1',
    kind: 'VirtualService',
    metadata: { name, namespace },
    spec: { hosts: ['web'], gateways: [gateway], http: [{ route: [{ destination: { host: 'web' } }] }] },
  });

/** Rita may do this and nothing else. */
async function allow(rules: readonly object[]): Promise<void> {
  for (const kind of ['clusterrolebindings', 'clusterroles']) await api.delete(`${RBAC}/${kind}/given`).catch(() => undefined);
  await api.post(`${RBAC}/clusterroles`, { metadata: { name: 'given' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'given' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: READER.group }];
  await api.post(`${RBAC}/clusterrolebindings`, { metadata: { name: 'given' }, roleRef, subjects });
}

const istioctlAs = (token: string) =>
  createIstioctl({
    binary: programs.get('istioctl') ?? 'istioctl',
    env: process.env,
    kubeconfig: async () => ({
      kind: 'text',
      text: kubeconfigText({ name: CLUSTER.name, endpoint: server.url, caData: server.caData, token }),
    }),
  });

const lines = (reading: AnalysisReading): string[] => {
  if (reading.kind !== 'seen') throw new Error(JSON.stringify(reading));
  return reading.messages.map(({ code, level, origin, message }) => `${level} ${code} ${origin}: ${message}`);
};

test('a sound mesh: nothing is found, notes are left out', async () => {
  const istioctl = istioctlAs(TOKENS.admin);
  expect(lines(await istioctl.analyze(CLUSTER, REVISION))).toEqual([]);
  expect(lines(await istioctl.precheck(CLUSTER))).toEqual([]);
});

test('a route through a gateway that is not there is found in its namespace, and none in the other', async () => {
  await route('shop', 'edge', 'front');
  const found = lines(await istioctlAs(TOKENS.admin).analyze(CLUSTER, REVISION));
  expect(found[0]).toBe('Error IST0101 VirtualService shop/edge: Referenced gateway not found: "front"');
  expect(found.filter((line) => line.includes('docs'))).toEqual([]);
  await api.delete(`${NETWORKING}/namespaces/shop/virtualservices/edge`);
  expect(lines(await istioctlAs(TOKENS.admin).analyze(CLUSTER, REVISION))).toEqual([]);
});

test('who may read everything and install nothing is told so by x precheck; that concerns those who install', async () => {
  await allow([{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }]);
  const istioctl = istioctlAs(TOKENS.reader);
  expect(lines(await istioctl.analyze(CLUSTER, REVISION))).toEqual([]);
  expect(lines(await istioctl.precheck(CLUSTER))).toContainEqual(
    expect.stringMatching(/^Error IST0141 Cluster: Missing required permission to create resource deployments/),
  );
  const istiod = new FakeKubernetes().put('apps/v1', 'deployments', {
    metadata: { name: 'istiod', labels: { app: 'istiod' } },
    spec: { template: { spec: { containers: [{ name: 'discovery' }] } } },
  });
  const check = async (managedBy: 'argocd' | 'helm') => await checkWithIstioctl(istiod, istioctl, { cluster: CLUSTER, managedBy });
  expect(await check('argocd')).toMatchObject([{ code: 'IST110', status: 'pass' }]);
  expect(await check('helm')).toMatchObject([{ code: 'IST110', status: 'fail' }]);
});

test('with the role of deploy/ alone it is blind, and says what it may not read', async () => {
  await allow(kubernetesRules());
  expect(await istioctlAs(TOKENS.reader).analyze(CLUSTER, REVISION)).toMatchObject({
    kind: 'blind',
    why: expect.stringMatching(/istioctl ended with code 1: /),
  });
});
