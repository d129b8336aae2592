/** What readiness reads of a cluster's API server: slim, by itself, and unseen where it may not look. */
import { describe, expect, test } from 'vitest';
import { readApiMetrics, readApiObjects } from '../../../../../activities/observe/readiness/kubernetes/apis.ts';
import { deliveredBy } from '../../../../../activities/kubernetes/gitops/owner-marks.ts';
import { readGitOps, readKubeProxy } from '../../../../../activities/observe/readiness/kubernetes/delivery.ts';
import { readIstioSeen } from '../../../../../activities/observe/readiness/kubernetes/istio.ts';
import {
  readBudgets,
  readCsiDrivers,
  readNetworkPolicies,
  readNodesSeen,
  readServices,
  readVolumes,
  readWebhooks,
} from '../../../../../activities/observe/readiness/kubernetes/cluster-objects.ts';
import { readKarpenterSeen } from '../../../../../activities/observe/readiness/kubernetes/karpenter.ts';
import { readPods } from '../../../../../activities/observe/readiness/kubernetes/pods.ts';
import { readRoles } from '../../../../../activities/observe/readiness/kubernetes/roles.ts';
import { see } from '../../../../../activities/runtime/see.ts';
import { sharingLists } from '../../../../../activities/kubernetes/objects/shared-lists.ts';
import { readWorkloads } from '../../../../../activities/observe/readiness/kubernetes/workloads.ts';
import type { KubeMeta } from '../../../../../activities/contract/ports.ts';
import { failureOf } from '../../../../../activities/runtime/translate-errors.ts';
import { CLUSTER } from '../../../../support/facts.ts';
import { FakeKubernetes, type Seed } from '../../../../support/fake-kubernetes.ts';

const APPS = 'apps/v1';

