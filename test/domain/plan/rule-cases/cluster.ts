/** Requests and clusters that break a rule. */
import { refusalOf } from '../../../support/plans.ts';
import { at, healthy, type RuleCase } from './case.ts';
import { unread } from '../../../support/unread.ts';

const CHOOSE = 'Choose a minor from `aws eks describe-cluster-versions`.';
const NEWER = 'Choose a newer minor; going back is a rollback.';

export const CLUSTER_CASES: RuleCase[] = [
  {
    rule: 'target-known',
    title: 'a target that is no version',
    found: () => refusalOf(healthy, 'latest'),
    expected: [['"latest" is not a Kubernetes version such as 1.34.', CHOOSE]],
  },
  {
    rule: 'target-known',
    title: 'a target that EKS does not offer',
    found: () => refusalOf(at('1.35', { karpenter: undefined, istio: undefined }), '1.36'),
    expected: [['EKS does not offer Kubernetes 1.36; it offers 1.35, 1.34, 1.33, 1.32, 1.31.', CHOOSE]],
  },
  {
    rule: 'target-known',
    title: 'a target that nobody knows while the offer could not be read',
    found: () => refusalOf(at('1.37', { supportedVersions: [], karpenter: undefined, istio: undefined }), '1.38'),
    expected: [
      [
        "The versions that EKS offers could not be read, and Kubernetes 1.38 is not in Belay's own table.",
        'Allow eks:DescribeClusterVersions, or choose a minor that the table knows.',
      ],
    ],
  },
  {
    rule: 'target-above-current',
    title: 'the version that the cluster has',
    found: () => refusalOf(healthy, '1.33'),
    expected: [['The control plane of prod is already at 1.33.', NEWER]],
  },
  {
    rule: 'target-above-current',
    title: 'an older version',
    found: () => refusalOf(healthy, '1.32'),
    expected: [['The control plane of prod is at 1.33, newer than 1.32.', NEWER]],
  },
  {
    rule: 'cluster-active-and-healthy',
    title: 'a cluster that is not ACTIVE and has a health issue',
    found: () => {
      const healthIssues = [{ code: 'KmsKeyDisabled', message: 'the key is disabled', resourceIds: [] }];
      return refusalOf({ ...healthy, controlPlane: { ...healthy.controlPlane, status: 'FAILED', healthIssues } }, '1.34');
    },
    expected: [
      ['Cluster prod is FAILED, not ACTIVE.', 'Solve health issues in the EKS console, wait until it is ACTIVE, then start again.'],
      [
        'EKS reports KmsKeyDisabled: the key is disabled',
        'Solve health issues in the EKS console, wait until it is ACTIVE, then start again.',
      ],
    ],
  },
  {
    rule: 'worker-elsewhere',
    title: 'the worker on the cluster itself',
    found: () => refusalOf({ ...healthy, workerOnCluster: { allowed: false } }, '1.34'),
    expected: [
      [
        "The worker's own pod runs on prod: the upgrade would replace the node that runs it.",
        'Run the worker on another cluster or machine. If its node is not replaced (Fargate, a node group of its own that you roll yourself), set allowWorkerOnCluster: true for the cluster in belay.yaml.',
      ],
    ],
  },
  {
    rule: 'no-update-in-progress',
    title: 'another update',
    found: () => refusalOf({ ...healthy, updateInProgress: { id: 'u-1', type: 'VersionUpdate', version: '1.34' } }, '1.34'),
    expected: [['EKS has VersionUpdate u-1 to 1.34 in progress.', 'Wait until it ends, then start again.']],
  },
  {
    rule: 'inspection-sufficient',
    title: 'Karpenter that could not be looked for is not "no Karpenter"',
    found: () =>
      refusalOf(
        {
          ...healthy,
          karpenter: undefined,
          unknowns: [unread('the Karpenter Deployment', 'not permitted: it needs list on deployments')],
        },
        '1.34',
      ),
    expected: [
      [
        'the Karpenter Deployment could not be read, so whether Karpenter has to be frozen is not known: not permitted: it needs list on deployments',
        'Give Belay the named permission, then start again.',
      ],
    ],
  },
  {
    rule: 'inspection-sufficient',
    title: 'nodes that may not be listed are not "no nodes"',
    found: () =>
      refusalOf(
        {
          ...healthy,
          nodeGroups: [],
          karpenter: undefined,
          kubelets: [],
          unknowns: [unread('the nodes', 'not permitted: it needs list on nodes')],
        },
        '1.34',
      ),
    expected: [
      [
        'the nodes could not be read, so which nodes have to be moved, and how far their kubelets are behind, is not known: not permitted: it needs list on nodes',
        'Give Belay the named permission, then start again.',
      ],
    ],
  },
  {
    rule: 'control-plane-dependencies-present',
    title: 'a key that was deleted',
    found: () => refusalOf({ ...healthy, dependencies: [{ kind: 'kms-key', id: 'key/1', present: false }] }, '1.34'),
    expected: [["The cluster's kms-key key/1 does not exist.", 'Restore it, or point the cluster at another.']],
  },
  {
    rule: 'free-ip-addresses',
    title: 'addresses in one zone only',
    found: () =>
      refusalOf(
        {
          ...healthy,
          subnets: [
            { id: 'subnet-a', zone: 'eu-central-1a', freeIpCount: 40 },
            { id: 'subnet-b', zone: 'eu-central-1b', freeIpCount: 4 },
          ],
        },
        '1.34',
      ),
    expected: [
      [
        'Subnets with 5 free addresses exist in 1 of the 2 zones that are needed: subnet-a (eu-central-1a): 40, subnet-b (eu-central-1b): 4.',
        'Free addresses, or add subnets with UpdateClusterConfig.',
      ],
    ],
  },
  {
    rule: 'no-removed-apis',
    title: 'an API that ends with the target; one that ends later does not count',
    found: () =>
      refusalOf(
        {
          ...healthy,
          removedApis: [
            { api: 'resource.k8s.io/v1alpha3 DeviceClass', removedIn: '1.34', usedBy: ['dra-driver/v1'] },
            { api: 'resource.k8s.io/v1beta1 DeviceClass', removedIn: '1.36', usedBy: ['dra-driver/v1'] },
          ],
        },
        '1.34',
      ),
    expected: [
      [
        'resource.k8s.io/v1alpha3 DeviceClass is removed in Kubernetes 1.34 and still used by dra-driver/v1.',
        'First move its users to the replacement API.',
      ],
    ],
  },
];
