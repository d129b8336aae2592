/** Nodes, volumes, and what the API server itself is made of. */
import { conditions, nodeTerms, reference, selector, taints } from './parts.ts';
import { type AllowedList, under } from './types.ts';

const WEBHOOK = [
  ...under('webhooks[]', [
    'name',
    'failurePolicy',
    'timeoutSeconds',
    'matchPolicy',
    'sideEffects',
    'reinvocationPolicy',
    'admissionReviewVersions[]',
    'matchConditions[].name',
    ...under('rules[]', ['apiGroups[]', 'apiVersions[]', 'operations[]', 'resources[]', 'scope']),
    ...under('clientConfig.service', ['namespace', 'name', 'port']),
    'clientConfig.url=outside',
  ]),
  ...selector('webhooks[].namespaceSelector'),
  ...selector('webhooks[].objectSelector'),
];

const webhooks = (plural: string): AllowedList => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  plural,
  writers: true,
  groups: [{ why: 'which writes fail while a Service is away', paths: WEBHOOK }],
});

/** Before workloads: they select pods, nodes and namespaces. */
export const ADMISSION: readonly AllowedList[] = [webhooks('validatingwebhookconfigurations'), webhooks('mutatingwebhookconfigurations')];

export const CLUSTER: readonly AllowedList[] = [
  {
    apiVersion: 'v1',
    plural: 'nodes',
    groups: [
      {
        why: 'what fits on it, and who replaces it',
        paths: ['spec.providerID', 'spec.unschedulable', ...taints('spec.taints[]'), 'status.capacity.*', 'status.allocatable.*'],
      },
      {
        why: 'what it runs, and since when',
        paths: [
          ...under('status.nodeInfo', [
            'kubeletVersion',
            'kubeProxyVersion',
            'containerRuntimeVersion',
            'osImage',
            'kernelVersion',
            'architecture',
            'operatingSystem',
          ]),
          ...under('status.conditions[]', ['type', 'status', 'reason', 'lastTransitionTime']),
        ],
      },
      {
        why: 'sizes of images, of which pulls are forecast; each image on one node',
        paths: ['status.images[].names[]', 'status.images[].sizeBytes'],
      },
    ],
  },
  {
    apiVersion: 'v1',
    plural: 'namespaces',
    writers: true,
    groups: [{ why: 'whether it is there for long', paths: ['status.phase'] }],
  },
  {
    apiVersion: 'v1',
    plural: 'persistentvolumes',
    groups: [
      {
        why: 'which zone or node holds the pods that use it',
        paths: [
          ...under('spec', ['capacity.storage', 'accessModes[]', 'storageClassName', 'volumeMode', 'persistentVolumeReclaimPolicy']),
          ...reference('spec.claimRef'),
          ...under('spec.csi', ['driver', 'fsType', 'volumeHandle']),
          'spec.awsElasticBlockStore.volumeID',
          'spec.local=present',
          'spec.hostPath=present',
          'spec.nfs=present',
          ...nodeTerms('spec.nodeAffinity.required.nodeSelectorTerms[]'),
          'status.phase',
        ],
      },
    ],
  },
  {
    apiVersion: 'v1',
    plural: 'persistentvolumeclaims',
    groups: [
      {
        why: 'which volume a pod waits for',
        paths: [
          ...under('spec', ['accessModes[]', 'storageClassName', 'volumeName', 'volumeMode', 'resources.requests.storage']),
          'status.phase',
          'status.capacity.storage',
        ],
      },
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    plural: 'storageclasses',
    writers: true,
    groups: [
      {
        why: 'where a new volume is made',
        paths: [
          'provisioner',
          'reclaimPolicy',
          'volumeBindingMode',
          'allowVolumeExpansion',
          'parameters.type',
          ...under('allowedTopologies[].matchLabelExpressions[]', ['key', 'values[]']),
        ],
      },
    ],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    plural: 'csidrivers',
    writers: true,
    groups: [{ why: 'whether kubelets mount its volumes with an SELinux label', paths: ['spec.seLinuxMount'] }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    plural: 'csinodes',
    groups: [{ why: 'how many volumes a node takes', paths: under('spec.drivers[]', ['name', 'topologyKeys[]', 'allocatable.count']) }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    plural: 'volumeattachments',
    groups: [
      {
        why: 'where volumes are attached',
        paths: ['spec.attacher', 'spec.nodeName', 'spec.source.persistentVolumeName', 'status.attached'],
      },
    ],
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    plural: 'customresourcedefinitions',
    writers: true,
    groups: [
      {
        why: 'which types there are, in which versions they are stored, what converts them',
        paths: [
          ...under('spec', ['group', 'scope', 'names.kind', 'names.listKind', 'names.plural', 'names.singular', 'conversion.strategy']),
          ...under('spec.conversion.webhook.clientConfig.service', ['namespace', 'name', 'port']),
          ...under('spec.versions[]', ['name', 'served', 'storage', 'deprecated', 'subresources.status=present']),
          'status.storedVersions[]',
          ...conditions(),
        ],
      },
    ],
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    plural: 'apiservices',
    writers: true,
    groups: [
      {
        why: 'which APIs are gone while a Service is away',
        paths: [
          ...under('spec', ['group', 'version', 'groupPriorityMinimum', 'versionPriority']),
          ...under('spec.service', ['namespace', 'name', 'port']),
          ...conditions(),
        ],
      },
    ],
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    plural: 'leases',
    namespaces: ['kube-system', 'karpenter'],
    groups: [
      {
        why: 'which pod leads, so that its eviction is a hand-over',
        paths: under('spec', ['holderIdentity', 'leaseDurationSeconds', 'acquireTime', 'renewTime', 'leaseTransitions']),
      },
    ],
  },
];