describe('workloads', () => {
  const template = {
    metadata: { labels: { app: 'cart' }, annotations: { 'container.apparmor.security.beta.kubernetes.io/cart': 'runtime/default' } },
    spec: {
      containers: [{ name: 'cart', image: 'cart:1', readinessProbe: {} }],
      initContainers: [
        { name: 'migrate', image: 'migrate:1' },
        { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' },
      ],
      volumes: [{ hostPath: { path: '/run/docker.sock' } }, { gitRepo: {} }, { persistentVolumeClaim: { claimName: 'data' } }],
      topologySpreadConstraints: [{ topologyKey: 'topology.kubernetes.io/zone' }],
    },
  };

  test('what checks ask for is kept, init containers only where they go on', async () => {
    const port = new FakeKubernetes().put(APPS, 'deployments', {
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { replicas: 2, strategy: { type: 'Recreate' }, template },
    });
    expect(await readWorkloads(port)).toEqual([
      {
        kind: 'Deployment',
        namespace: 'shop',
        name: 'cart',
        replicas: 2,
        strategy: 'Recreate',
        podLabels: { app: 'cart' },
        spread: 'over-zones',
        containers: [
          { name: 'cart', image: 'cart:1', readinessProbe: true },
          { name: 'proxy', image: 'proxy:1', readinessProbe: false },
        ],
        hostPaths: ['/run/docker.sock'],
        gitRepo: true,
        appArmorAnnotations: true,
        claims: ['data'],
      },
    ]);
  });

  test('ReplicaSets of Deployments and Jobs that are over are left out; what operators make is not', async () => {
    const owner = [{ apiVersion: APPS, kind: 'Deployment', name: 'cart', uid: '1', controller: true }];
    const port = new FakeKubernetes()
      .put(APPS, 'replicasets', { metadata: { name: 'cart-1', namespace: 'shop', ownerReferences: owner } })
      .put(APPS, 'replicasets', { metadata: { name: 'bare', namespace: 'shop' } })
      .put(APPS, 'statefulsets', {
        metadata: {
          name: 'prometheus',
          namespace: 'shop',
          ownerReferences: [{ apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', name: 'main', uid: '2', controller: true }],
        },
      })
      .put('batch/v1', 'jobs', { metadata: { name: 'over', namespace: 'shop' }, status: { succeeded: 1 } })
      .put('batch/v1', 'jobs', {
        metadata: { name: 'import', namespace: 'shop' },
        spec: { activeDeadlineSeconds: 60 },
        status: { active: 1, startTime: '2026-01-01T00:00:00Z' },
      });
    expect((await readWorkloads(port)).map(({ kind, name, active }) => ({ kind, name, active }))).toEqual([
      { kind: 'StatefulSet', name: 'prometheus', active: undefined },
      { kind: 'ReplicaSet', name: 'bare', active: undefined },
      { kind: 'Job', name: 'import', active: { since: '2026-01-01T00:00:00Z', deadlineSeconds: 60 } },
    ]);
  });

  test('where Deployments own all ReplicaSets, their templates are not read', async () => {
    const owner = [{ apiVersion: APPS, kind: 'Deployment', name: 'cart', uid: '1', controller: true }];
    const port = new FakeKubernetes().put(APPS, 'replicasets', {
      metadata: { name: 'cart-1', namespace: 'shop', ownerReferences: owner },
    });
    expect(await readWorkloads(port)).toEqual([]);
    expect(port.lists.filter(({ plural }) => plural === 'replicasets')).toEqual([
      { apiVersion: APPS, plural: 'replicasets', metadataOnly: true },
    ]);
  });

  test.each([
    { title: 'no constraint', spec: {}, spread: 'no' },
    { title: 'over nodes', spec: { topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname' }] }, spread: 'yes' },
    {
      title: 'anti-affinity over zones',
      spec: {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { topologyKey: 'topology.kubernetes.io/zone' } }],
          },
        },
      },
      spread: 'over-zones',
    },
  ])('spread: $title', async ({ spec, spread }) => {
    const port = new FakeKubernetes().put(APPS, 'statefulsets', {
      metadata: { name: 'db', namespace: 'shop' },
      spec: { template: { spec } },
    });
    expect((await readWorkloads(port)).map((each) => each.spread)).toEqual([spread]);
  });
});

describe('addresses that API servers of 1.36 refuse', () => {
  const named = (name: string) => ({ name, namespace: 'shop' });

  test('of pod templates', async () => {
    const template = (spec: object) => ({ template: { spec } });
    const port = new FakeKubernetes()
      .put(APPS, 'deployments', {
        metadata: named('odd'),
        spec: template({
          hostAliases: [{ ip: '10.0.0.1' }, { ip: '010.0.0.2' }, { ip: '010.0.0.3' }],
          dnsConfig: { nameservers: ['::ffff:10.0.0.53'] },
        }),
      })
      .put(APPS, 'statefulsets', { metadata: named('fine'), spec: template({ hostAliases: [{ ip: 'fd00::1' }], dnsConfig: {} }) })
      .put('batch/v1', 'cronjobs', {
        metadata: named('nightly'),
        spec: { jobTemplate: { spec: template({ hostAliases: [{ ip: '10.0.0.08' }] }) } },
      });
    expect((await readWorkloads(port)).map(({ name, addressFaults }) => [name, addressFaults])).toEqual([
      ['odd', ['hostAliases: leading zeros', 'dnsConfig.nameservers: IPv4-mapped IPv6']],
      ['fine', undefined],
      ['nightly', ['hostAliases: leading zeros']],
    ]);
  });

  test('of Services and network policies', async () => {
    const port = new FakeKubernetes()
      .put('v1', 'services', {
        metadata: named('web'),
        spec: { externalIPs: ['203.0.113.07'], loadBalancerSourceRanges: ['203.0.113.9/24'] },
      })
      .put('v1', 'services', { metadata: named('api'), spec: { loadBalancerSourceRanges: ['203.0.113.0/24 '] } })
      .put('networking.k8s.io/v1', 'networkpolicies', {
        metadata: named('office'),
        spec: {
          ingress: [{ from: [{ podSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.1/16'] } }] }, {}],
          egress: [{ to: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }],
        },
      })
      .put('networking.k8s.io/v1', 'networkpolicies', { metadata: named('deny'), spec: { podSelector: {} } });
    expect((await readServices(port)).map(({ name, addressFaults }) => [name, addressFaults])).toEqual([
      ['web', ['externalIPs: leading zeros', 'loadBalancerSourceRanges: bits beyond the prefix length']],
      ['api', undefined],
    ]);
    expect(await readNetworkPolicies(port)).toEqual([
      {
        ...named('office'),
        addressFaults: ['ipBlock.cidr: bits beyond the prefix length', 'ipBlock.except: bits beyond the prefix length'],
      },
      named('deny'),
    ]);
  });
});

test.each([
  ['the level of the pod', { securityContext: { seLinuxOptions: { level: 's0:c1' } }, containers: [{}, {}] }, 's0:c1'],
  [
    'the same of each container, with what the pod says beside',
    { securityContext: { seLinuxOptions: { type: 'spc_t' } }, containers: [{ securityContext: { seLinuxOptions: { level: 's0:c1' } } }] },
    'spc_t:s0:c1',
  ],
  ['no level', { securityContext: { seLinuxOptions: { type: 'spc_t' } }, containers: [{}] }, undefined],
  ['nothing', { containers: [{}] }, undefined],
  [
    'a container of its own',
    {
      securityContext: { seLinuxOptions: { level: 's0:c1' } },
      containers: [{}],
      initContainers: [{ securityContext: { seLinuxOptions: { level: 's0:c2' } } }],
    },
    undefined,
  ],
  [
    'privileged',
    { securityContext: { seLinuxOptions: { level: 's0:c1' } }, containers: [{ securityContext: { privileged: true } }] },
    undefined,
  ],
  [
    'labelled file by file',
    { securityContext: { seLinuxOptions: { level: 's0:c1' }, seLinuxChangePolicy: 'Recursive' }, containers: [{}] },
    undefined,
  ],
])('the SELinux label that volumes are mounted with: %s', async (_what, spec, seLinux) => {
  const port = new FakeKubernetes().put(APPS, 'deployments', { metadata: { name: 'a', namespace: 'shop' }, spec: { template: { spec } } });
  expect((await readWorkloads(port)).map((each) => each.seLinux)).toEqual([seLinux]);
});

test('CSI drivers: whether they take a label', async () => {
  const port = new FakeKubernetes()
    .put('storage.k8s.io/v1', 'csidrivers', { metadata: { name: 'ebs.csi.aws.com' }, spec: { seLinuxMount: true } })
    .put('storage.k8s.io/v1', 'csidrivers', { metadata: { name: 'efs.csi.aws.com' }, spec: {} });
  expect(await readCsiDrivers(port)).toEqual([
    { name: 'ebs.csi.aws.com', seLinuxMount: true },
    { name: 'efs.csi.aws.com', seLinuxMount: false },
  ]);
});

test('roles: those in use that name what checks ask about, and what is granted to nobody who signs in', async () => {
  const RBAC = 'rbac.authorization.k8s.io/v1';
  const exec = { apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['get'] };
  const wide = { apiGroups: ['*'], resources: ['*'], verbs: ['create'] };
  const toRole = (kind: string, name: string, ...subjects: string[]) => ({
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: subjects.map((each) => ({ kind: each.startsWith('system:un') ? 'Group' : 'User', name: each })),
  });
  const port = new FakeKubernetes()
    .put(RBAC, 'clusterroles', {
      metadata: { name: 'debug' },
      rules: [exec, wide, { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    })
    .put(RBAC, 'clusterroles', { metadata: { name: 'unused' }, rules: [exec] })
    .put(RBAC, 'clusterroles', { metadata: { name: 'admin' }, rules: [wide] })
    .put(RBAC, 'clusterroles', { metadata: { name: 'aggregated' }, rules: null })
    .put(RBAC, 'roles', { metadata: { name: 'debug', namespace: 'shop' }, rules: [exec] })
    .put(RBAC, 'roles', { metadata: { name: 'debug', namespace: 'bank' }, rules: [exec] })
    .put(RBAC, 'clusterrolebindings', {
      metadata: { name: 'everybody' },
      ...toRole('ClusterRole', 'view', 'system:unauthenticated', 'ana'),
    })
    .put(RBAC, 'clusterrolebindings', { metadata: { name: 'empty' }, roleRef: { kind: 'ClusterRole', name: 'aggregated' }, subjects: null })
    .put(RBAC, 'rolebindings', { metadata: { name: 'debuggers', namespace: 'shop' }, ...toRole('Role', 'debug', 'ana') })
    .put(RBAC, 'rolebindings', { metadata: { name: 'cluster', namespace: 'bank' }, ...toRole('ClusterRole', 'debug', 'system:anonymous') });
  expect(await readRoles(port)).toEqual({
    bound: [
      { kind: 'ClusterRole', name: 'debug', rules: [exec, wide] },
      { kind: 'Role', namespace: 'shop', name: 'debug', rules: [exec] },
    ],
    anonymous: [
      { kind: 'ClusterRoleBinding', name: 'everybody', role: 'ClusterRole view', subjects: ['system:unauthenticated'] },
      { kind: 'RoleBinding', namespace: 'bank', name: 'cluster', role: 'ClusterRole debug', subjects: ['system:anonymous'] },
    ],
  });
});

test('pods: who controls them, what holds them, why they wait, which proxy they run', async () => {
  const port = new FakeKubernetes().put('v1', 'pods', {
    metadata: {
      name: 'cart-1',
      namespace: 'shop',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'cart' },
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', 'istio.io/rev': '1-27' },
    },
    spec: {
      nodeName: 'node-1',
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'cart' }],
      initContainers: [{ name: 'istio-proxy', image: 'docker.io/istio/proxyv2:1.27.1-distroless' }],
    },
    status: {
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }, { state: { waiting: { reason: 'ImagePullBackOff' } } }],
    },
  });
  expect(await readPods(port)).toEqual([
    {
      namespace: 'shop',
      name: 'cart-1',
      phase: 'Pending',
      node: 'node-1',
      toleratesDrain: true,
      labels: { app: 'cart' },
      createdAt: '2026-01-01T00:00:00Z',
      claims: [],
      doNotDisrupt: 'cluster-autoscaler.kubernetes.io/safe-to-evict=false',
      waiting: 'ImagePullBackOff',
      proxy: { revision: '1-27', version: '1.27.1-distroless' },
    },
  ]);
});

test('ready endpoints are counted over all slices of a Service; Endpoints that people write show as mirrored slices', async () => {
  const slice = (name: string, endpoints: object[], service = 'cart', labels: Record<string, string> = {}) => ({
    metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': service, ...labels } },
    endpoints,
  });
  const mirrored = { 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' };
  const port = new FakeKubernetes()
    .put('v1', 'services', { metadata: { name: 'cart', namespace: 'shop' }, spec: { externalIPs: ['10.0.0.1'] } })
    .put('v1', 'services', { metadata: { name: 'else', namespace: 'shop' }, spec: { type: 'ExternalName' } })
    .put('discovery.k8s.io/v1', 'endpointslices', slice('cart-a', [{ conditions: { ready: true } }, { conditions: { ready: false } }]))
    .put('discovery.k8s.io/v1', 'endpointslices', slice('cart-b', [{}]))
    .put('v1', 'services', { metadata: { name: 'mainframe', namespace: 'shop' } })
    .put('discovery.k8s.io/v1', 'endpointslices', slice('mainframe-x', [{}], 'mainframe', mirrored));
  expect(await readServices(port)).toEqual([
    { namespace: 'shop', name: 'cart', externalIps: true, handWritten: false, external: false, ready: 2 },
    { namespace: 'shop', name: 'else', externalIps: false, handWritten: false, external: true, ready: 0 },
    { namespace: 'shop', name: 'mainframe', externalIps: false, handWritten: true, external: false, ready: 1 },
  ]);
});

test('webhooks: Fail is the default, and what they are asked about is what an upgrade touches', async () => {
  const rules = [{ apiGroups: ['*'], operations: ['CREATE'], resources: ['pods', 'deployments', 'widgets'] }];
  const port = new FakeKubernetes().put('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', {
    metadata: { name: 'policy' },
    webhooks: [{ name: 'a.example.com', clientConfig: { service: { namespace: 'security', name: 'policy' } }, rules }],
  });
  expect(await readWebhooks(port)).toEqual([
    {
      kind: 'ValidatingWebhookConfiguration',
      configuration: 'policy',
      name: 'a.example.com',
      failurePolicy: 'Fail',
      service: { namespace: 'security', name: 'policy' },
      catches: ['pods', 'deployments'],
    },
  ]);
});

test('volumes: their zones, their claims, the node they are attached to', async () => {
  const nodeAffinity = {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['eu-west-1a'] }] }],
    },
  };
  const port = new FakeKubernetes()
    .put('v1', 'persistentvolumes', {
      metadata: { name: 'pv-1' },
      spec: { claimRef: { namespace: 'shop', name: 'data' }, accessModes: ['ReadWriteOnce'], nodeAffinity },
    })
    .put('storage.k8s.io/v1', 'volumeattachments', {
      metadata: { name: 'a' },
      spec: { nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } },
    });
  expect(await readVolumes(port)).toEqual([
    {
      name: 'pv-1',
      claim: { namespace: 'shop', name: 'data' },
      zones: ['eu-west-1a'],
      accessModes: ['ReadWriteOnce'],
      attachedTo: 'node-1',
    },
  ]);
});

