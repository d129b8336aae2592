/** Whether a mesh's own traffic can be seen, which orders waves and judges them. */
import { expect, test } from 'vitest';
import { readIstio } from '../../../../activities/observe/inspect/istio.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import type { PrometheusPort } from '../../../../activities/contract/ports.ts';
import { meshWorld } from '../../../support/istio-objects.ts';

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
