/** O30 on a real API server: it takes everything that the chart renders, and knows every field of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { Api } from '../../rehearsal/real/api.ts';
import { startControlPlane } from '../contract/real/control-plane.ts';
import { type ContractServer, TOKENS } from '../contract/server.ts';
import { yamlOf } from '../deploy/files.ts';
import { EVERYTHING_ON, rendered } from '../deploy/helm.ts';

const LIMIT_MS = 720_000;
const PLURALS: Record<string, string> = { NetworkPolicy: 'networkpolicies' };

let server: ContractServer;
let api: Api;

beforeAll(async () => {
  server = await startControlPlane('1.34');
  api = new Api({ url: server.url, ca: Buffer.from(server.caData, 'base64').toString(), token: TOKENS.admin });
}, LIMIT_MS);

afterAll(async () => {
  await server?.close();
}, LIMIT_MS);

/** Strict: a field that the API does not know is refused (kubernetes.io, "Field validation"). Nothing is stored. */
async function tryOut(object: KubeObject): Promise<void> {
  const { kind, apiVersion } = object;
  const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  await api.post(`${prefix}/namespaces/default/${plural}?dryRun=All&fieldValidation=Strict`, object);
}

const BY_OPERATOR = ['PodMonitor', 'PrometheusRule'];
// A priority class has to be there; that of the file is nobody's.
const ALL = [...EVERYTHING_ON, '--set', 'worker.priorityClassName=system-cluster-critical,codec.server.priorityClassName='];

test.each([
  ['by its defaults', []],
  ['with everything on', ALL],
  [
    'with records in a bucket',
    ['--set-string', 'config=records: { s3: { bucket: b } }', '--set', 'records.shared=true,records.volume=false'],
  ],
])('O30: %s the chart renders what a real API server takes', async (_, args: string[]) => {
  const objects = rendered(...args).filter(({ kind }) => !BY_OPERATOR.includes(kind)) as unknown as KubeObject[];
  expect(objects.length).toBeGreaterThan(8);
  // Pods are made for their account, which has to be there before.
  for (const object of objects.filter(({ kind }) => kind === 'ServiceAccount'))
    await api.post('/api/v1/namespaces/default/serviceaccounts', object).catch((error: unknown) => {
      if (!String(error).includes('already exists')) throw error;
    });
  for (const object of objects.filter(({ kind }) => kind !== 'ServiceAccount')) await tryOut(object);
});

test('O30: so does the Job that makes the namespace in Temporal', async () => {
  const job = Object(yamlOf('deploy/temporal/namespace-job.yaml')[0]);
  await tryOut({ ...job, metadata: { name: job.metadata.name } });
});

test('O30: a field that no API knows is refused', async () => {
  const [worker] = rendered().filter(({ kind }) => kind === 'Deployment') as unknown as KubeObject[];
  const misspelt = { ...worker, spec: { ...Object(worker?.['spec']), replica: 2 } } as unknown as KubeObject;
  await expect(tryOut(misspelt)).rejects.toThrow('unknown field "spec.replica"');
});