test('volumes on the disk of a node: which one, as far as they say, and only while they are in use', async () => {
  const on = (key: string) => ({ required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['node-1'] }] }] } });
  const volume = (name: string, spec: object, phase = 'Bound') => ({ metadata: { name }, spec, status: { phase } });
  const port = new FakeKubernetes().put('storage.k8s.io/v1', 'volumeattachments', { metadata: { name: 'none' }, spec: {} });
  for (const each of [
    volume('local', { local: { path: '/mnt/nvme1' }, nodeAffinity: on('kubernetes.io/hostname') }),
    volume('topolvm', { csi: { driver: 'topolvm.io' }, nodeAffinity: on('topology.topolvm.io/node') }),
    volume('host', { hostPath: { path: '/data' } }),
    volume('zonal', { csi: { driver: 'ebs.csi.aws.com' }, nodeAffinity: on('topology.kubernetes.io/zone') }),
    volume('released', { local: { path: '/mnt/nvme2' }, nodeAffinity: on('kubernetes.io/hostname') }, 'Released'),
  ])
    port.put('v1', 'persistentvolumes', each);
  expect((await readVolumes(port)).map(({ name, onNode }) => [name, onNode])).toEqual([
    ['local', 'node-1'],
    ['topolvm', 'node-1'],
    ['host', ''],
    ['zonal', undefined],
    ['released', undefined],
  ]);
});

