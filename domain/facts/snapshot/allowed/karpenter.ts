/** Karpenter's objects, in every API that it has had. */
import { conditions, reference, requirements, taints } from './parts.ts';
import { type AllowedGroup, type AllowedList, under } from './types.ts';

const KUBELET = [
  'maxPods',
  'podsPerCore',
  'cpuCFSQuota',
  'systemReserved.*',
  'kubeReserved.*',
  'evictionHard.*',
  'evictionSoft.*',
  'evictionSoftGracePeriod.*',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
];

/** Of nodes to come: a NodePool's template, and a NodeClaim. */
const nodeSpec = (path: string): string[] => [
  ...reference(`${path}.nodeClassRef`),
  ...requirements(`${path}.requirements[]`),
  ...taints(`${path}.taints[]`),
  ...taints(`${path}.startupTaints[]`),
  ...under(path, ['expireAfter', 'terminationGracePeriod', 'resources.requests.*']),
  ...under(`${path}.kubelet`, KUBELET),
  ...under(`${path}.kubeletConfiguration`, KUBELET),
];

const CLAIM_STATUS = [
  ...under('status', ['nodeName', 'providerID', 'imageID', 'capacity.*', 'allocatable.*', 'lastPodEventTime']),
  ...conditions(),
];

const POOL: AllowedGroup[] = [
  {
    why: 'which nodes it makes, and how many',
    paths: [
      ...under('spec', ['weight', 'replicas', 'limits.*']),
      'spec.template.metadata.labels.*',
      'spec.template.metadata.annotations=annotations',
      ...nodeSpec('spec.template.spec'),
    ],
  },
  {
    why: 'how many nodes it replaces at once, and when',
    paths: under('spec.disruption', [
      'consolidationPolicy',
      'consolidateAfter',
      'expireAfter',
      ...under('budgets[]', ['nodes', 'schedule', 'duration', 'reasons[]']),
    ]),
  },
  { why: 'what it has', paths: ['status.resources.*', 'status.nodes', ...conditions()] },
];

const CLAIM: AllowedGroup[] = [
  { why: 'what it asks for, and how long it took from there to a node', paths: [...nodeSpec('spec'), ...CLAIM_STATUS] },
];

const terms = (path: string): string[] => under(path, ['alias', 'id', 'name', 'owner', 'ownerID', 'ssmParameter', 'tags.*']);

const CLASS: AllowedGroup[] = [
  {
    why: 'which image, subnets and disks its nodes have',
    paths: [
      ...under('spec', ['amiFamily', 'role', 'instanceProfile', 'instanceStorePolicy', 'associatePublicIPAddress', 'detailedMonitoring']),
      ...['amiSelectorTerms[]', 'subnetSelectorTerms[]', 'securityGroupSelectorTerms[]', 'capacityReservationSelectorTerms[]'].flatMap(
        (list) => terms(`spec.${list}`),
      ),
      ...['amiSelector.*', 'subnetSelector.*', 'securityGroupSelector.*'].map((map) => `spec.${map}`),
      ...under('spec.metadataOptions', ['httpEndpoint', 'httpProtocolIPv6', 'httpPutResponseHopLimit', 'httpTokens']),
      ...under('spec.blockDeviceMappings[]', ['deviceName', 'rootVolume']),
      ...under('spec.blockDeviceMappings[].ebs', ['volumeSize', 'volumeType', 'iops', 'throughput', 'encrypted', 'deleteOnTermination']),
      ...under('spec.ephemeralStorage', ['size', 'iops', 'throughput']),
      ...under('spec.kubelet', KUBELET),
      'spec.userData=userData',
    ],
  },
  {
    why: 'what that is now',
    paths: [
      ...under('status.amis[]', ['id', 'name', 'deprecated']),
      ...requirements('status.amis[].requirements[]'),
      ...under('status.subnets[]', ['id', 'zone', 'zoneID']),
      ...under('status.securityGroups[]', ['id', 'name']),
      'status.instanceProfile',
      ...conditions(),
    ],
  },
];

const PROVISIONER: AllowedGroup[] = [
  {
    why: 'which nodes it makes, and how long they live',
    paths: [
      ...requirements('spec.requirements[]'),
      ...taints('spec.taints[]'),
      ...taints('spec.startupTaints[]'),
      'spec.labels.*',
      'spec.annotations=annotations',
      'spec.limits.resources.*',
      'spec.providerRef.name',
      ...under('spec', ['weight', 'ttlSecondsAfterEmpty', 'ttlSecondsUntilExpired', 'consolidation.enabled']),
      ...under('spec.kubeletConfiguration', KUBELET),
      'status.resources.*',
      ...conditions(),
    ],
  },
];

const custom = (apiVersion: string, plural: string, groups: AllowedGroup[]): AllowedList => ({
  apiVersion,
  plural,
  groups,
  custom: true,
  writers: true,
});

export const KARPENTER: readonly AllowedList[] = [
  custom('karpenter.sh/v1', 'nodepools', POOL),
  custom('karpenter.sh/v1beta1', 'nodepools', POOL),
  custom('karpenter.sh/v1alpha5', 'provisioners', PROVISIONER),
  custom('karpenter.sh/v1', 'nodeclaims', CLAIM),
  custom('karpenter.sh/v1beta1', 'nodeclaims', CLAIM),
  custom('karpenter.sh/v1alpha5', 'machines', CLAIM),
  custom('karpenter.k8s.aws/v1', 'ec2nodeclasses', CLASS),
  custom('karpenter.k8s.aws/v1beta1', 'ec2nodeclasses', CLASS),
  custom('karpenter.k8s.aws/v1alpha1', 'awsnodetemplates', CLASS),
  custom('eks.amazonaws.com/v1', 'nodeclasses', CLASS),
];
