/** Gateways are found, named with the new revision or restarted, verified with their Services, and moved back exactly. */
import { describe, expect, test } from 'vitest';
import type { GatewayMove } from '../../../../domain/plan/model/changes.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import { readIstio } from '../../../../activities/observe/inspect/istio.ts';
import { CLUSTER as cluster } from '../../../support/facts.ts';
import { depsOf, type FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addTag, meshWorld } from '../../../support/istio-objects.ts';
import { condition, podObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import { unread } from '../../../support/unread.ts';

const AT = '2026-09-08T09:00:00.000Z';
const LATER = '2026-09-08T10:00:00.000Z';
const NETWORKING = 'gateway.networking.k8s.io/v1';
const PUBLIC = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'edge', name: 'public' };
const PARTNERS = { apiVersion: NETWORKING, plural: 'gateways', namespace: 'edge', name: 'partners' };
const LB = { apiVersion: 'v1', plural: 'services', namespace: 'edge', name: 'public' };
const deployment = { kind: 'Deployment' as const, namespace: 'edge', name: 'public' };
const gateway = { kind: 'Gateway' as const, namespace: 'edge', name: 'partners' };
const nodes = { kind: 'DaemonSet' as const, namespace: 'edge', name: 'nodes' };

type Json = Record<string, unknown>;

/** An injected gateway in a namespace without labels, and a Gateway with what istiod makes for it; both on 1-26. */
function world(change: { marks?: Json; label?: string; gatewayLabel?: string; selector?: Json } = {}): FakeKubernetes {
  const port = meshWorld();
  const { marks, label = '1-26', gatewayLabel = '1-26', selector = { app: 'public' } } = change;
  port.put('v1', 'namespaces', { metadata: { name: 'edge' } });
  const injected = workloadObject('Deployment', 'edge', 'public', {
    replicas: 2,
    selector: { matchLabels: selector },
    template: {
      metadata: {
        labels: { app: 'public', 'sidecar.istio.io/inject': 'true', 'istio.io/rev': label },
        annotations: { 'inject.istio.io/templates': 'gateway' },
      },
      spec: { containers: [{ name: 'istio-proxy', image: 'auto' }] },
    },
  });
  const ready = { ...(injected.status as Json), replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  port.put('apps/v1', 'deployments', { ...injected, metadata: { ...injected.metadata, ...marks }, status: ready });
  port.put('v1', 'services', {
    metadata: { name: 'public', namespace: 'edge' },
    spec: { type: 'LoadBalancer', selector: { app: 'public' } },
    status: { loadBalancer: { ingress: [{ hostname: 'a.elb.example' }] } },
  });
  port.put('discovery.k8s.io/v1', 'endpointslices', {
    metadata: { name: 'public-1', namespace: 'edge', labels: { 'kubernetes.io/service-name': 'public' } },
    endpoints: [{ conditions: { ready: true } }, { conditions: { ready: true } }],
  });
  port.put(NETWORKING, 'gatewayclasses', { metadata: { name: 'istio' }, spec: { controllerName: 'istio.io/gateway-controller' } });
  port.put(NETWORKING, 'gatewayclasses', { metadata: { name: 'other' }, spec: { controllerName: 'example.com/gateway' } });
  port.put(NETWORKING, 'gateways', { metadata: { name: 'foreign', namespace: 'edge' }, spec: { gatewayClassName: 'other' } });
  port.put(NETWORKING, 'gateways', {
    metadata: { name: 'partners', namespace: 'edge', labels: { 'istio.io/rev': gatewayLabel } },
    spec: { gatewayClassName: 'istio' },
    status: { conditions: [condition('Programmed')] },
  });
  const labels = { 'gateway.networking.k8s.io/gateway-name': 'partners' };
  const made = workloadObject('Deployment', 'edge', 'partners-istio', {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels: { ...labels, 'sidecar.istio.io/inject': 'false' }, annotations: { 'istio.io/rev': '1-26' } },
      spec: { containers: [{ name: 'istio-proxy', image: 'docker.io/istio/proxyv2:1.26.2', args: ['proxy', 'router'] }] },
    },
  });
  port.put('apps/v1', 'deployments', { ...made, metadata: { ...made.metadata, labels } });
  return port;
}

