/** What decides which istiod serves a gateway: its image, its own label, or its namespace's, each in the order that Istio looks. */
import { expect, test } from 'vitest';
import { readGateways } from '../../../../activities/observe/inspect/gateways.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

const REVISIONS = ['default', '1-26', '1-28'].map((revision) => ({ revision, version: '1.26.2', namespace: 'istio-system', ready: true }));

interface Case {
  /** Of the pod template. */
  own?: string;
  image?: string;
  namespace?: Record<string, string>;
  by: string;
  selector: string;
}

test.each<[string, Case]>([
  ['nothing says', { by: 'default', selector: 'default' }],
  ['its own label', { own: '1-28', by: 'own-label', selector: '1-28' }],
  ['its namespace alone', { namespace: { 'istio.io/rev': '1-26' }, by: 'namespace', selector: '1-26' }],
  ['its namespace before its own label', { own: '1-28', namespace: { 'istio.io/rev': '1-26' }, by: 'namespace', selector: '1-26' }],
  [
    'injection of its namespace before both',
    { own: '1-28', namespace: { 'istio-injection': 'enabled', 'istio.io/rev': '1-26' }, by: 'namespace', selector: 'default' },
  ],
  [
    'an image of its own before all',
    { own: '1-28', image: 'docker.io/istio/proxyv2:1.28.0', namespace: { 'istio.io/rev': '1-26' }, by: 'image', selector: '1-28' },
  ],
])('%s', async (_what, { own, image = 'auto', namespace = {}, by, selector }) => {
  const port = new FakeKubernetes().put('apps/v1', 'deployments', {
    metadata: { name: 'public', namespace: 'edge', labels: { istio: 'ingressgateway' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { istio: 'ingressgateway' } },
      template: {
        metadata: {
          labels: { istio: 'ingressgateway', ...(own === undefined ? {} : { 'istio.io/rev': own }) },
          annotations: { 'inject.istio.io/templates': 'gateway' },
        },
        spec: { containers: [{ name: 'istio-proxy', image, args: ['proxy', 'router'] }] },
      },
    },
  });
  const labelled = [{ metadata: { name: 'edge', uid: 'u', resourceVersion: '1', labels: namespace } }];
  const reader = createReader('throw');
  const { gateways } = await readGateways(port, { revisions: REVISIONS, tags: [], labelled, namespaces: [] }, reader);
  expect(reader.unknowns).toEqual([]);
  expect(gateways).toMatchObject([{ kind: 'Deployment', namespace: 'edge', name: 'public', by, selector }]);
});
