/** Whether a mesh's own traffic can be seen, which orders waves and judges them; and which Deployment is an istiod. */
import { describe, expect, test } from 'vitest';
import { readIstio } from '../../../../activities/observe/inspect/istio.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import type { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { meshWorld } from '../../../support/istio-objects.ts';
import { workloadObject } from '../../../support/kubernetes-objects.ts';

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

describe('a Deployment of a tenant that has the labels of istiod 1-26', () => {
  const withTenants = (replicas: number): FakeKubernetes => {
    const port = meshWorld();
    const theirs = workloadObject('Deployment', 'a-tenant', 'web', {
      replicas,
      template: { spec: { containers: [{ name: 'discovery', image: 'docker.io/istio/pilot:1.99.0' }] } },
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
        what: 'the istiod Deployments',
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
});