function pods(port: FakeKubernetes, revision: string, version: string): void {
  const pod = (name: string, labels: Record<string, string>) =>
    port.put(
      'v1',
      'pods',
      podObject('edge', `${name}-7c9d-x`, {
        owner: { kind: 'ReplicaSet', name: `${name}-7c9d` },
        labels,
        annotations: { 'istio.io/rev': revision },
        proxy: version,
      }),
    );
  pod('public', { app: 'public', 'sidecar.istio.io/inject': 'true' });
  pod('partners-istio', { 'gateway.networking.k8s.io/gateway-name': 'partners', 'sidecar.istio.io/inject': 'false' });
}

/** A gateway on each node, whose pods change when they are deleted. */
function addNodeGateway(port: FakeKubernetes): void {
  const labels = { app: 'nodes', 'istio.io/rev': '1-26' };
  const spec = { updateStrategy: { type: 'OnDelete' }, template: { metadata: { labels } } };
  port.put('apps/v1', 'daemonsets', workloadObject('DaemonSet', 'edge', 'nodes', spec));
}

const setSpec = (port: FakeKubernetes, ref: typeof PUBLIC, change: object): void =>
  port.edit(ref, (object) => void (object.spec = { ...(object.spec as object), ...change }));

const istio = (port: FakeKubernetes) => createIstioActivities(depsOf(port));
const both = (how: GatewayMove['how']) => [
  { ...deployment, how },
  { ...gateway, how },
];
const move = (port: FakeKubernetes, how: GatewayMove['how'] = 'relabel') =>
  istio(port).moveGateways({ cluster, gateways: both(how), revision: '1-28', restartedAt: AT });
const template = (port: FakeKubernetes): { labels: Json; annotations: Json } =>
  (port.look(PUBLIC).spec as { template: { metadata: { labels: Json; annotations: Json } } }).template.metadata;

describe('the inventory', () => {
  const facts = async (port: FakeKubernetes) => {
    const reader = createReader('throw');
    return { fact: await readIstio(port, undefined, reader), unknowns: reader.unknowns };
  };

  test('finds injected gateways and Gateways of Istio’s classes, with what decides their revision', async () => {
    const { fact, unknowns } = await facts(world());
    expect(unknowns).toEqual([]);
    expect(fact?.gateways).toEqual([
      expect.objectContaining({ ...deployment, by: 'own-label', selector: '1-26', revision: '1-26', replicas: 2 }),
      expect.objectContaining({ ...gateway, className: 'istio', by: 'own-label', revision: '1-26', replicas: 1 }),
    ]);
  });

  test('a tag is looked through; the namespace’s label wins over a template’s, and loses to a Gateway’s', async () => {
    const port = world({ label: 'prod' });
    expect((await facts(port)).fact?.gateways?.[0]).toMatchObject({ by: 'own-label', selector: 'prod', revision: '1-26' });
    port.edit(
      { apiVersion: 'v1', plural: 'namespaces', name: 'edge' },
      ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-28' }),
    );
    const { fact } = await facts(port);
    expect(fact?.gateways?.map(({ by, revision }) => `${by} ${revision}`)).toEqual(['namespace 1-28', 'own-label 1-26']);
    expect(fact?.namespaces.filter(({ gatewaysOnly }) => gatewaysOnly === true).map(({ name }) => name)).toEqual(['edge']);
  });

  test('who keeps it is read, and one that nobody serves is a doubt', async () => {
    const { fact, unknowns } = await facts(
      world({ marks: { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }, gatewayLabel: '1-20' }),
    );
    expect(fact?.gateways?.map(({ keptBy }) => keptBy)).toEqual(['Argo CD']);
    expect(unknowns).toEqual([
      {
        ...unread('the Istio revision of gateway edge/partners'),
        why: 'it selects "1-20", which is neither a revision nor a tag: no istiod serves it when it starts again',
      },
    ]);
  });

  test('without a label the default tag decides', async () => {
    const port = world();
    port.edit(PARTNERS, ({ metadata }) => delete metadata.labels);
    addTag(port, 'default', '1-26');
    expect((await facts(port)).fact?.gateways?.[1]).toMatchObject({ by: 'default', selector: 'default', revision: '1-26' });
  });
});