test('nodes: hybrid ones are told apart from self-managed ones', async () => {
  const port = new FakeKubernetes()
    .put('v1', 'nodes', { metadata: { name: 'a', labels: { 'eks.amazonaws.com/compute-type': 'hybrid' } } })
    .put('v1', 'nodes', { metadata: { name: 'b' } });
  expect((await readNodesSeen(port)).map(({ name, owner }) => [name, owner])).toEqual([
    ['a', 'hybrid'],
    ['b', 'self-managed'],
  ]);
});

test('nodes: how an instance is paid stands in its labels, by whoever launched it; reserved capacity is no quota’s', async () => {
  const type = { 'node.kubernetes.io/instance-type': 'm5.large' };
  const port = new FakeKubernetes();
  const nodes = {
    karpenter: { ...type, 'karpenter.sh/capacity-type': 'spot' },
    group: { ...type, 'eks.amazonaws.com/capacityType': 'SPOT' },
    own: type,
    reserved: { ...type, 'karpenter.sh/capacity-type': 'reserved' },
    block: { ...type, 'eks.amazonaws.com/capacityType': 'CAPACITY_BLOCK' },
    fargate: {},
  };
  for (const [name, labels] of Object.entries(nodes)) port.put('v1', 'nodes', { metadata: { name, labels } });
  expect(Object.fromEntries((await readNodesSeen(port)).map(({ name, instance }) => [name, instance]))).toEqual({
    karpenter: { type: 'm5.large', spot: true },
    group: { type: 'm5.large', spot: true },
    own: { type: 'm5.large', spot: false },
    reserved: undefined,
    block: undefined,
    fargate: undefined,
  });
});

