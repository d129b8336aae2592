/**
 * What Belay changes in a cluster, resource by resource and field by field: the list from which deploy/kubernetes-admission.yaml is written. Tests hold
 * it to the code: a change that is not listed here fails them.
 */
import { annotations, type Change, keys } from './fields.ts';
import type { AdmissionOption } from './options.ts';
import {
  CORDONED,
  DEFAULT_VALIDATOR,
  DEFINITIONS,
  FREEZE,
  HELD,
  INJECTOR_GOES,
  ISTIOS_ALONE,
  labelsOf,
  NO_TRAFFIC,
  OLD_MUTATING,
  OLD_VALIDATING,
  oneOf,
  PLAIN_SYNC,
  RESTART,
  RESTART_OR_REVISION,
  rev,
  SCALED,
  STAYS_WITH_ISTIOD,
} from './change-fields.ts';

export const CHANGES: readonly Change[] = [
  // Nodes that are skipped, wait for their wave, or are frozen one by one.
  { resource: '/nodes', operation: 'UPDATE', fields: { metadata: annotations(...HELD, 'belay.dev/freeze-guard') } },
  { resource: '/nodes', operation: 'UPDATE', option: 'self-managed', fields: { metadata: NO_TRAFFIC, spec: keys('unschedulable') } },
  // One pod, as people have decided at a gate, and its node, which is to be replaced.
  { resource: '/pods', operation: 'DELETE', option: 'delete-pods' },
  { resource: '/nodes', operation: 'UPDATE', option: 'delete-pods', fields: CORDONED },
  { resource: '/pods/eviction', operation: 'CREATE', option: 'self-managed' },
  { resource: '/pods/portforward', operation: 'CONNECT', option: 'mesh-debug' },
  { resource: '/pods/proxy', operation: 'CONNECT', option: 'scrapes' },
  { resource: '/pods/proxy', operation: 'CONNECT', option: 'mesh-scrapes' },
  // The label of a wave.
  {
    resource: '/namespaces',
    operation: 'UPDATE',
    option: 'istio',
    fields: { metadata: { ...annotations('belay.dev/istio-before'), labels: keys('istio.io/rev', 'istio-injection') } },
  },
  // Where a revision tag points, from Istio 1.28.
  {
    resource: '/services',
    operation: 'UPDATE',
    option: 'istio',
    fields: { metadata: { labels: rev }, spec: { selector: keys('istio.io/rev', 'istio') } },
    conditions: [
      { cel: "request.name.startsWith('istiod-revision-tag-')", refuses: 'of Services Belay changes only Istio’s revision tags' },
    ],
  },
  // One replica more and back, a Cluster Autoscaler paused, Fargate stopped; restarts; the revision of a gateway.
  {
    resource: 'apps/deployments',
    operation: 'UPDATE',
    fields: { metadata: annotations(...SCALED), spec: { replicas: 'any', template: RESTART_OR_REVISION } },
  },
  {
    resource: 'apps/statefulsets',
    operation: 'UPDATE',
    fields: { metadata: annotations(...SCALED), spec: { replicas: 'any', template: RESTART } },
  },
  {
    resource: 'apps/daemonsets',
    operation: 'UPDATE',
    option: 'istio',
    // The API server counts the templates of a DaemonSet in an annotation.
    fields: {
      metadata: annotations('belay.dev/istio-before', 'deprecated.daemonset.template.generation'),
      spec: { template: RESTART_OR_REVISION },
    },
  },
  {
    resource: 'autoscaling/horizontalpodautoscalers',
    operation: 'UPDATE',
    option: 'istio',
    fields: { metadata: annotations('belay.dev/min-replicas-before'), spec: keys('minReplicas') },
  },
  // The freeze; the node class that belay.yaml switches a pool to.
  {
    resource: 'karpenter.sh/nodepools',
    operation: 'UPDATE',
    fields: {
      metadata: annotations(...FREEZE, 'belay.dev/node-class-before'),
      spec: { disruption: keys('budgets'), template: { spec: { nodeClassRef: keys('name') } } },
    },
  },
  {
    resource: 'karpenter.k8s.aws/ec2nodeclasses',
    operation: 'UPDATE',
    option: 'node-classes',
    fields: { metadata: annotations('belay.dev/ami-before', 'belay.dev/ami-move-before'), spec: keys('amiSelectorTerms', 'amiFamily') },
  },
  {
    resource: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
    operation: 'UPDATE',
    option: 'istio',
    fields: { metadata: { ...annotations('belay.dev/istio-before'), labels: rev }, webhooks: { items: ['clientConfig'] } },
    conditions: [ISTIOS_ALONE, STAYS_WITH_ISTIOD],
  },
  {
    resource: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
    operation: 'DELETE',
    option: 'istio',
    conditions: [INJECTOR_GOES],
  },
  {
    resource: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
    operation: 'DELETE',
    option: 'karpenter-migration',
    names: OLD_MUTATING,
    conditions: [INJECTOR_GOES],
  },
  {
    resource: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
    operation: 'UPDATE',
    option: 'istio',
    names: [DEFAULT_VALIDATOR],
    fields: { metadata: { labels: rev }, webhooks: { items: ['clientConfig'] } },
    conditions: [
      { cel: `request.name == '${DEFAULT_VALIDATOR}'`, refuses: `of validating webhooks Belay changes only ${DEFAULT_VALIDATOR}` },
      STAYS_WITH_ISTIOD,
    ],
  },
  {
    resource: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
    operation: 'DELETE',
    option: 'karpenter-migration',
    names: OLD_VALIDATING,
    conditions: [
      {
        cel: `request.name in ${oneOf(OLD_VALIDATING)}`,
        refuses: 'of validating webhooks Belay deletes only those of Karpenter before 1.0',
      },
    ],
  },
  {
    resource: 'gateway.networking.k8s.io/gateways',
    operation: 'UPDATE',
    option: 'istio',
    fields: { metadata: { ...annotations('belay.dev/istio-before'), labels: rev } },
  },
  { resource: 'argoproj.io/rollouts', operation: 'UPDATE', option: 'istio', fields: { spec: keys('restartAt') } },
  // A chart's version and values where nobody keeps the object as in Git, and one sync that prunes nothing and brings nothing of its own.
  {
    resource: 'argoproj.io/applications',
    operation: 'UPDATE',
    option: 'gitops',
    fields: {
      metadata: annotations('argocd.argoproj.io/refresh'),
      operation: 'any',
      spec: { source: keys('targetRevision', 'helm'), sources: { items: ['targetRevision', 'helm'] } },
    },
    conditions: [PLAIN_SYNC],
  },
  {
    resource: 'argoproj.io/applications',
    operation: 'UPDATE',
    option: 'istio-gitops',
    fields: { metadata: keys('finalizers') },
    conditions: [
      {
        cel: 'oldObject.metadata.?finalizers.orValue([]).all(each, each in object.metadata.?finalizers.orValue([]))',
        refuses: 'Belay takes no finalizer off an Application',
      },
    ],
  },
  {
    resource: 'helm.toolkit.fluxcd.io/helmreleases',
    operation: 'UPDATE',
    option: 'gitops',
    fields: {
      metadata: annotations('reconcile.fluxcd.io/requestedAt', 'reconcile.fluxcd.io/resetAt'),
      spec: { chart: { spec: keys('version') }, values: 'any' },
    },
  },
  {
    resource: 'helm.toolkit.fluxcd.io/helmreleases',
    operation: 'UPDATE',
    option: 'istio-gitops',
    fields: { spec: { uninstall: keys('keepHistory') } },
  },
  {
    resource: 'source.toolkit.fluxcd.io/ocirepositories',
    operation: 'UPDATE',
    option: 'gitops',
    fields: { metadata: annotations('reconcile.fluxcd.io/requestedAt'), spec: keys('ref') },
  },
  // New revisions of Istio, as copies of what delivers the old ones.
  ...['argoproj.io/applications', 'helm.toolkit.fluxcd.io/helmreleases', 'source.toolkit.fluxcd.io/ocirepositories'].flatMap(
    (resource): Change[] => [
      { resource, operation: 'CREATE', option: 'istio-gitops' },
      { resource, operation: 'DELETE', option: 'istio-gitops' },
    ],
  ),
  {
    resource: 'karpenter.sh/nodeclaims',
    operation: 'CREATE',
    option: 'canary-node',
    conditions: [
      {
        cel: `${labelsOf('object')}[?'belay.dev/canary'].orValue('') == 'true' && object.spec.?taints.orValue([]).exists(taint, taint.key == 'belay.dev/canary') && has(object.spec.expireAfter)`,
        refuses: 'a NodeClaim that Belay makes is a canary: labelled, tainted, and with an end of its own',
      },
    ],
  },
  {
    resource: 'karpenter.sh/nodeclaims',
    operation: 'DELETE',
    option: 'canary-node',
    conditions: [{ cel: `'belay.dev/canary' in ${labelsOf('oldObject')}`, refuses: 'of NodeClaims Belay deletes only its canary' }],
  },
  // Karpenter's API is migrated.
  {
    resource: 'karpenter.sh/nodepools',
    operation: 'UPDATE',
    option: 'karpenter-migration',
    fields: { metadata: annotations('compatibility.karpenter.sh/v1beta1-kubelet-conversion') },
  },
  { resource: 'karpenter.k8s.aws/ec2nodeclasses', operation: 'UPDATE', option: 'karpenter-migration', fields: { spec: keys('kubelet') } },
  { resource: 'karpenter.sh/nodeclaims', operation: 'UPDATE', option: 'karpenter-migration', fields: {} },
  {
    resource: 'apiextensions.k8s.io/customresourcedefinitions/status',
    operation: 'UPDATE',
    option: 'karpenter-migration',
    names: DEFINITIONS,
    fields: { status: keys('storedVersions') },
  },
  { resource: 'karpenter.sh/nodepools', operation: 'CREATE', option: 'karpenter-migration' },
  { resource: 'karpenter.k8s.aws/ec2nodeclasses', operation: 'CREATE', option: 'karpenter-migration' },
  {
    resource: 'karpenter.sh/provisioners',
    operation: 'UPDATE',
    option: 'karpenter-migration',
    fields: { metadata: annotations('belay.dev/legacy-taint'), spec: keys('taints') },
  },
  { resource: 'karpenter.sh/provisioners', operation: 'DELETE', option: 'karpenter-migration' },
  { resource: 'karpenter.k8s.aws/awsnodetemplates', operation: 'DELETE', option: 'karpenter-migration' },
];

/** Those of the base role and of these options. */
export function changesWith(options: readonly AdmissionOption[]): Change[] {
  return CHANGES.filter(({ option }) => option === undefined || options.includes(option));
}
