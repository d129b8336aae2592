/** Whether a mesh's own traffic can be seen, which orders waves and judges them; and which Deployment is an istiod. */
import { describe, expect, test } from 'vitest';
import { readIstio } from '../../../../activities/observe/inspect/istio.ts';
import { readIstioSeen } from '../../../../activities/observe/readiness/kubernetes/istio.ts';
import { readUninjected } from '../../../../activities/observe/inspect/uninjected.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import type { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { addMeshPod, meshWorld } from '../../../support/istio-objects.ts';
import { podObject, workloadObject } from '../../../support/kubernetes-objects.ts';
import { unread } from '../../../support/unread.ts';

interface Case {
  what: string;
  query?: PrometheusPort['query'];
  prometheus: 'none' | 'blind' | 'sees';
  /** By namespace. */
  rates?: Record<string, number>;
  unknown?: string;
}

test.each<Case>([
  { what: 'there is no Prometheus', prometheus: 'none' },
  { what: 'it has no series of the mesh', query: async () => [], prometheus: 'blind' },
  {
    what: 'it does not answer',
    query: () => Promise.reject(new Error('connection refused')),
    prometheus: 'blind',
    unknown: 'the traffic by namespace',
  },
  {
    what: 'it has figures of one namespace',
    query: async () => [{ labels: { destination_service_namespace: 'cart' }, value: 12.5 }],
    prometheus: 'sees',
    rates: { cart: 12.5 },
  },
])('$what: $prometheus', async ({ query, prometheus, rates = {}, unknown }) => {
  const reader = createReader('unknown');
  const istio = await readIstio(meshWorld(), query && { query }, reader);
  expect(istio?.prometheus).toBe(prometheus);
  const seen = istio?.namespaces.flatMap(({ name, requestsPerSecond }) =>
    requestsPerSecond === undefined ? [] : [[name, requestsPerSecond]],
  );
  expect(Object.fromEntries(seen ?? [])).toEqual(rates);
  expect(reader.unknowns.map(({ what }) => what)).toEqual(unknown === undefined ? [] : [unknown]);
});

test('a ztunnel whose chart was given another name is one', async () => {
  const port = meshWorld();
  const image = 'docker.io/istio/ztunnel:1.28.3';
  const template = { metadata: { labels: { app: 'ztunnel' } }, spec: { containers: [{ name: 'istio-proxy', image }] } };
  port.put('apps/v1', 'daemonsets', workloadObject('DaemonSet', 'istio-system', 'mesh-tunnel', { template }));
  expect(await readIstio(port, undefined, createReader('throw'))).toMatchObject({
    hasCniOrZtunnel: true,
    nodeAgents: [{ kind: 'ztunnel', namespace: 'istio-system', daemonSet: 'mesh-tunnel', version: '1.28.3' }],
  });
});

test('workloads that run without a proxy where their namespace asks for one', async () => {
  const port = meshWorld();
  const bare = { proxy: undefined, annotations: {} };
  for (const name of ['batch', 'declines', 'mixed']) addMeshPod(port, 'cart', name, '', '', { ...bare, labels: { app: name } });
  addMeshPod(port, 'cart', 'declines', '', '', { ...bare, labels: { 'sidecar.istio.io/inject': 'false' } });
  port.put('v1', 'pods', podObject('cart', 'mixed-7c9d-y', { owner: { kind: 'ReplicaSet', name: 'mixed-7c9d' }, proxy: '1.26.2' }));
  port.put('v1', 'pods', podObject('cart', 'alone', bare));
  addMeshPod(port, 'istio-system', 'outside', '', '', bare);
  const reader = createReader('throw');
  const istio = await readIstio(port, undefined, reader);
  expect(istio && (await readUninjected(port, istio, reader))).toEqual({
    uninjected: [{ kind: 'Deployment', namespace: 'cart', name: 'batch' }],
  });
});

describe('a Deployment of a tenant that has the labels of istiod', () => {
  const withTenants = (replicas: number, revision = '1-26', container = 'discovery'): FakeKubernetes => {
    const port = meshWorld();
    const theirs = workloadObject('Deployment', 'a-tenant', 'web', {
      replicas,
      template: { spec: { containers: [{ name: container, image: 'docker.io/istio/pilot:1.99.0' }] } },
    });
    return port.put('apps/v1', 'deployments', {
      ...theirs,
      metadata: { ...theirs.metadata, labels: { app: 'istiod', 'istio.io/rev': '1-26' } },
    });
  };

  test('decides nothing: which Istio runs is unknown, and both are named', async () => {
    const reader = createReader('unknown');
    expect(await readIstio(withTenants(1), undefined, reader)).toBeUndefined();
    expect(reader.unknowns).toEqual([
      {
        ...unread('the istiod Deployments'),
        why: 'finding istiod of revision 1-26: 2 Deployments have the label app=istiod (istio-system/istiod-1-26, a-tenant/web); delete those that are not Istio, or take the label off them',
      },
    ]);
  });

  test('scaled to 0, it gives way to the one that runs', async () => {
    const istio = await readIstio(withTenants(0), undefined, createReader('unknown'));
    expect(istio?.revisions.map(({ revision, version }) => [revision, version])).toEqual([
      ['1-26', '1.26.2'],
      ['1-28', '1.28.3'],
    ]);
  });

  test.each(['1-26', 'theirs'])('and no container of istiod, with revision %s: it is no istiod', async (revision) => {
    const port = withTenants(1, revision, 'web');
    const istio = await readIstio(port, undefined, createReader('throw'));
    expect(istio?.revisions.map((each) => each.revision)).toEqual(['1-26', '1-28']);
    const seen = await readIstioSeen(port);
    expect(seen === 'none' ? [] : seen.istiods.map(({ namespace }) => namespace)).toEqual(['istio-system', 'istio-system']);
  });
});