test('a budget without a selector matches nothing, one with an empty selector everything', async () => {
  const port = new FakeKubernetes()
    .put('policy/v1', 'poddisruptionbudgets', { metadata: { name: 'none', namespace: 'shop' }, spec: { minAvailable: '50%' } })
    .put('policy/v1', 'poddisruptionbudgets', {
      metadata: { name: 'all', namespace: 'shop' },
      spec: { selector: {}, maxUnavailable: 0 },
      status: { expectedPods: 3, disruptionsAllowed: 0 },
    });
  expect(await readBudgets(port)).toEqual([
    { namespace: 'shop', name: 'none', minAvailable: '50%' },
    { namespace: 'shop', name: 'all', selector: {}, maxUnavailable: 0, expectedPods: 3, disruptionsAllowed: 0 },
  ]);
});

test('budgets whose pods Kubernetes cannot count say why; one without pods does not', async () => {
  const port = new FakeKubernetes();
  const put = (name: string, status: object): void =>
    void port.put('policy/v1', 'poddisruptionbudgets', { metadata: { name, namespace: 'shop' }, spec: { maxUnavailable: 1 }, status });
  const none = { expectedPods: 0, currentHealthy: 0, disruptionsAllowed: 0 };
  const condition = (reason: string, message?: string) => ({
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason, message }],
  });
  put('no-pods', { ...none, ...condition('InsufficientPods') });
  put('bare-pods', { ...none, currentHealthy: 2, ...condition('InsufficientPods') });
  put('no-scale', { ...none, ...condition('SyncFailed', 'jobs.batch does not implement the scale subresource') });
  put('snapshot', { ...none, ...condition('SyncFailed') });
  expect((await readBudgets(port)).map(({ name, uncounted }) => [name, uncounted])).toEqual([
    ['no-pods', undefined],
    ['bare-pods', 'Kubernetes cannot count its pods: they have no controller'],
    ['no-scale', 'Kubernetes cannot count its pods: jobs.batch does not implement the scale subresource'],
    ['snapshot', 'Kubernetes cannot count its pods'],
  ]);
});

