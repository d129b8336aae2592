/** What stands between clients and the API server of the scenario `readiness`: old API versions, Services, webhooks, aggregated APIs, definitions. */
import { addRelease } from '../../neighbours/helm/release.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addDefinition } from '../parts/definition-parts.ts';
import { PLANTS } from './workloads.ts';

export function plantApis(world: World): void {
  plantOldVersions(world);
  plantServices(world);
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
  addDefinition(world, {
    group: 'backup.example.com',
    plural: 'schedules',
    kind: 'Schedule',
    scope: 'Namespaced',
    versions: ['v1beta1', 'v1'],
    stored: ['v1'],
    convertedBy: { namespace: 'backup', name: 'no-such-service', port: 443 },
  });
}

/** Written in a version that is gone: by kubectl, by an operator, by a chart. */
function plantOldVersions(world: World): void {
  addAutoscaler(world, 'applied-as-v2beta2', {
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration':
        '{"apiVersion":"autoscaling/v2beta2","kind":"HorizontalPodAutoscaler","metadata":{"name":"applied-as-v2beta2"}}',
    },
  });
  addAutoscaler(world, 'of-an-old-operator', {
    managedFields: [
      {
        manager: 'old-operator',
        operation: 'Update',
        apiVersion: 'autoscaling/v2beta2',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': {} },
      },
    ],
  });
  const ofChart = addAutoscaler(world, 'of-an-old-chart');
  addRelease(world, {
    name: 'old-chart',
    namespace: PLANTS,
    chart: { name: 'web', version: '1.4.0' },
    config: {},
    objects: [{ plural: 'horizontalpodautoscalers', object: { ...ofChart, apiVersion: 'autoscaling/v2beta2' } }],
  });
}

function addAutoscaler(world: World, name: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return world.store.create('horizontalpodautoscalers', {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { ...metadata, name, namespace: PLANTS },
    spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'no-budget' } },
  });
}

/** One with an address of one's own, in octets that may be octal, and one whose Endpoints somebody writes: Kubernetes mirrors them into a slice. */
function plantServices(world: World): void {
  const addService = (name: string, spec: Record<string, unknown>): void =>
    void world.store.create('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: PLANTS },
      spec: { ports: [{ port: 443 }], ...spec },
    });
  addService('external-address', { selector: { app: 'no-budget' }, externalIPs: ['203.0.113.07'] });
  addService('written-endpoints', {});
  const port = { port: 443, protocol: 'TCP' };
  world.store.create('endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'written-endpoints', namespace: PLANTS },
    subsets: [{ addresses: [{ ip: '203.0.113.8' }], ports: [port] }],
  });
  world.store.create('endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'written-endpoints-x7k2p',
      namespace: PLANTS,
      labels: {
        'kubernetes.io/service-name': 'written-endpoints',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['203.0.113.8'], conditions: { ready: true } }],
    ports: [port],
  });
}