describe('a move', () => {
  test('names the new revision, once, with what it was before', async () => {
    const port = world();
    expect(await move(port)).toEqual({ restarted: 1, skipped: [] });
    expect(template(port).labels).toMatchObject({ 'istio.io/rev': '1-28' });
    expect(port.look(PARTNERS).metadata.labels).toEqual({ 'istio.io/rev': '1-28' });
    const before = { 'belay.dev/istio-before': '{"rev":"1-26","to":"1-28"}' };
    expect([port.look(PUBLIC), port.look(PARTNERS)].map(({ metadata }) => metadata.annotations)).toEqual([before, before]);
    const count = port.patches.length;
    await move(port);
    expect(port.patches).toHaveLength(count);
  });

  test('restarts what follows a tag, and leaves what follows by itself', async () => {
    const port = world();
    expect(await move(port, 'restart')).toEqual({ restarted: 1, skipped: [] });
    expect(template(port)).toMatchObject({ labels: { 'istio.io/rev': '1-26' }, annotations: { 'kubectl.kubernetes.io/restartedAt': AT } });
    await move(port, 'follows');
    expect(port.patches).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof world>[0], GatewayMove['how'], string]>([
    ['Argo CD keeps', { marks: { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } } }, 'relabel', 'Argo CD'],
    [
      'its selector fixes',
      { selector: { app: 'public', 'istio.io/rev': '1-26' } },
      'relabel',
      'its selector, which has istio.io/rev and can never be changed',
    ],
    ['an installer renders', {}, 'owner', 'whoever renders its image'],
  ])('what %s is left alone and returned', async (_, change, how, by) => {
    const port = world(change);
    const moved = await istio(port).moveGateways({ cluster, gateways: [{ ...deployment, how }], revision: '1-28', restartedAt: AT });
    expect(moved).toEqual({ restarted: 0, skipped: [], held: [{ gateway: deployment, what: 'Deployment edge/public', by }] });
    expect(port.patches).toEqual([]);
    // Its owner has merged it: nothing is held any more.
    port.edit(PUBLIC, ({ spec }) => {
      (spec as { template: { metadata: { labels: Json } } }).template.metadata.labels['istio.io/rev'] = '1-28';
    });
    expect(await istio(port).awaitGateways({ cluster, timing: quickTiming(), gateways: [deployment], revision: '1-28' })).toEqual({
      moved: true,
      left: [],
    });
  });

  test('a release of Helm is told which value to set', async () => {
    const port = world({ marks: { annotations: { 'meta.helm.sh/release-name': 'public' } } });
    expect((await move(port)).notes).toEqual([
      'Deployment edge/public: set revision: 1-28 in the values of Helm release public, or its next upgrade puts the old one back',
    ]);
  });

  test('one that is gone is named, left out of what is read before, and not missed on the way back', async () => {
    const port = world();
    const { before } = await istio(port).readGateways({ cluster, gateways: both('relabel') });
    port.remove(PUBLIC);
    expect((await istio(port).readGateways({ cluster, gateways: both('relabel') })).before).toEqual(before.slice(1));
    expect(await move(port)).toEqual({ restarted: 0, skipped: [{ workload: 'Deployment edge/public', why: 'it is gone' }] });
    expect(await istio(port).moveBack({ cluster, before: [], gateways: before, restartedAt: AT })).toEqual({ restarted: 0 });
    expect(port.look(PARTNERS).metadata.labels).toEqual({ 'istio.io/rev': '1-26' });
  });

  test('what its new template does not roll is named; pods of an OnDelete set can be deleted', async () => {
    const port = world();
    setSpec(port, PUBLIC, { paused: true });
    addNodeGateway(port);
    const gateways = [deployment, nodes].map((each) => ({ ...each, how: 'relabel' as const }));
    expect(await istio(port).moveGateways({ cluster, gateways, revision: '1-28', restartedAt: AT })).toEqual({
      restarted: 0,
      skipped: [
        { workload: 'Deployment edge/public', why: 'its rollout is paused: resume it' },
        { workload: 'DaemonSet edge/nodes', why: 'update strategy OnDelete: delete its pods to move them' },
      ],
      byHand: { sets: [nodes], pods: [] },
    });
  });

  test.each<[string, string | undefined, object, string | undefined]>([
    ['is restarted', LATER, {}, LATER],
    ['is not restarted where nothing is to be', undefined, {}, AT],
    ['is not restarted while its rollout is paused', LATER, { paused: true }, AT],
  ])('back: what follows a tag %s', async (_title, restartedAt, spec, at) => {
    const port = world();
    await move(port, 'restart');
    setSpec(port, PUBLIC, spec);
    const gateways = both('restart').map((each) => ({ ...each, rev: '1-26', services: [] }));
    expect(await istio(port).moveBack({ cluster, before: [], gateways, restartedAt })).toEqual({ restarted: 0 });
    expect(template(port)).toMatchObject({ labels: { 'istio.io/rev': '1-26' }, annotations: { 'kubectl.kubernetes.io/restartedAt': at } });
  });

  test('waiting for an owner ends with what is left', async () => {
    const timing = quickTiming({ askTimeoutMs: 10 });
    expect(await istio(world()).awaitGateways({ cluster, timing, gateways: [deployment, gateway], revision: '1-28' })).toEqual({
      moved: false,
      left: ['Deployment edge/public', 'Gateway edge/partners'],
    });
  });

  test('goes back exactly; what somebody keeps is returned', async () => {
    const port = world();
    const { before } = await istio(port).readGateways({ cluster, gateways: both('relabel') });
    const was = [port.look(PUBLIC).spec, port.look(PARTNERS).metadata.labels];
    await move(port);
    const back = { cluster, before: [], gateways: before, restartedAt: AT };
    expect(await istio(port).moveBack(back)).toEqual({ restarted: 0 });
    expect([port.look(PUBLIC).spec, port.look(PARTNERS).metadata.labels]).toEqual(was);
    expect([port.look(PUBLIC), port.look(PARTNERS)].flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}))).toEqual([]);
    await move(port);
    port.edit(PARTNERS, ({ metadata }) => void (metadata.labels = { ...metadata.labels, 'kustomize.toolkit.fluxcd.io/name': 'edge' }));
    expect(await istio(port).moveBack(back)).toEqual({ restarted: 0, held: [{ what: 'Gateway edge/partners', by: 'Flux' }] });
  });

  test('that stays is forgotten', async () => {
    const port = world();
    await move(port);
    await istio(port).forgetWaves({ cluster, namespaces: [], gateways: [deployment, gateway] });
    expect([port.look(PUBLIC), port.look(PARTNERS)].map(({ metadata }) => metadata.annotations)).toEqual([undefined, undefined]);
    expect(template(port).labels).toMatchObject({ 'istio.io/rev': '1-28' });
  });
});