describe('deprecated APIs', () => {
  test('instances of the API server count for themselves: what any of them saw is said once', async () => {
    const port = new FakeKubernetes();
    const line = (version: string, resource: string, value = 1): string =>
      `apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="${resource}",subresource="",version="${version}"} ${value}`;
    const instances = [
      line('v1beta3', 'flowschemas'),
      `${line('v1beta3', 'flowschemas')}\n${line('v1beta3', 'prioritylevelconfigurations')}`,
      line('v1beta2', 'flowschemas', 0),
    ];
    let asked = 0;
    port.metrics = async () => instances[asked++ % instances.length] ?? '';
    expect((await readApiMetrics(port)).map(({ version, kind }) => `${version} ${kind}`)).toEqual([
      'v1beta3 FlowSchema',
      'v1beta3 PriorityLevelConfiguration',
    ]);
  });

  test('objects name who wrote them in which version; status is not a manifest', async () => {
    const port = new FakeKubernetes().put('policy/v1', 'poddisruptionbudgets', {
      metadata: {
        name: 'cart',
        namespace: 'shop',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget"}' },
        managedFields: [
          { manager: 'helm', apiVersion: 'policy/v1beta1' },
          { manager: 'kube-controller-manager', apiVersion: 'policy/v1beta1', subresource: 'status' },
          { manager: 'kubectl', apiVersion: 'policy/v1' },
        ],
      },
    });
    const about = { group: 'policy', version: 'v1beta1', kind: 'PodDisruptionBudget', object: { name: 'cart', namespace: 'shop' } };
    expect(await readApiObjects(port)).toEqual([
      { ...about, from: 'managed-fields', writer: 'helm' },
      { ...about, from: 'last-applied' },
    ]);
    // Asked for by metadata alone, and never in the deprecated version.
    expect(port.lists.filter(({ plural }) => plural === 'poddisruptionbudgets')).toEqual([
      { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', metadataOnly: true },
    ]);
  });
});

test('GitOps: a range is told from a version, by template, by OCI repository, by Application', async () => {
  const port = new FakeKubernetes()
    .put('helm.toolkit.fluxcd.io/v2', 'helmreleases', {
      metadata: { name: 'karpenter', namespace: 'flux' },
      spec: { chart: { spec: { chart: 'karpenter', version: '1.x' } } },
    })
    .put('helm.toolkit.fluxcd.io/v2', 'helmreleases', {
      metadata: { name: 'mesh', namespace: 'flux' },
      spec: { chartRef: { kind: 'OCIRepository', name: 'mesh-of-ours', namespace: 'sources' } },
    })
    .put('source.toolkit.fluxcd.io/v1', 'ocirepositories', {
      metadata: { name: 'mesh-of-ours', namespace: 'sources' },
      spec: { url: 'oci://registry.example/charts/istiod', ref: { tag: '1.27.1' } },
    })
    .put('helm.toolkit.fluxcd.io/v2', 'helmreleases', {
      metadata: { name: 'cart', namespace: 'flux' },
      spec: { chartRef: { kind: 'HelmChart', name: 'cart' } },
    })
    // As GitOps Bridge writes it, https://github.com/gitops-bridge-dev
    .put('argoproj.io/v1alpha1', 'applications', {
      metadata: { name: 'addon-karpenter', namespace: 'argocd' },
      spec: {
        source: { chart: 'karpenter/karpenter', targetRevision: '1.6.2' },
        destination: { server: 'https://kubernetes.default.svc' },
      },
    })
    .put('argoproj.io/v1alpha1', 'applications', {
      metadata: { name: 'all', namespace: 'argocd' },
      spec: { sources: [{ chart: 'base', targetRevision: '^1.27.0' }, { path: 'apps' }], destination: { name: 'in-cluster' } },
    })
    // Of a hub: for other clusters.
    .put('argoproj.io/v1alpha1', 'applications', {
      metadata: { name: 'karpenter-staging', namespace: 'argocd' },
      spec: { source: { chart: 'karpenter', targetRevision: '1.x' }, destination: { name: 'staging' } },
    })
    .put('helm.toolkit.fluxcd.io/v2', 'helmreleases', {
      metadata: { name: 'karpenter-staging', namespace: 'flux' },
      spec: { chart: { spec: { chart: 'karpenter', version: '1.x' } }, kubeConfig: { secretRef: { name: 'staging' } } },
    });
  expect(
    (await readGitOps(port, CLUSTER)).map(({ by, chart, version, range }) => `${by} ${chart} ${version} ${range ? 'range' : 'version'}`),
  ).toEqual([
    'flux karpenter 1.x range',
    'flux istiod 1.27.1 version',
    'flux cart unknown version',
    'argocd karpenter 1.6.2 version',
    'argocd base ^1.27.0 range',
  ]);
});

test.each<{ title: string; marks: Partial<KubeMeta>; by: string | undefined }>([
  {
    title: 'Flux, which installs by Helm',
    marks: { labels: { 'helm.toolkit.fluxcd.io/name': 'karpenter' }, annotations: { 'meta.helm.sh/release-name': 'karpenter' } },
    by: 'flux',
  },
  {
    title: 'the Flux Operator, by a ResourceSet',
    marks: { labels: { 'resourceset.fluxcd.controlplane.io/name': 'apps', 'resourceset.fluxcd.controlplane.io/namespace': 'flux-system' } },
    by: 'flux',
  },
  {
    title: 'Argo CD, by its annotation',
    marks: { annotations: { 'argocd.argoproj.io/tracking-id': 'karpenter:apps/Deployment' } },
    by: 'argocd',
  },
  { title: 'Argo CD, by its field manager', marks: { managedFields: [{ manager: 'argocd-controller' }] }, by: 'argocd' },
  { title: 'Terraform', marks: { managedFields: [{ manager: 'Terraform' }] }, by: 'terraform' },
  { title: 'Terraform, by a typed resource', marks: { managedFields: [{ manager: 'HashiCorp' }] }, by: 'terraform' },
  { title: 'Helm', marks: { annotations: { 'meta.helm.sh/release-name': 'karpenter' } }, by: 'helm' },
  { title: 'nobody', marks: { labels: { app: 'karpenter' }, managedFields: [{ manager: 'kubectl' }] }, by: undefined },
])('marks of $title', ({ marks, by }) => {
  expect(deliveredBy({ name: 'karpenter', uid: '1', resourceVersion: '1', ...marks })).toBe(by);
});

test.each([
  { title: 'of the add-on', name: 'kube-proxy-config', data: { config: 'mode: ipvs\n' }, mode: 'ipvs' },
  { title: 'of kubeadm', name: 'kube-proxy', data: { 'config.conf': 'mode: ""\n' }, mode: '' },
])('kube-proxy’s mode $title', async ({ name, data, mode }) => {
  const port = new FakeKubernetes().put('v1', 'configmaps', { metadata: { name, namespace: 'kube-system' }, data });
  expect(await readKubeProxy(port)).toEqual({ mode });
});

test('a cluster without a configuration of kube-proxy has none', async () => {
  expect(await readKubeProxy(new FakeKubernetes())).toBe('none');
});

describe('Istio', () => {
  const WEBHOOKS = ['admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'] as const;
  const webhook = (name: string, labels: Record<string, string>, istiod: string) => ({
    metadata: { name, labels },
    webhooks: [{ name: 'rev.namespace.sidecar-injector.istio.io', clientConfig: { service: { namespace: 'istio-system', name: istiod } } }],
  });
  const namespaceOf = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } });
  /** One revision, which nobody calls the default. */
  const mesh = (): FakeKubernetes =>
    new FakeKubernetes()
      .put(APPS, 'deployments', {
        metadata: { name: 'istiod-1-27', namespace: 'istio-system', labels: { app: 'istiod', 'istio.io/rev': '1-27' } },
        spec: { replicas: 1, template: { spec: { containers: [{ name: 'discovery', image: 'istio/pilot:1.27.1' }] } } },
      })
      .put('v1', 'services', { metadata: { name: 'istiod-1-27', namespace: 'istio-system' } })
      .put(...WEBHOOKS, webhook('istio-sidecar-injector-1-27', { 'istio.io/rev': '1-27' }, 'istiod-1-27'))
      .put('v1', 'namespaces', namespaceOf('shop', { 'istio.io/rev': '1-27' }));

  const cluster = (...webhooks: object[]): FakeKubernetes =>
    webhooks.reduce<FakeKubernetes>((port, each) => port.put(...WEBHOOKS, each as Seed), new FakeKubernetes());

  test('without istiod and without a webhook that injects there is no Istio', async () => {
    expect(await readIstioSeen(cluster({ metadata: { name: 'policies' }, webhooks: [{ name: 'policies.example.com' }] }))).toBe('none');
  });

  test.each([
    ['its istiod is outside of the cluster', { url: 'https://istiod.example.com:15017/inject' }, 'https://istiod.example.com:15017/inject'],
    ['its istiod is gone', { service: { namespace: 'istio-system', name: 'istiod' } }, 'Service istio-system/istiod'],
  ])('proxies are injected, and %s: unknown, not “no Istio”', async (_what, clientConfig, calls) => {
    const port = cluster({
      metadata: { name: 'istio-sidecar-injector', labels: { 'istio.io/rev': 'default' } },
      webhooks: [{ name: 'namespace.sidecar-injector.istio.io', clientConfig }],
    });
    await expect(readIstioSeen(port)).rejects.toThrow(
      `reading the istiod Deployments: none runs in this cluster, and webhook istio-sidecar-injector (${calls}) injects proxies`,
    );
  });

  test.each([
    ['networking.istio.io/v1', 'virtualservices', 'VirtualService'],
    ['networking.istio.io/v1', 'workloadentries', 'WorkloadEntry'],
    ['networking.istio.io/v1', 'workloadgroups', 'WorkloadGroup'],
    ['networking.istio.io/v1beta1', 'proxyconfigs', 'ProxyConfig'],
    ['extensions.istio.io/v1alpha1', 'wasmplugins', 'WasmPlugin'],
    ['telemetry.istio.io/v1', 'telemetries', 'Telemetry'],
  ])('configuration that a label binds to a revision: %s %s', async (apiVersion, plural, kind) => {
    const bound = { name: 'bound', namespace: 'shop', labels: { 'istio.io/rev': '1-27' } };
    const port = mesh()
      .put(apiVersion, plural, { metadata: bound })
      .put(apiVersion, plural, { metadata: { name: 'free', namespace: 'shop' } });
    expect(await readIstioSeen(port)).toMatchObject({ bound: [{ kind, namespace: 'shop', name: 'bound', revision: '1-27' }] });
  });

  test('workloads and gateways that choose for themselves, with what is behind their label', async () => {
    const workload = (namespace: string, name: string, labels: Record<string, string>, annotations: Record<string, string> = {}) => ({
      metadata: { namespace, name },
      spec: { template: { metadata: { labels, annotations } } },
    });
    const gateway = { 'inject.istio.io/templates': 'gateway' };
    const port = mesh()
      .put('v1', 'namespaces', namespaceOf('tools', {}))
      .put('v1', 'namespaces', namespaceOf('off', { 'istio-injection': 'disabled' }))
      .put(APPS, 'deployments', workload('tools', 'named', { 'istio.io/rev': '1-27' }))
      .put(APPS, 'statefulsets', workload('tools', 'asking', { 'sidecar.istio.io/inject': 'true' }))
      .put(APPS, 'deployments', workload('tools', 'plain', {}))
      .put(APPS, 'deployments', workload('tools', 'refusing', { 'istio.io/rev': '1-27', 'sidecar.istio.io/inject': 'false' }))
      .put(APPS, 'deployments', workload('off', 'switched-off', { 'istio.io/rev': '1-27' }))
      .put(APPS, 'deployments', workload('shop', 'follows', { 'istio.io/rev': '1-27' }))
      .put(APPS, 'deployments', workload('tools', 'edge', { 'istio.io/rev': '1-20' }, gateway))
      .put(APPS, 'deployments', workload('tools', 'inner', { 'istio.io/rev': '1-27' }, gateway));
    const seen = await readIstioSeen(port);
    expect(seen).toMatchObject({
      ownChoice: [
        { kind: 'Deployment', namespace: 'tools', name: 'named', label: 'istio.io/rev=1-27', revision: '1-27' },
        { kind: 'StatefulSet', namespace: 'tools', name: 'asking', label: 'sidecar.istio.io/inject=true' },
      ],
      lostGateways: [{ kind: 'Deployment', namespace: 'tools', name: 'edge', label: 'istio.io/rev=1-20' }],
    });
    expect(seen !== 'none' && seen.ownChoice?.map(({ name }) => name)).toEqual(['named', 'asking']);
  });

  test('both labels, a label without a webhook, a webhook without istiod', async () => {
    const port = mesh()
      .put(...WEBHOOKS, webhook('istio-sidecar-injector-1-25', { 'istio.io/rev': '1-25' }, 'istiod-1-25'))
      .put('v1', 'namespaces', namespaceOf('both', { 'istio-injection': 'enabled', 'istio.io/rev': '1-27' }))
      .put('v1', 'namespaces', namespaceOf('lost', { 'istio.io/rev': 'prod' }))
      .put(APPS, 'daemonsets', {
        metadata: { name: 'ztunnel', namespace: 'istio-system' },
        spec: { template: { spec: { containers: [{ name: 'istio-proxy', image: 'istio/ztunnel:1.26.2' }] } } },
      });
    expect(await readIstioSeen(port)).toMatchObject({
      doubled: ['both'],
      unanswered: [
        { namespace: 'both', selector: 'istio-injection=enabled' },
        { namespace: 'lost', selector: 'istio.io/rev=prod' },
      ],
      deadWebhooks: [{ configuration: 'istio-sidecar-injector-1-25', service: 'istio-system/istiod-1-25' }],
      istiods: [{ name: 'istiod-1-27', namespace: 'istio-system', replicas: 1 }],
      ztunnelVersion: '1.26.2',
    });
  });

  test.each([
    {
      what: 'a revision alone does not serve it',
      more: undefined,
      unanswered: [{ namespace: 'old', selector: 'istio-injection=enabled' }],
    },
    {
      what: 'tag default serves it',
      more: webhook('istio-revision-tag-default', { 'istio.io/rev': '1-27', 'istio.io/tag': 'default' }, 'istiod-1-27'),
      unanswered: [],
    },
    {
      what: 'the install without a revision serves it',
      more: webhook('istio-sidecar-injector', { 'istio.io/rev': 'default' }, 'istiod'),
      unanswered: [],
    },
  ])('istio-injection=enabled: $what', async ({ more, unanswered }) => {
    const port = mesh()
      .put('v1', 'namespaces', namespaceOf('old', { 'istio-injection': 'enabled' }))
      .put('v1', 'namespaces', namespaceOf('off', { 'istio-injection': 'disabled' }));
    if (more !== undefined) port.put(...WEBHOOKS, more);
    expect(await readIstioSeen(port)).toMatchObject({ unanswered });
  });
});

