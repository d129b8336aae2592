/** What pods belong to, and what decides about their eviction. */
import { conditions, podSpec, reference, selector, template } from './parts.ts';
import { type AllowedGroup, type AllowedList, under } from './types.ts';

const REPLICAS = ['replicas', 'readyReplicas', 'availableReplicas', 'updatedReplicas', 'observedGeneration'];

const workload = (...paths: string[]): AllowedGroup[] => [
  { why: 'how many there are to be, and how they are replaced', paths: [...selector('spec.selector'), ...paths] },
  { why: 'how many there are', paths: [...under('status', REPLICAS), ...conditions()] },
  ...template('spec.template'),
];

const ROLLING = ['type', 'rollingUpdate.maxSurge', 'rollingUpdate.maxUnavailable', 'rollingUpdate.partition'];
const JOB = ['parallelism', 'completions', 'backoffLimit', 'activeDeadlineSeconds', 'suspend', 'ttlSecondsAfterFinished'];
const CONTAINER_STATE = [
  'name',
  'ready',
  'started',
  'restartCount',
  'state.running.startedAt',
  'state.waiting.reason',
  'state.terminated.reason',
  'state.terminated.exitCode',
  'state.terminated.startedAt',
  'state.terminated.finishedAt',
];

/** What selects is listed before what is selected: labels that it names are kept of that. */
export const WORKLOADS: readonly AllowedList[] = [
  {
    apiVersion: 'policy/v1',
    plural: 'poddisruptionbudgets',
    writers: true,
    groups: [
      {
        why: 'which pods it holds, and how many of them may be away',
        paths: [...selector('spec.selector'), ...under('spec', ['minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy'])],
      },
      {
        why: 'what it allows now',
        paths: [
          ...under('status', ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods', 'observedGeneration']),
          ...conditions(),
        ],
      },
    ],
  },
  {
    apiVersion: 'v1',
    plural: 'services',
    groups: [
      {
        why: 'which pods serve, and whether anything outside reaches them',
        paths: [
          'spec.type',
          'spec.selector.*',
          'spec.clusterIP=headless',
          'spec.externalIPs[]=address',
          'spec.loadBalancerSourceRanges[]=network',
          'spec.externalTrafficPolicy',
          'spec.publishNotReadyAddresses',
          ...under('spec.ports[]', ['name', 'port', 'targetPort', 'protocol', 'appProtocol']),
          'status.loadBalancer.ingress[]=present',
        ],
      },
    ],
  },
  {
    apiVersion: 'apps/v1',
    plural: 'deployments',
    writers: true,
    groups: workload(
      ...under('spec.strategy', ROLLING),
      ...under('spec', ['replicas', 'paused', 'minReadySeconds', 'progressDeadlineSeconds', 'revisionHistoryLimit']),
    ),
  },
  {
    apiVersion: 'apps/v1',
    plural: 'statefulsets',
    writers: true,
    groups: [
      ...workload(
        ...under('spec.updateStrategy', ROLLING),
        ...under('spec', ['replicas', 'minReadySeconds', 'podManagementPolicy', 'serviceName']),
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled',
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
        ...under('status', ['currentRevision', 'updateRevision', 'currentReplicas']),
      ),
      {
        why: 'volumes of its pods',
        paths: under('spec.volumeClaimTemplates[]', [
          'metadata.name',
          'spec.storageClassName',
          'spec.accessModes[]',
          'spec.volumeMode',
          'spec.resources.requests.storage',
        ]),
      },
    ],
  },
  {
    apiVersion: 'apps/v1',
    plural: 'daemonsets',
    writers: true,
    groups: workload(
      ...under('spec.updateStrategy', ROLLING),
      'spec.minReadySeconds',
      ...under('status', [
        'currentNumberScheduled',
        'desiredNumberScheduled',
        'numberAvailable',
        'numberMisscheduled',
        'numberReady',
        'numberUnavailable',
        'updatedNumberScheduled',
      ]),
    ),
  },
  { apiVersion: 'apps/v1', plural: 'replicasets', groups: workload('spec.replicas', 'spec.minReadySeconds') },
  {
    apiVersion: 'v1',
    plural: 'replicationcontrollers',
    groups: workload('spec.replicas', 'spec.minReadySeconds', 'spec.selector.*'),
  },
  {
    apiVersion: 'batch/v1',
    plural: 'jobs',
    groups: [
      { why: 'whether it still runs, and for how long it may', paths: [...under('spec', JOB), ...selector('spec.selector')] },
      {
        why: 'how far it is',
        paths: [...under('status', ['active', 'ready', 'succeeded', 'failed', 'startTime', 'completionTime']), ...conditions()],
      },
      ...template('spec.template'),
    ],
  },
  {
    apiVersion: 'batch/v1',
    plural: 'cronjobs',
    writers: true,
    groups: [
      {
        why: 'when it runs next',
        paths: [
          ...under('spec', ['schedule', 'timeZone', 'suspend', 'concurrencyPolicy', 'startingDeadlineSeconds']),
          ...under('spec.jobTemplate.spec', JOB),
          ...under('status', ['lastScheduleTime', 'lastSuccessfulTime']),
        ],
      },
      ...template('spec.jobTemplate.spec.template'),
    ],
  },
  {
    apiVersion: 'autoscaling/v2',
    plural: 'horizontalpodautoscalers',
    writers: true,
    groups: [
      {
        why: 'between how many replicas a workload moves',
        paths: [
          ...reference('spec.scaleTargetRef'),
          ...under('spec', ['minReplicas', 'maxReplicas']),
          ...under('status', ['currentReplicas', 'desiredReplicas']),
        ],
      },
    ],
  },
  {
    apiVersion: 'v1',
    plural: 'pods',
    groups: [
      { why: 'where it is', paths: ['spec.nodeName', 'status.nominatedNodeName'] },
      ...podSpec('spec'),
      {
        why: 'whether it serves, and how long it took to',
        paths: [
          ...under('status', ['phase', 'reason', 'startTime', 'qosClass']),
          ...under('status.conditions[]', ['type', 'status', 'reason', 'lastTransitionTime']),
          ...under('status.containerStatuses[]', CONTAINER_STATE),
          ...under('status.initContainerStatuses[]', CONTAINER_STATE),
        ],
      },
    ],
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    groups: [
      {
        why: 'which Services have ready endpoints',
        paths: [
          'addressType',
          ...under('endpoints[]', ['conditions.ready', 'conditions.serving', 'conditions.terminating', 'nodeName', 'zone']),
          ...reference('endpoints[].targetRef'),
          ...under('ports[]', ['name', 'port', 'protocol']),
        ],
      },
    ],
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    plural: 'priorityclasses',
    writers: true,
    groups: [{ why: 'which pods go first', paths: ['value', 'globalDefault', 'preemptionPolicy'] }],
  },
];
