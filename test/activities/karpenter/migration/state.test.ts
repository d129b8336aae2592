/** A cluster on its way from v1beta1 to v1, and one from v1alpha5: what is read of it, and which steps people are shown. */
import { beforeEach, describe, expect, test } from 'vitest';
import { readMigrationState } from '../../../../activities/karpenter/migration/state.ts';
import type { ListQuery } from '../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { migrationOf } from '../../../../cli/migrate/migration.ts';
import type { MigrationStep, StepState } from '../../../../domain/plan/migration/checklist.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

const CRDS = [
  { plural: 'nodepools', group: 'karpenter.sh' },
  { plural: 'nodeclaims', group: 'karpenter.sh' },
  { plural: 'ec2nodeclasses', group: 'karpenter.k8s.aws' },
];
const DEFINITIONS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
const SERVICE = { namespace: 'kube-system', name: 'karpenter', port: 8443 };

let cluster: FakeKubernetes;

function controller(version: string): void {
  const image = `public.ecr.aws/karpenter/controller:${version}@sha256:0`;
  cluster.put('apps/v1', 'deployments', {
    metadata: { name: 'karpenter', namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'karpenter' } },
    spec: { template: { spec: { containers: [{ name: 'controller', image }] } } },
  });
}

interface Served {
  versions: string[];
  stored: string[];
  service?: typeof SERVICE;
}
/** The last version is the one that is stored. */
function definitions({ versions, stored, service }: Served): void {
  const conversion = service === undefined ? { strategy: 'None' } : { strategy: 'Webhook', webhook: { clientConfig: { service } } };
  for (const { plural, group } of CRDS)
    cluster.put('apiextensions.k8s.io/v1', 'customresourcedefinitions', {
      metadata: { name: `${plural}.${group}` },
      spec: { group, conversion, versions: versions.map((name) => ({ name, served: true, storage: name === versions.at(-1) })) },
      status: { storedVersions: stored },
    });
}

function service(readyCount = 2): void {
  const { namespace, name } = SERVICE;
  cluster.put('v1', 'services', { metadata: { namespace, name }, spec: { ports: [{ port: 8080 }, { port: 8443 }] } });
  cluster.put('discovery.k8s.io/v1', 'endpointslices', {
    metadata: { namespace, name: 'karpenter-1', labels: { 'kubernetes.io/service-name': name } },
    endpoints: [0, 1].map((index) => ({ conditions: { ready: index < readyCount } })),
  });
}

function pool(version: 'v1beta1' | 'v1', annotations: Record<string, string> = {}): void {
  cluster.put(`karpenter.sh/${version}`, 'nodepools', {
    metadata: {
      name: 'default',
      annotations: { 'karpenter.sh/nodepool-hash': '1', ...annotations },
      labels: { 'argocd.argoproj.io/instance': 'x' },
    },
    spec: { template: { spec: { nodeClassRef: { name: 'default' } } } },
  });
}

const migrate = async (step: 'v1' | 'v1beta1' = 'v1') => migrationOf(await readMigrationState(cluster, step), undefined);
const states = (steps: readonly MigrationStep[] = []): StepState[] => steps.map(({ state }) => state);
const step = (steps: readonly MigrationStep[] | undefined, title: RegExp): MigrationStep | undefined =>
  steps?.find((each) => title.test(each.title));

beforeEach(() => {
  cluster = new FakeKubernetes();
});

