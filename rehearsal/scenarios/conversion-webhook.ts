/** Karpenter's CRDs were rendered for a Service that is not there: found before anything moves, mended, checked again. */
import type { World } from '../world/world.ts';
import { KARPENTER_DEFINITIONS } from './parts/karpenter-parts.ts';
import type { Scenario } from './scenario.ts';
import { buildSmall, small } from './small.ts';

/** The last minor that serves v1beta1 as well, and converts. */
const KARPENTER = '1.0.8';
const SERVICE = { name: 'karpenter', namespace: 'kube-system', port: 8443 };
/** Where Karpenter was installed before it moved to kube-system. */
const FORMER = 'karpenter';

function convertBy(world: World, namespace: string): void {
  for (const { group, plural } of KARPENTER_DEFINITIONS)
    world.store.update('customresourcedefinitions', `${plural}.${group}`, undefined, ({ spec }) => {
      spec.versions = ['v1beta1', 'v1'].map((name) => ({ ...spec.versions[0], name, served: true, storage: name === 'v1' }));
      const service = { ...SERVICE, namespace };
      spec.conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1beta1', 'v1'], clientConfig: { service } } };
    });
}

export const conversionWebhook: Scenario = {
  ...small,
  name: 'conversion-webhook',
  title: 'A conversion webhook that points nowhere, 1.31 → 1.32',
  description:
    'Karpenter’s CRDs name a Service in the namespace that it has left: nobody could read its objects any more. The pre-checks say which; the platform team renders the CRDs for the Service that is there, and tries again.',
  mends: [
    {
      gate: 'failed:pre-checks@1.32#1',
      choice: 'retry',
      does: `the platform team installs karpenter-crd with webhook.serviceNamespace=${SERVICE.namespace}`,
      act: (world) => convertBy(world, SERVICE.namespace),
    },
  ],
  build(world) {
    buildSmall(world, KARPENTER);
    const selector = { 'app.kubernetes.io/name': 'karpenter' };
    world.store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: SERVICE.name, namespace: SERVICE.namespace },
      spec: { selector, ports: [{ name: 'https-webhook', port: SERVICE.port, targetPort: SERVICE.port }] },
    });
    convertBy(world, FORMER);
  },
};
