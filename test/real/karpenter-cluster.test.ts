/** `belay migrate karpenter CLUSTER` on a real API server: v1beta1 objects in it, then CRDs rendered for a Service that is not there. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Manifest } from '../../domain/plan/migration/edit.ts';
import { printed } from './aws/twin.ts';
import { BELAY, openRealGround, type RealGround } from '../support/check-ground.ts';
import { DEFINITIONS, definitionsOf, onceServed, type Rendering } from './support/karpenter-definitions.ts';

const LIMIT_MS = 900_000;
const BOTH: Pick<Rendering, 'versions'> = { versions: ['v1beta1', 'v1'] };

let ground: RealGround;
let out: string;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'belay-migrate-'));
  ground = await openRealGround('small', '1.34');
  for (const definition of await definitionsOf('1.0', { ...BOTH, storage: 'v1beta1' })) await ground.api.post(DEFINITIONS, definition);
  await plant();
}, LIMIT_MS);
afterAll(async () => {
  rmSync(out, { recursive: true, force: true });
  await ground?.close();
});

const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1beta1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: { amiFamily: 'AL2', role: 'nodes', subnetSelectorTerms: [{ id: 'subnet-1' }], securityGroupSelectorTerms: [{ id: 'sg-1' }] },
};
const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: { template: { spec: { requirements: [], nodeClassRef: { name: 'default' }, kubelet: { maxPods: 42 } } } },
};

async function plant(): Promise<void> {
  const { api } = ground;
  await onceServed(() => api.post('/apis/karpenter.k8s.aws/v1beta1/ec2nodeclasses', NODE_CLASS));
  await onceServed(() => api.post('/apis/karpenter.sh/v1beta1/nodepools', NODE_POOL));
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  const containers = [{ name: 'controller', image: 'public.ecr.aws/karpenter/controller:0.37.7' }];
  await api.post('/apis/apps/v1/namespaces/kube-system/deployments', {
    metadata: { name: 'karpenter', labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
}

const migrate = (...args: string[]): Promise<string> =>
  printed(process.execPath, ['--no-warnings', BELAY, 'migrate', 'karpenter', ground.cluster, ...args], ground.env);

test(
  'defaults of the server are taken along, what it adds is not',
  async () => {
    const text = await migrate('--out', out);
    expect(text).toContain('serve v1beta1 and v1 without a conversion: whoever reads one in the other version loses fields.');
    const written = (name: string): Manifest => parse(readFileSync(join(out, name), 'utf8'));
    expect(written('nodepool-default.yaml')).toEqual({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            requirements: [],
            nodeClassRef: { name: 'default', group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' },
            expireAfter: '720h',
          },
        },
        disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s', budgets: [{ nodes: '10%' }] },
      },
    });
    expect(written('ec2nodeclass-default.yaml')).toMatchObject({
      apiVersion: 'karpenter.k8s.aws/v1',
      metadata: { name: 'default' },
      spec: { amiSelectorTerms: [{ alias: 'al2@latest' }], kubelet: { maxPods: 42 } },
    });
  },
  LIMIT_MS,
);

test(
  'the server itself cannot read objects whose conversion points nowhere; Belay says why, and what to do',
  async () => {
    const service = { namespace: 'karpenter', name: 'karpenter', port: 8443 };
    for (const definition of await definitionsOf('1.0', { ...BOTH, storage: 'v1', service }))
      await ground.api.patch(`${DEFINITIONS}/${definition.metadata.name}`, { spec: definition.spec });
    const text = await migrate();
    expect(text).toContain(
      '✗ 3. Its CRDs serve v1 as well, by a conversion webhook that answers\n     Conversion webhooks point nowhere: nodepools.karpenter.sh: Service karpenter/karpenter does not exist;',
    );
    expect(text).toContain('webhook.serviceNamespace=kube-system, webhook.port=8443; or patch spec.conversion');
    expect(text).toMatch(/Could not be read:\n(?: {2}.*\n)*? {2}NodePools: .*conversion webhook/);
    expect(text).toContain('? 9. Kubelet settings stand in the EC2NodeClass alone\n     NodePools could not be read as v1.\n');
  },
  LIMIT_MS,
);