describe('to v1', () => {
  test('at the start: 0.37.0, CRDs of v1beta1 alone', async () => {
    controller('0.37.0');
    definitions({ versions: ['v1beta1'], stored: ['v1beta1'] });
    pool('v1beta1');
    const { steps, files, delivered, unknowns } = await migrate();
    expect(unknowns).toEqual([]);
    expect(states(steps)).toEqual(['done', 'open', 'open', 'unknown', 'open', 'open', 'done', 'open', 'done', 'open', 'open']);
    expect(steps?.[1]).toEqual({
      id: 'patch',
      title: 'The controller runs a patch from which, and back to which, the way to 1.0 leads',
      state: 'open',
      seen: '0.37.0 runs; from 1.0 it could not be gone back to.',
      fix: 'Install karpenter 0.37.7 with webhook.enabled=true and webhook.port=8443.',
    });
    expect(step(steps, /^Manifests/)?.seen).toBe('1 object of Karpenter’s and 0 workloads would be written otherwise: see below.');
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      [
        'nodepool-default.yaml',
        `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default
  labels:
    argocd.argoproj.io/instance: x
spec:
  template:
    spec:
      nodeClassRef:
        name: default
`,
      ],
    ]);
    expect(delivered).toEqual([{ path: 'nodepool-default.yaml', by: 'argocd' }]);
  });

  test.each([
    ['no Service', () => undefined, 'Service kube-system/karpenter does not exist'],
    ['no endpoint', () => service(0), 'Service kube-system/karpenter has no ready endpoint'],
    [
      'another port',
      () => cluster.put('v1', 'services', { metadata: { namespace: 'kube-system', name: 'karpenter' }, spec: { ports: [{ port: 443 }] } }),
      'Service kube-system/karpenter has no port 8443 (it has 443)',
    ],
  ])('a conversion webhook that points nowhere: %s', async (_, plant, why) => {
    controller('0.37.7');
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1beta1'], service: SERVICE });
    plant();
    expect(step((await migrate()).steps, /conversion webhook that answers/)).toEqual({
      id: 'conversion',
      title: 'Its CRDs serve v1 as well, by a conversion webhook that answers',
      state: 'broken',
      seen: `Conversion webhooks point nowhere: ${CRDS.map(({ plural, group }) => `${plural}.${group}: ${why}`).join('; ')}. Nothing can read or write these objects, nor delete a namespace.`,
      fix: 'Render the CRDs for the Service that is there: karpenter-crd with webhook.enabled=true, webhook.serviceName=karpenter, webhook.serviceNamespace=kube-system, webhook.port=8443; or patch spec.conversion.webhook.clientConfig.service of each. Never delete the CRDs.',
    });
  });

  test('a webhook that is left over where v1 is all there is, and nobody is asked', async () => {
    controller('1.1.0');
    definitions({ versions: ['v1'], stored: ['v1'], service: SERVICE });
    expect(step((await migrate()).steps, /conversion webhook that answers/)).toMatchObject({ state: 'done', seen: 'Only v1 is served.' });
  });

  test('a webhook somewhere else than in the cluster: whether it answers is not known', async () => {
    controller('0.37.7');
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1beta1'], service: SERVICE });
    for (const { plural, group } of CRDS)
      cluster.edit({ ...DEFINITIONS, name: `${plural}.${group}` }, ({ spec }) => {
        const { conversion } = spec as { conversion: object };
        Object.assign(conversion, { webhook: { clientConfig: { url: 'https://hooks.example.com' } } });
      });
    expect(step((await migrate()).steps, /conversion webhook that answers/)).toMatchObject({
      state: 'unknown',
      seen: 'Conversion webhooks of nodepools.karpenter.sh, nodeclaims.karpenter.sh, ec2nodeclasses.karpenter.k8s.aws are no Services of the cluster: whether they answer is not known.',
    });
  });

  test('no Karpenter, or one whose image has no version: unknown, and never through', async () => {
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1'], service: SERVICE });
    pool('v1beta1');
    const { steps, files } = await migrate();
    expect(step(steps, /^The controller of 1.0/)).toMatchObject({
      state: 'unknown',
      seen: 'No Deployment has the label app.kubernetes.io/name=karpenter.',
    });
    expect(files.map(({ path }) => path)).toEqual(['nodepool-default.yaml']);
    controller('latest');
    const { steps: later, unknowns } = await migrate();
    expect(step(later, /^The controller of 1.0/)).toMatchObject({ state: 'unknown', seen: 'Karpenter’s version could not be read.' });
    expect(unknowns).toMatchObject([{ what: 'Karpenter’s version', why: 'the image of kube-system/karpenter has no version in its tag' }]);
  });

  test('both versions without a conversion', async () => {
    controller('0.37.7');
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1beta1'] });
    expect(step((await migrate()).steps, /conversion webhook that answers/)).toMatchObject({
      state: 'broken',
      seen: 'nodepools.karpenter.sh, nodeclaims.karpenter.sh, ec2nodeclasses.karpenter.k8s.aws serve v1beta1 and v1 without a conversion: whoever reads one in the other version loses fields.',
    });
  });

  test('1.0 runs, and kubelet settings wait in an annotation', async () => {
    controller('1.0.14');
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1beta1', 'v1'], service: SERVICE });
    service();
    const kubelet = { 'compatibility.karpenter.sh/v1beta1-kubelet-conversion': '{"maxPods":42}' };
    pool('v1', kubelet);
    pool('v1beta1');
    cluster.put('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', {
      metadata: { name: 'validation.webhook.karpenter.sh' },
    });
    const { steps } = await migrate();
    expect(states(steps)).toEqual(['done', 'done', 'done', 'unknown', 'done', 'done', 'open', 'open', 'open', 'open', 'open']);
    expect(step(steps, /^Webhooks/)?.seen).toBe('There are still ValidatingWebhookConfiguration validation.webhook.karpenter.sh.');
    expect(step(steps, /^Kubelet/)).toMatchObject({
      seen: 'NodePool default has compatibility.karpenter.sh/v1beta1-kubelet-conversion.',
      fix: 'Apply the EC2NodeClass with the same spec.kubelet first, then remove the annotation; in the other order the nodes drift.',
    });
  });

  test('all done: objects are not shown as v1beta1 once more', async () => {
    controller('1.0.14');
    definitions({ versions: ['v1beta1', 'v1'], stored: ['v1'], service: SERVICE });
    service();
    pool('v1');
    pool('v1beta1');
    const { steps, files } = await migrate();
    expect(files).toEqual([]);
    expect(states(steps)).toEqual(['done', 'done', 'done', 'unknown', 'done', 'done', 'done', 'done', 'done', 'done', 'open']);
  });

  test('what may not be read is unknown, with the right that is missing, and never done', async () => {
    controller('0.37.7');
    definitions({ versions: ['v1beta1'], stored: ['v1beta1'] });
    const list = cluster.list.bind(cluster);
    const refused = new Set(['customresourcedefinitions', 'pods', 'validatingwebhookconfigurations']);
    cluster.list = async (query: ListQuery, keep) => {
      if (refused.has(query.plural)) throw failureOf('AccessDenied', `listing ${query.plural}: forbidden`);
      return list(query, keep);
    };
    const { steps, unknowns } = await migrate();
    expect(states(steps)).toEqual([
      'done',
      'done',
      'unknown',
      'unknown',
      'unknown',
      'open',
      'unknown',
      'unknown',
      'done',
      'unknown',
      'open',
    ]);
    expect(unknowns).toEqual([
      {
        part: 'migration',
        what: 'Karpenter’s CRDs',
        why: 'not permitted: it needs list on customresourcedefinitions, get on services, list on endpointslices (listing customresourcedefinitions: forbidden)',
        denied: true,
      },
      {
        part: 'migration',
        what: 'admission webhooks',
        why: 'not permitted: it needs list on mutating- and validatingwebhookconfigurations (listing validatingwebhookconfigurations: forbidden)',
        denied: true,
      },
      { part: 'migration', what: 'Pods', why: 'not permitted: it needs list on pods (listing pods: forbidden)', denied: true },
    ]);
  });

  test('workloads of their owners, without what other objects make', async () => {
    controller('0.37.7');
    const template = { metadata: { annotations: { 'karpenter.sh/do-not-evict': 'true' } }, spec: {} };
    cluster.put('apps/v1', 'deployments', { metadata: { name: 'cart', namespace: 'shop' }, spec: { template } });
    cluster.put('v1', 'pods', {
      metadata: {
        name: 'cart-1',
        namespace: 'shop',
        annotations: { 'karpenter.sh/do-not-evict': 'true' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'cart', uid: '1', apiVersion: 'apps/v1' }],
      },
    });
    cluster.put('apps/v1', 'deployments', { metadata: { name: 'other', namespace: 'shop' }, spec: { template: { spec: {} } } });
    const { files, steps } = await migrate();
    expect(files.map(({ path }) => path)).toEqual(['shop/deployment-cart.yaml']);
    expect(step(steps, /^Manifests/)?.seen).toBe('0 objects of Karpenter’s and 1 workload would be written otherwise: see below.');
  });
});

