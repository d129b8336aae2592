/** What RS6 is tried on: one object of each kind that Belay changes, with what an attacker would change in it. */
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { Api } from '../../../rehearsal/real/api.ts';
import { onceServed } from './karpenter-definitions.ts';

const NAMESPACE = 'shop';

interface Custom {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
}

/** Definitions without schemas: who may change what does not depend on one. */
const CUSTOM: readonly Custom[] = [
  { group: 'karpenter.sh', version: 'v1', plural: 'nodepools', kind: 'NodePool', namespaced: false },
  { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims', kind: 'NodeClaim', namespaced: false },
  { group: 'karpenter.sh', version: 'v1alpha5', plural: 'provisioners', kind: 'Provisioner', namespaced: false },
  { group: 'karpenter.k8s.aws', version: 'v1', plural: 'ec2nodeclasses', kind: 'EC2NodeClass', namespaced: false },
  { group: 'karpenter.k8s.aws', version: 'v1alpha1', plural: 'awsnodetemplates', kind: 'AWSNodeTemplate', namespaced: false },
  { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'gateways', kind: 'Gateway', namespaced: true },
  { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true },
  { group: 'argoproj.io', version: 'v1alpha1', plural: 'applications', kind: 'Application', namespaced: true },
  { group: 'helm.toolkit.fluxcd.io', version: 'v2', plural: 'helmreleases', kind: 'HelmRelease', namespaced: true },
  { group: 'source.toolkit.fluxcd.io', version: 'v1', plural: 'ocirepositories', kind: 'OCIRepository', namespaced: true },
];

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
};
const selector = { matchLabels: { app: 'web' } };
const hook = (name: string, service: string, namespace: string) => ({
  name,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  // Of a kind that this test does not write.
  rules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }],
  clientConfig: { service: { name: service, namespace, path: '/' } },
});

/** By resource as in domain/policy/permissions/changes.ts: the path of its collection, and the object. */
export const OBJECTS: Readonly<
  Record<
    string,
    {
      path: string;
      object: { apiVersion: string; kind: string; metadata: { name: string; [field: string]: unknown }; [field: string]: unknown };
    }
  >
> = {
  '/nodes': { path: '/api/v1/nodes', object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'ip-10-0-1-7' } } },
  '/namespaces': {
    path: '/api/v1/namespaces',
    object: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'baseline', 'istio.io/rev': '1-26' } },
    },
  },
  '/services': {
    path: `/api/v1/namespaces/${NAMESPACE}/services`,
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'istiod-revision-tag-prod', labels: { 'istio.io/rev': '1-26' } },
      spec: { selector: { app: 'istiod', 'istio.io/rev': '1-26' }, ports: [{ port: 443 }] },
    },
  },
  '/pods': {
    path: `/api/v1/namespaces/${NAMESPACE}/pods`,
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0' }, spec: template.spec },
  },
  'apps/deployments': workload('deployments', 'Deployment', { replicas: 1 }),
  'apps/statefulsets': workload('statefulsets', 'StatefulSet', { replicas: 1, serviceName: 'web' }),
  'apps/daemonsets': workload('daemonsets', 'DaemonSet', {}),
  'autoscaling/horizontalpodautoscalers': {
    path: `/apis/autoscaling/v2/namespaces/${NAMESPACE}/horizontalpodautoscalers`,
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'istiod' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 5 },
    },
  },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': {
    path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'istio-revision-tag-prod', labels: { 'istio.io/rev': '1-26', 'istio.io/tag': 'prod' } },
      webhooks: [hook('rev.sidecar-injector.istio.io', 'istiod-1-26', 'istio-system')],
    },
  },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': {
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'istiod-default-validator', labels: { 'istio.io/rev': '1-26' } },
      webhooks: [hook('validation.istio.io', 'istiod-1-26', 'istio-system')],
    },
  },
  'karpenter.sh/nodepools': custom('nodepools', 'general', {
    disruption: { consolidateAfter: '1m', budgets: [{ nodes: '10%' }] },
    template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'al2023' } } },
  }),
  'karpenter.sh/nodeclaims': custom('nodeclaims', 'general-x', {}),
  'karpenter.sh/provisioners': custom('provisioners', 'default', {}),
  'karpenter.k8s.aws/ec2nodeclasses': custom('ec2nodeclasses', 'al2023', {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    amiFamily: 'AL2023',
    userData: '#!/bin/sh',
    role: 'nodes',
  }),
  'karpenter.k8s.aws/awsnodetemplates': custom('awsnodetemplates', 'default', {}),
  'gateway.networking.k8s.io/gateways': custom('gateways', 'front', { gatewayClassName: 'istio' }),
  'argoproj.io/rollouts': custom('rollouts', 'web', { template }),
  'argoproj.io/applications': custom('applications', 'istiod', {
    project: 'platform',
    source: { repoURL: 'https://charts.example', chart: 'istiod', targetRevision: '1.26.0', helm: { values: 'revision: 1-26' } },
  }),
  'helm.toolkit.fluxcd.io/helmreleases': custom('helmreleases', 'karpenter', {
    chart: { spec: { chart: 'karpenter', version: '1.5.0', sourceRef: { kind: 'HelmRepository', name: 'karpenter' } } },
    values: {},
    serviceAccountName: 'flux-karpenter',
  }),
  'source.toolkit.fluxcd.io/ocirepositories': custom('ocirepositories', 'karpenter', {
    url: 'oci://public.ecr.aws/karpenter/karpenter',
    ref: { tag: '1.5.0' },
  }),
};

function workload(plural: string, kind: string, spec: object): (typeof OBJECTS)[string] {
  return {
    path: `/apis/apps/v1/namespaces/${NAMESPACE}/${plural}`,
    object: { apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec: { ...spec, selector, template } },
  };
}

function custom(plural: string, name: string, spec: object): (typeof OBJECTS)[string] {
  const type = CUSTOM.find((each) => each.plural === plural);
  if (type === undefined) throw new Error(`no definition of ${plural}`);
  const { group, version, kind, namespaced } = type;
  return {
    path: `/apis/${group}/${version}/${namespaced ? `namespaces/${NAMESPACE}/` : ''}${plural}`,
    object: { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec },
  };
}

/** Definitions, then one of each. */
export async function plantObjects(api: Api): Promise<void> {
  for (const { group, version, plural, kind, namespaced } of CUSTOM) {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: {
        name: `${plural}.${group}`,
        // The API server keeps groups below k8s.io for itself.
        ...(group.endsWith('.k8s.io') ? { annotations: { 'api-approved.kubernetes.io': 'https://example.com/approved' } } : {}),
      },
      spec: {
        group,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names: { plural, kind, singular: kind.toLowerCase() },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: open } }],
      },
    });
  }
  for (const { path, object } of Object.values(OBJECTS)) await onceServed(() => api.post(path, object));
}

/** Back to what was planted: the next case begins with it. */
export async function replant(api: Api, resource: string): Promise<KubeObject> {
  const { path, object } = found(resource);
  await api.delete(`${path}/${object.metadata.name}`).catch(() => undefined);
  return await api.post(path, object);
}

export function found(resource: string): (typeof OBJECTS)[string] {
  const known = OBJECTS[resource];
  if (known === undefined) throw new Error(`nothing of ${resource} is planted`);
  return known;
}