describe('verifying', () => {
  const verify = async (port: FakeKubernetes, meanwhile: () => void = () => {}) => {
    const { before } = await istio(port).readGateways({ cluster, gateways: both('relabel') });
    meanwhile();
    return await istio(port).awaitProxies({
      cluster,
      timing: quickTiming({ rolloutTimeoutMs: 10 }),
      namespaces: [],
      revision: '1-28',
      minor: '1.28',
      gateways: before,
    });
  };

  test('their pods count, and their Services are compared with those before', async () => {
    const port = world();
    pods(port, '1-28', '1.28.3');
    expect(await verify(port)).toMatchObject({
      ok: true,
      podCount: 2,
      gateways: { kind: 'pass', lines: ['Service edge/public: 2 ready endpoints, 2 before, load balancer as before (a.elb.example)'] },
    });
  });

  test('a pod of the old revision, a Gateway that is not programmed and an endpoint too few are waited for', async () => {
    const port = world();
    pods(port, '1-26', '1.26.2');
    const seen = await verify(port, () => {
      port.edit(PARTNERS, (object) => void (object['status'] = { conditions: [condition('Programmed', 'False', 'AddressNotAssigned')] }));
      port.put('discovery.k8s.io/v1', 'endpointslices', {
        metadata: { name: 'public-1', namespace: 'edge', labels: { 'kubernetes.io/service-name': 'public' } },
        endpoints: [{ conditions: { ready: true } }, { conditions: { ready: false } }],
      });
    });
    expect(seen).toMatchObject({
      ok: false,
      wrong: [
        'edge/public-7c9d-x: injected by revision 1-26',
        'Service edge/public: 1 of 2 endpoints are ready',
        'edge/partners-istio-7c9d-x: injected by revision 1-26',
        'Gateway edge/partners: Programmed is False (AddressNotAssigned)',
      ],
    });
  });

  test('fewer endpoints because its autoscaler wants fewer pods are well', async () => {
    const port = world();
    pods(port, '1-28', '1.28.3');
    const seen = await verify(port, () => {
      setSpec(port, PUBLIC, { replicas: 1 });
      port.edit(PUBLIC, ({ status }) =>
        Object.assign(status as Json, { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }),
      );
      port.put('discovery.k8s.io/v1', 'endpointslices', {
        metadata: { name: 'public-1', namespace: 'edge', labels: { 'kubernetes.io/service-name': 'public' } },
        endpoints: [{ conditions: { ready: true } }],
      });
    });
    expect(seen).toMatchObject({
      ok: true,
      gateways: { kind: 'pass', lines: ['Service edge/public: 1 ready endpoint, 2 before, load balancer as before (a.elb.example)'] },
    });
  });

  test('pods that no rollout moves are not waited for, unless they were deleted to move', async () => {
    const port = world();
    pods(port, '1-28', '1.28.3');
    setSpec(port, PUBLIC, { paused: true });
    addNodeGateway(port);
    for (const name of ['public-7c9d-y', 'nodes-x'])
      port.put('v1', 'pods', podObject('edge', name, { annotations: { 'istio.io/rev': '1-26' }, proxy: '1.26.2' }));
    const look = (rolled: (typeof nodes)[]) =>
      istio(port).awaitProxies({
        cluster,
        timing: quickTiming({ rolloutTimeoutMs: 10 }),
        namespaces: [],
        revision: '1-28',
        minor: '1.28',
        gateways: [deployment, gateway, nodes].map((each) => ({ ...each, how: 'restart', rev: null, services: [] })),
        rolled,
      });
    expect(await look([])).toMatchObject({ ok: true, podCount: 1, wrong: [] });
    expect(await look([nodes])).toMatchObject({ ok: false, wrong: ['edge/nodes-x: injected by revision 1-26'] });
  });

  test('another address of the load balancer is a verdict: waiting does not mend it', async () => {
    const port = world();
    pods(port, '1-28', '1.28.3');
    const seen = await verify(port, () =>
      port.edit(LB, (object) => void (object['status'] = { loadBalancer: { ingress: [{ hostname: 'b.elb.example' }] } })),
    );
    expect(seen).toMatchObject({
      ok: true,
      gateways: { kind: 'fail', lines: ['Service edge/public: load balancer a.elb.example → b.elb.example'] },
    });
  });
});