describe('what could not be read', () => {
  test.each([
    { title: 'a missing permission', error: failureOf('AccessDenied', 'listing pods: not permitted'), kind: 'denied' },
    { title: 'a time-out', error: failureOf('Unavailable', 'listing pods: no answer in time'), kind: 'failed' },
  ])('$title', async ({ error, kind }) => {
    expect(await see('listing pods', () => Promise.reject(error))).toEqual({ ok: false, unseen: { kind, why: error.message } });
  });

  test.each([
    { title: 'a time-out is thrown where all of it is tried again', type: 'Unavailable' as const, thrown: true },
    { title: 'a missing permission is not: another attempt would lack it too', type: 'AccessDenied' as const, thrown: false },
  ])('$title', async ({ type, thrown }) => {
    const error = failureOf(type, 'listing pods: no');
    const seen = see('listing pods', () => Promise.reject(error), 'throw');
    if (thrown) await expect(seen).rejects.toBe(error);
    else expect(await seen).toMatchObject({ ok: false, unseen: { kind: 'denied' } });
  });
});

describe('several readers', () => {
  const fake = (): FakeKubernetes => new FakeKubernetes().put('v1', 'nodes', { metadata: { name: 'node-1' } });

  test('ask once for a list of which they keep the same', async () => {
    const server = fake();
    const port = sharingLists(server);
    const [nodes, again] = await Promise.all([readNodesSeen(port), readNodesSeen(port)]);
    expect(again).toEqual(nodes);
    await readKarpenterSeen(port, 0);
    expect(server.lists.filter(({ plural }) => plural === 'nodes')).toHaveLength(1);
  });

  test('keep what they want each where they differ', async () => {
    const port = sharingLists(fake());
    const query = { apiVersion: 'v1', plural: 'nodes' };
    expect(await port.list(query, () => undefined)).toEqual([]);
    expect(await port.list(query)).toHaveLength(1);
    expect(await port.list({ ...query, labelSelector: 'a=b' })).toEqual([]);
  });
});
