/** What stands between clients and the API server of the scenario `readiness`: old API versions, webhooks, aggregated APIs, definitions. */
import type { World } from '../../world/world.ts';
import { addDefinition } from '../definition-parts.ts';
import { PLANTS } from './workloads.ts';

export function plantApis(world: World): void {
  plantOldVersions(world);
  world.store.create('validatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'nobody-behind' },
    webhooks: [
      {
        name: 'pods.policy.example.com',
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: 'security', name: 'policy', path: '/validate', port: 443 } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      },
    ],
  });
  world.store.create('apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.custom.metrics.k8s.io' },
    spec: {
      group: 'custom.metrics.k8s.io',
      version: 'v1beta1',
      service: { namespace: 'monitoring', name: 'prometheus-adapter', port: 443 },
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'False',
          reason: 'ServiceNotFound',
          message: 'service/prometheus-adapter in "monitoring" is not present',
        },
      ],
    },
  });
  addDefinition(world, {
    group: 'cert-manager.io',
    plural: 'certificates',
    kind: 'Certificate',
    scope: 'Namespaced',
    stored: ['v1alpha2', 'v1'],
  });
}

/** One that was written in a version that is gone, and one whose version is only deprecated. */
function plantOldVersions(world: World): void {
  world.store.create('horizontalpodautoscalers', {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: 'written-as-v2beta2',
      namespace: PLANTS,
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"apiVersion":"autoscaling/v2beta2","kind":"HorizontalPodAutoscaler","metadata":{"name":"written-as-v2beta2"}}',
      },
    },
    spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'no-budget' } },
  });
}