describe('to v1beta1', () => {
  test('0.31 with Machines: the order, and three ways to move the nodes with what each costs', async () => {
    controller('v0.31.4');
    definitions({ versions: ['v1beta1'], stored: ['v1beta1'] });
    cluster.put('karpenter.sh/v1alpha5', 'provisioners', { metadata: { name: 'default' }, spec: { providerRef: { name: 'default' } } });
    for (const name of ['a', 'b']) cluster.put('karpenter.sh/v1alpha5', 'machines', { metadata: { name } });
    const { steps } = await migrate('v1beta1');
    expect(states(steps)).toEqual(['done', 'unknown', 'done', 'open', 'open', 'open', 'open', 'open']);
    const moved = step(steps, /^The nodes have moved/);
    expect(moved?.seen).toBe('2 Machines left: their nodes have to be replaced.');
    expect(moved?.fix?.split('\n').map((line) => line.split(':')[0])).toEqual([
      'One of three ways.',
      'Drift, one node after the other',
      'Delete the Provisioner',
      'By hand',
    ]);
    expect(moved?.fix?.match(/ Cost: /g)).toHaveLength(3);
  });

  test('0.30 comes first to the patch that 0.32 can be rolled back to', async () => {
    controller('v0.30.0');
    expect((await migrate('v1beta1')).steps?.[0]).toMatchObject({ state: 'open', fix: 'Install v0.31.4 or a later patch of 0.31 first.' });
  });
});
