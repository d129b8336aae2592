/** Every readiness check: one planted defect each, nothing on a healthy cluster, unknown where it could not look. */
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';
import { type CheckFinding, runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { SOURCE_IDS } from '../../../domain/readiness/model/sources.ts';
import {
  addOn,
  anonymous,
  blindTo,
  budget,
  cluster,
  CONTEXT,
  definition,
  evidence,
  istio,
  karpenter,
  node,
  nodeClass,
  pod,
  pool,
  role,
  service,
  workload,
} from './healthy.ts';

const run = (seen: Evidence, context = CONTEXT): CheckFinding[] => CATALOGUE.flatMap((check) => runCheck(check, seen, context));
const failed = (findings: readonly CheckFinding[]): CheckFinding[] => findings.filter(({ status }) => status === 'fail');
const named = ({ resources }: CheckFinding): string[] =>
  resources.map(
    ({ kind, namespace, name, note }) =>
      `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${note === undefined ? '' : ` (${note})`}`,
  );

test('nothing is found on a healthy cluster', () => {
  expect(run(evidence()).filter(({ status }) => status !== 'pass')).toEqual([]);
});

test('codes are there once, and every check says what to do and where it has that from', () => {
  const codes = CATALOGUE.map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)]);
  expect(CATALOGUE.filter(({ remediation, source, reads }) => remediation === '' || source === '' || reads.length === 0)).toEqual([]);
});

interface Planted {
  seen: Evidence;
  severity: 'required' | 'recommended';
  message: string;
  resources?: string[];
  /** Other codes that find the same thing. */
  also?: string[];
  /** Default: 1.33. */
  target?: string;
  /** Default: 1.32. */
  from?: string;
}

const onTheWayTo = (target: string) => ({ ...CONTEXT, target: parseKubernetesVersion(target) });
const at136 = { ...CONTEXT, target: { major: 1, minor: 36 }, hops: [33, 34, 35, 36].map((minor) => ({ major: 1, minor })) };
const insight = (over: object) => ({
  name: 'Deprecated APIs',
  category: 'UPGRADE_READINESS' as const,
  status: 'ERROR' as const,
  resources: [],
  deprecations: [],
  ...over,
});
const insights = (over: object) => ({ insights: { refreshedAt: CONTEXT.now, insights: [insight(over)] } });
const quota = (code: string, used: number) => ({
  quotas: ['L-1216C47A', 'L-D18FCD1D', 'L-7A658B76'].map((each) => ({
    code: each,
    name: each,
    limit: 100,
    used: each === code ? used : 10,
    unit: 'TiB',
  })),
});
const subnets = (use: 'cluster' | 'nodes' | 'pods', freeIps: number) => ({
  subnets: (['cluster', 'nodes', 'pods'] as const).flatMap((each) =>
    ['a', 'b'].map((zone) => ({
      id: `subnet-${each}-${zone}`,
      zone: `eu-west-1${zone}`,
      freeIps: each === use ? freeIps : 200,
      uses: [each],
    })),
  ),
});
/** Newest first, by minor; the newest is the default. */
const offers = (byMinor: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(byMinor).map(([minor, list]) => [minor, list.map((version, index) => ({ version, isDefault: index === 0 }))]),
  );
const versions = (over: object) => ({
  versions: ['1.32', '1.33'].map((version) => ({
    version,
    status: 'STANDARD_SUPPORT' as const,
    endOfStandardSupport: '2026-12-01',
    ...over,
  })),
});

const PLANTED: Record<string, Planted> = {
  EKS001: {
    seen: evidence({ cluster: cluster({ healthIssues: [{ code: 'Ec2SubnetNotFound', message: 'gone', resourceIds: ['subnet-x'] }] }) }),
    severity: 'required',
    message: 'The cluster is ACTIVE and EKS reports Ec2SubnetNotFound.',
    resources: ['Ec2SubnetNotFound subnet-x (gone)'],
  },
  EKS002: {
    seen: evidence({ updates: [{ id: 'u-1', type: 'VpcConfigUpdate', resource: 'cluster' }] }),
    severity: 'required',
    message: 'EKS is busy with VpcConfigUpdate.',
    resources: ['VpcConfigUpdate u-1 (cluster)'],
  },
  EKS004: {
    seen: evidence(
      insights({
        reason: 'Deprecated API usage detected.',
        deprecations: [
          {
            usage: '/apis/flowcontrol.apiserver.k8s.io/v1beta3',
            clients: [{ userAgent: 'argocd', requests30Days: 12, lastRequest: '2025-10-31T12:00:00Z' }],
          },
        ],
      }),
    ),
    severity: 'required',
    message: 'Deprecated APIs: Deprecated API usage detected.',
    resources: ['Client argocd (/apis/flowcontrol.apiserver.k8s.io/v1beta3, 12 requests in 30 days)'],
  },
  EKS007: {
    seen: evidence({ versions: [{ version: '1.32', endOfStandardSupport: '2026-12-01' }] }),
    severity: 'required',
    message: 'EKS does not offer 1.33; it offers 1.32.',
  },
  EKS008: {
    seen: evidence({ versions: [...versions({}).versions.slice(0, 1), { version: '1.33', endOfStandardSupport: '2025-11-15' }] }),
    severity: 'recommended',
    message: 'Standard support of 1.33 ends on 2025-11-15, in 14 days: staying then costs about $365 a month more for the cluster.',
  },
  EKS009: {
    seen: evidence({
      nodeGroups: [
        {
          name: 'system',
          version: '1.32',
          amiType: 'CUSTOM',
          status: 'DEGRADED',
          healthIssues: [{ code: 'AsgInstanceLaunchFailures', message: '', resourceIds: [] }],
          desiredCount: 1,
        },
      ],
    }),
    severity: 'required',
    message: '1 node group with issues.',
    resources: ['NodeGroup system (DEGRADED, AsgInstanceLaunchFailures)'],
  },
  EKS010: {
    seen: evidence({
      nodeGroups: [{ name: 'old', version: '1.32', amiType: 'AL2_x86_64', status: 'ACTIVE', healthIssues: [], desiredCount: 1 }],
    }),
    severity: 'required',
    message: '1 node group on Amazon Linux 2, which has no images from 1.33 on.',
    resources: ['NodeGroup old (AL2_x86_64)'],
  },
  EKS011: {
    seen: evidence({
      addOns: [
        addOn({
          name: 'adot',
          offered: { '1.32': [{ version: 'v1', isDefault: true }], '1.33': [{ version: 'v2', isDefault: true }] },
          version: 'v1',
        }),
      ],
    }),
    severity: 'required',
    message: '1 add-on without a version for both sides of a hop.',
    resources: ['AddOn adot (no version is valid on both 1.32 and 1.33)'],
    also: ['EKS031'],
  },
  EKS012: {
    seen: evidence({
      addOns: [
        addOn({ status: 'DEGRADED', healthIssues: [{ code: 'InsufficientNumberOfReplicas', message: 'no node', resourceIds: [] }] }),
      ],
    }),
    severity: 'required',
    message: '1 add-on with issues.',
    resources: ['AddOn coredns (DEGRADED, InsufficientNumberOfReplicas: no node)'],
  },
  EKS034: {
    seen: evidence({
      versions: [...versions({}).versions, { version: '1.38', status: 'STANDARD_SUPPORT', endOfStandardSupport: '2028-04-01' }],
      addOns: [],
      karpenter: 'none',
      istio: 'none',
    }),
    target: '1.38',
    severity: 'required',
    message: 'This release of Belay knows Kubernetes up to 1.37: what 1.38 removes and changes is not checked.',
    also: ['K8S001'],
  },
  EKS016: {
    seen: evidence({
      versions: [
        { version: '1.32', endOfStandardSupport: '2025-10-01', endOfExtendedSupport: '2026-10-01' },
        ...versions({}).versions.slice(1),
      ],
    }),
    severity: 'recommended',
    message:
      '1.32 has been in extended support since 2025-10-01: staying costs about $365 a month more for the cluster until 2026-10-01; then EKS upgrades it by itself.',
  },
  EKS017: {
    seen: evidence({
      cluster: cluster({ supportType: 'STANDARD' }),
      versions: [{ version: '1.32', endOfStandardSupport: '2025-12-01' }, ...versions({}).versions.slice(1)],
    }),
    severity: 'recommended',
    message: 'The upgrade policy is STANDARD: EKS upgrades the control plane by itself after 2025-12-01.',
    also: ['EKS016'],
  },
  EKS018: {
    seen: evidence(insights({ category: 'MISCONFIGURATION', status: 'WARNING', reason: 'a webhook catches all' })),
    severity: 'recommended',
    message: 'Deprecated APIs: a webhook catches all',
  },
  EKS019: {
    seen: evidence(insights({ category: 'ROLLBACK_READINESS', kubernetesVersion: '1.31', reason: 'kubelets are newer' })),
    severity: 'recommended',
    message: 'Deprecated APIs (1.31): kubelets are newer',
  },
  EKS020: {
    seen: evidence(
      insights({
        status: 'WARNING',
        deprecations: [{ usage: 'x', clients: [{ userAgent: 'old-ci', requests30Days: 3, lastRequest: '2025-10-11T00:00:00Z' }] }],
      }),
    ),
    severity: 'recommended',
    message: '1 insight kept up by old calls alone.',
    resources: ['Insight Deprecated APIs (last call on 2025-10-11; it passes on 2025-11-10 if none follows)'],
    also: ['EKS004'],
  },
  EKS021: {
    seen: evidence({ cluster: cluster({ logging: ['api'] }) }),
    severity: 'recommended',
    message: 'Control-plane logging is off for audit.',
  },
  EKS022: {
    seen: evidence({ cluster: cluster({ authenticationMode: 'CONFIG_MAP' }) }),
    severity: 'recommended',
    message: 'The authentication mode is CONFIG_MAP: whoever breaks aws-auth locks everybody out.',
  },
  EKS023: {
    seen: evidence({ launchTemplates: [{ usedBy: { kind: 'NodeGroup', name: 'system' }, template: 'lt-1', version: '3', latest: '5' }] }),
    severity: 'recommended',
    message: '1 launch template with changes that wait.',
    resources: ['NodeGroup system (lt-1 version 3, the newest is 5)'],
  },
  EKS024: {
    seen: evidence({
      launchTemplates: [{ usedBy: { kind: 'AutoScalingGroup', name: 'gpu' }, template: 'lt-2', version: '1', latest: '2' }],
    }),
    severity: 'recommended',
    message: '1 launch template with changes that wait.',
    resources: ['AutoScalingGroup gpu (lt-2 version 1, the newest is 2)'],
  },
  EKS025: {
    seen: evidence({ nodes: [node(), node({ name: 'node-2' }), node({ name: 'fargate-1', owner: 'fargate' })] }),
    severity: 'recommended',
    message:
      '1 node outside of node groups and Karpenter: Fargate nodes come with their pods: an upgrade restarts the owners, after the control plane has moved.',
    resources: ['Node fargate-1 (fargate)'],
  },
  EKS026: {
    seen: evidence({
      addOns: [
        addOn({
          name: 'vpc-cni',
          version: 'v1.18.5-eksbuild.1',
          offered: Object.fromEntries(
            ['1.32', '1.33'].map((minor) => [
              minor,
              ['v1.20.1-eksbuild.1', 'v1.19.2-eksbuild.5', 'v1.18.5-eksbuild.1'].map((version, index) => ({
                version,
                isDefault: index === 0,
              })),
            ]),
          ),
        }),
      ],
    }),
    severity: 'recommended',
    message: 'vpc-cni v1.18.5-eksbuild.1 → v1.20.1-eksbuild.1 passes over 1.19.',
    resources: ['AddOn vpc-cni (v1.18.5-eksbuild.1)'],
    also: ['EKS032'],
  },
  EKS027: {
    seen: evidence({ addOns: [addOn({ managed: false })] }),
    severity: 'recommended',
    message: '1 add-on that EKS does not manage: coredns.',
    resources: ['AddOn coredns (v1.11.4-eksbuild.2)'],
  },
  EKS028: {
    seen: evidence({
      addOnConfiguration: [{ name: 'coredns', version: 'v1.12.1-eksbuild.2', unknownKeys: ['autoScaling.min'], edits: [] }],
    }),
    severity: 'required',
    message: '1 add-on whose configuration the next version does not know.',
    resources: ['AddOn coredns (v1.12.1-eksbuild.2: autoScaling.min)'],
  },
  EKS029: {
    seen: evidence({ addOns: [addOn({ version: 'v1.9.3-eksbuild.1' })] }),
    severity: 'recommended',
    message: '1 add-on at a version that EKS does not offer for 1.32.',
    resources: ['AddOn coredns (v1.9.3-eksbuild.1)'],
    also: ['EKS031'],
  },
  EKS030: {
    seen: evidence({
      fargateProfiles: [
        { name: 'default', status: 'ACTIVE' },
        { name: 'batch', status: 'CREATE_FAILED' },
      ],
    }),
    severity: 'recommended',
    message: '1 Fargate profile not ACTIVE.',
    resources: ['FargateProfile batch (CREATE_FAILED)'],
  },
  EKS031: {
    seen: evidence({ addOns: [addOn({ offered: offers({ '1.32': ['v1.11.4-eksbuild.2'], '1.33': ['v1.12.1-eksbuild.2'] }) })] }),
    severity: 'recommended',
    message: '1 add-on at a version that EKS does not offer for 1.33.',
    resources: ['AddOn coredns (v1.11.4-eksbuild.2)'],
    also: ['EKS011'],
  },
  EKS032: {
    seen: evidence({
      addOns: [
        addOn({
          offered: offers({ '1.32': ['v1.12.1-eksbuild.2', 'v1.11.4-eksbuild.2'], '1.33': ['v1.12.1-eksbuild.2', 'v1.11.4-eksbuild.2'] }),
        }),
      ],
    }),
    severity: 'recommended',
    message: '1 add-on with a newer version on offer.',
    resources: ['AddOn coredns (v1.11.4-eksbuild.2, the newest is v1.12.1-eksbuild.2)'],
  },
  EKS033: {
    seen: evidence({
      addOnConfiguration: [{ name: 'vpc-cni', unknownKeys: [], edits: [{ kind: 'DaemonSet', name: 'aws-node', by: 'kubectl-edit' }] }],
    }),
    severity: 'recommended',
    message: '1 edit of workloads that EKS manages.',
    resources: ['DaemonSet kube-system/aws-node (vpc-cni, changed by kubectl-edit)'],
  },
  AWS001: {
    seen: evidence(subnets('cluster', 4)),
    severity: 'required',
    message: 'No zone has 5 free addresses; EKS needs 2 that have.',
    resources: ['Subnet subnet-cluster-a (4 free in eu-west-1a)', 'Subnet subnet-cluster-b (4 free in eu-west-1b)'],
  },
  AWS002: {
    seen: evidence(subnets('nodes', 20)),
    severity: 'recommended',
    message: 'Only 40 addresses are free for nodes: replacements start beside what they replace.',
    resources: ['Subnet subnet-nodes-a (20 free in eu-west-1a)', 'Subnet subnet-nodes-b (20 free in eu-west-1b)'],
  },
  AWS003: {
    seen: evidence(subnets('pods', 2)),
    severity: 'required',
    message: 'Only 4 addresses are free for pods: replacements start beside what they replace.',
    resources: ['Subnet subnet-pods-a (2 free in eu-west-1a)', 'Subnet subnet-pods-b (2 free in eu-west-1b)'],
  },
  AWS004: {
    seen: evidence({ securityGroups: [{ id: 'sg-9', present: false }] }),
    severity: 'required',
    message: 'Gone: sg-9.',
    resources: ['SecurityGroup sg-9'],
  },
  AWS005: {
    seen: evidence({ clusterRole: { name: 'cluster', present: false } }),
    severity: 'required',
    message: 'Role cluster is gone.',
    resources: ['IAMRole cluster'],
  },
  AWS006: {
    seen: evidence({ encryptionKey: { id: 'key-1', state: 'PendingDeletion' } }),
    severity: 'required',
    message: 'Key key-1 is PendingDeletion.',
    resources: ['KMSKey key-1 (PendingDeletion)'],
  },
  AWS007: {
    seen: evidence(quota('L-1216C47A', 95)),
    severity: 'required',
    message: 'L-1216C47A: 95 of 100 TiB (95 %) are in use.',
    resources: ['Quota L-1216C47A (95 of 100 TiB (95 %))'],
  },
  AWS008: {
    seen: evidence(quota('L-D18FCD1D', 85)),
    severity: 'recommended',
    message: 'L-D18FCD1D: 85 of 100 TiB (85 %) are in use.',
    resources: ['Quota L-D18FCD1D (85 of 100 TiB (85 %))'],
  },
  AWS009: {
    seen: evidence(quota('L-7A658B76', 85)),
    severity: 'recommended',
    message: 'L-7A658B76: 85 of 100 TiB (85 %) are in use.',
    resources: ['Quota L-7A658B76 (85 of 100 TiB (85 %))'],
  },
  AWS010: {
    seen: evidence({
      nodes: [node(), node({ name: 'gpu', instance: { type: 'g5.2xlarge', spot: false, vcpus: 8 } })],
      instanceQuotas: [{ code: 'L-DB2E81BA', name: 'Running On-Demand G and VT instances', limit: 64, used: 60, unit: 'vCPU' }],
    }),
    severity: 'required',
    message: 'No room for one more instance under L-DB2E81BA.',
    resources: ['Quota L-DB2E81BA (Running On-Demand G and VT instances: 60 of 64 vCPU, one instance takes 8)'],
  },
  K8S001: {
    seen: evidence({ nodes: [node(), node({ name: 'node-2' }), node({ name: 'old', kubelet: 'v1.29.1' })] }),
    severity: 'required',
    message: '1 node out of range with the control plane at 1.33.',
    resources: ['Node old (kubelet 1.29)'],
    also: ['K8S042'],
  },
  K8S002: {
    seen: evidence({ addOns: [addOn({ name: 'kube-proxy', version: 'v1.33.0-eksbuild.2', offered: {} })] }),
    severity: 'required',
    message: 'kube-proxy v1.33.0-eksbuild.2 is newer than the control plane at 1.32.',
    resources: ['AddOn kube-proxy (v1.33.0-eksbuild.2)'],
  },
  K8S003: {
    seen: evidence({ budgets: [budget({ disruptionsAllowed: 0 })] }),
    severity: 'recommended',
    message: 'No eviction is allowed now by shop/cart: its pods are not all healthy.',
    resources: ['PodDisruptionBudget shop/cart'],
  },
  K8S011: {
    seen: evidence({ services: [service({ ready: 0 })] }),
    severity: 'required',
    message: '1 webhook with failurePolicy Fail and nobody behind it: what it is asked about cannot be created.',
    resources: [
      'ValidatingWebhookConfiguration policy (policy.example.com: Service security/policy has no ready endpoint; it is asked about pods)',
    ],
  },
  K8S012: {
    seen: evidence({ workloads: [workload({ replicas: 1 })] }),
    severity: 'recommended',
    message: '1 workload with one replica, which is away for about a minute when its node is replaced.',
    resources: ['Deployment shop/cart'],
  },
  K8S013: {
    seen: evidence({ budgets: [budget(), budget({ name: 'all', selector: {} })] }),
    severity: 'required',
    message: '1 pod with more than one disruption budget: eviction refuses it, so its node will not drain.',
    resources: ['Pod shop/cart-1 (cart, all)'],
  },
  K8S014: {
    seen: evidence({
      workloads: [
        workload({
          name: 'scaler',
          containers: [{ name: 'a', image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.32.0', readinessProbe: true }],
        }),
      ],
    }),
    severity: 'recommended',
    message: 'A cluster autoscaler is at work (shop/scaler): it adds and removes nodes while they are replaced.',
    resources: ['Deployment shop/scaler'],
    also: ['K8S047'],
  },
  K8S015: {
    seen: evidence({
      apiObjects: [
        {
          group: 'flowcontrol.apiserver.k8s.io',
          version: 'v1beta3',
          kind: 'FlowSchema',
          from: 'managed-fields',
          object: { name: 'probes' },
          writer: 'terraform',
        },
      ],
    }),
    severity: 'required',
    message: '1 use of what the target does not serve: flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema.',
    resources: [
      'FlowSchema probes (flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema by terraform, gone in 1.32; write flowcontrol.apiserver.k8s.io/v1 FlowSchema)',
    ],
  },
  K8S016: {
    seen: evidence({
      apiMetrics: [
        { group: '', version: 'v1', kind: 'ComponentStatus', from: 'metrics' },
        { group: 'admissionregistration.k8s.io', version: 'v1beta1', kind: 'ValidatingAdmissionPolicy', from: 'metrics' },
      ],
    }),
    severity: 'recommended',
    message: '1 use of what is deprecated: admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy.',
    resources: [
      'ValidatingAdmissionPolicy called (admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy, gone in 1.34; write admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy)',
    ],
  },
  K8S017: {
    seen: evidence({ budgets: [] }),
    severity: 'recommended',
    message: '1 workload without a disruption budget: all replicas may go at once.',
    resources: ['Deployment shop/cart'],
  },
  K8S018: {
    seen: evidence({ budgets: [budget({ maxUnavailable: undefined, minAvailable: '100%' })] }),
    severity: 'required',
    message: '1 disruption budget can never allow an eviction: nodes under its pods will not drain.',
    resources: ['PodDisruptionBudget shop/cart (minAvailable 100% of 3 pods)'],
  },
  K8S019: {
    seen: evidence({ budgets: [budget(), budget({ name: 'stale', expectedPods: 0, selector: { matchLabels: { app: 'gone' } } })] }),
    severity: 'recommended',
    message: '1 disruption budget without pods: what it was written for is not protected.',
    resources: ['PodDisruptionBudget shop/stale'],
  },
  K8S020: {
    seen: evidence({ workloads: [workload({ spread: 'yes' })] }),
    severity: 'recommended',
    message: '1 workload whose replicas are not spread over zones.',
    resources: ['Deployment shop/cart (may all run in one zone)'],
  },
  K8S021: {
    seen: evidence({ workloads: [workload({ containers: [{ name: 'cart', image: 'cart', readinessProbe: false }] })] }),
    severity: 'recommended',
    message: '1 workload with containers that have no readiness probe.',
    resources: ['Deployment shop/cart (cart)'],
  },
  K8S022: {
    seen: evidence({ workloads: [workload({ kind: 'StatefulSet', terminationGracePeriodSeconds: 0 })] }),
    severity: 'required',
    message: '1 workload with terminationGracePeriodSeconds: 0.',
    resources: ['StatefulSet shop/cart'],
  },
  K8S023: {
    seen: evidence({ workloads: [workload({ minReadySeconds: undefined })] }),
    severity: 'recommended',
    message: '1 workload without minReadySeconds.',
    resources: ['Deployment shop/cart'],
  },
  K8S024: {
    seen: evidence({ workloads: [workload({ kind: 'DaemonSet', hostPaths: ['/var/run/docker.sock'] })] }),
    severity: 'recommended',
    message: '1 workload with the socket of Docker.',
    resources: ['DaemonSet shop/cart (/var/run/docker.sock)'],
  },
  K8S044: {
    seen: evidence({ workloads: [workload({ terminationGracePeriodSeconds: 0 })] }),
    severity: 'recommended',
    message: '1 workload with terminationGracePeriodSeconds: 0.',
    resources: ['Deployment shop/cart'],
  },
  K8S025: {
    seen: evidence({ pods: [pod({ controller: undefined })] }),
    severity: 'recommended',
    message: '1 pod without a controller: nothing brings it back.',
    resources: ['Pod shop/cart-1'],
  },
  K8S026: {
    seen: evidence({ pods: [pod({ doNotDisrupt: 'true' })] }),
    severity: 'recommended',
    message: '1 pod that may not be disrupted: Karpenter leaves its node as it is.',
    resources: ['Pod shop/cart-1 (true)'],
  },
  K8S027: {
    seen: evidence({ workloads: [workload(), workload({ kind: 'Job', name: 'import', active: { since: '2025-10-31T23:00:00Z' } })] }),
    severity: 'recommended',
    message: '1 job running for more than 15 minutes: a drain ends it, or waits for it.',
    resources: ['Job shop/import (has run for 60 min)'],
  },
  K8S028: {
    seen: evidence({ nodes: [node(), node({ name: 'node-2', zone: 'eu-west-1b' })] }),
    severity: 'recommended',
    message: '1 claim tied to a zone with one node or none: a pod with it waits until a node is there.',
    resources: ['PersistentVolumeClaim shop/data (pv-1 is in eu-west-1a, which has 1 node)'],
  },
  K8S029: {
    seen: evidence({ workloads: [workload({ claims: ['data'] })] }),
    severity: 'recommended',
    message:
      '1 Deployment with a ReadWriteOnce volume and rolling updates: the new pod waits for a volume that the old one holds (Multi-Attach).',
    resources: ['Deployment shop/cart (data)'],
  },
  K8S030: {
    seen: evidence({ aggregatedApis: [{ name: 'v1beta1.metrics.k8s.io', available: false, message: 'MissingEndpoints' }] }),
    severity: 'required',
    message: '1 aggregated API unavailable.',
    resources: ['APIService v1beta1.metrics.k8s.io (MissingEndpoints)'],
  },
  K8S031: {
    seen: evidence({
      definitions: [
        definition(),
        definition({ name: 'certs.cert-manager.io', group: 'cert-manager.io', storedVersions: ['v1alpha2', 'v1'] }),
      ],
    }),
    severity: 'recommended',
    message: '1 CustomResourceDefinition with objects that may be stored in an old version: that version cannot be removed.',
    resources: ['CustomResourceDefinition certs.cert-manager.io (stored in v1alpha2)'],
  },
  K8S046: {
    seen: evidence({
      volumes: [
        { name: 'pv-2', claim: { namespace: 'shop', name: 'scratch' }, zones: [], accessModes: ['ReadWriteOnce'], onNode: 'node-1' },
      ],
    }),
    severity: 'required',
    message: '1 volume on the disk of a node that is replaced: its data ends with it.',
    resources: ['PersistentVolumeClaim shop/scratch (pv-2 is on the disk of node node-1)'],
  },
  K8S045: {
    seen: evidence({
      definitions: [
        definition({ served: ['v1beta1', 'v1'], convertedBy: { namespace: 'security', name: 'policy' } }),
        definition({ name: 'gone.example.com', served: ['v1beta1', 'v1'], convertedBy: { namespace: 'security', name: 'gone' } }),
        definition({ name: 'one-version.example.com', convertedBy: { namespace: 'security', name: 'gone' } }),
      ],
    }),
    severity: 'required',
    message:
      '1 CustomResourceDefinition whose objects cannot be converted: they can be neither read nor written, and no namespace can be deleted.',
    resources: ['CustomResourceDefinition gone.example.com (Service security/gone is not there)'],
  },
  K8S032: {
    seen: evidence({
      services: [service(), service({ name: 'mainframe', handWritten: true })],
    }),
    severity: 'recommended',
    message: '1 Service with Endpoints that somebody writes by hand.',
    resources: ['Endpoints security/mainframe'],
  },
  K8S034: {
    seen: evidence({ nodes: [node(), node({ name: 'old', osImage: 'Amazon Linux 2' })] }),
    severity: 'recommended',
    message: '1 node whose system has cgroup v1.',
    resources: ['Node old (Amazon Linux 2)'],
  },
  K8S040: {
    seen: evidence({
      services: [service({ externalIps: true })],
      nodes: [node({ kubelet: 'v1.33.5-eks-1' }), node({ name: 'node-2', kubelet: 'v1.33.5-eks-1' })],
      addOns: [addOn()],
    }),
    target: '1.36',
    severity: 'recommended',
    message: '1 Service with external IPs.',
    resources: ['Service security/policy'],
  },
  K8S048: {
    seen: evidence({
      workloads: [workload(), workload({ name: 'legacy', addressFaults: ['hostAliases: leading zeros'] })],
      nodes: [node({ kubelet: 'v1.33.5-eks-1' }), node({ name: 'node-2', kubelet: 'v1.33.5-eks-1' })],
      addOns: [addOn()],
    }),
    target: '1.36',
    severity: 'required',
    message:
      '1 workload with an address that API servers of 1.36 reject: its pods cannot be created again, such as when a node is replaced.',
    resources: ['Deployment shop/legacy (hostAliases: leading zeros)'],
  },
  K8S049: {
    seen: evidence({
      roles: {
        bound: [
          role(),
          role({ name: 'viewer', rules: [{ apiGroups: [''], resources: ['pods/exec', 'pods/log'], verbs: ['get', 'list'] }] }),
        ],
        anonymous: [],
      },
    }),
    target: '1.35',
    severity: 'recommended',
    message: '1 role with get but not create: from 1.35 it no longer allows kubectl exec, attach or port-forward.',
    resources: ['ClusterRole viewer (get without create on pods/exec)'],
  },
  K8S050: {
    seen: evidence({
      roles: {
        bound: [
          role({
            name: 'gpu-scheduler',
            rules: [{ apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status'], verbs: ['get', 'update'] }],
          }),
        ],
        anonymous: [],
      },
      nodes: [node({ kubelet: 'v1.33.5-eks-1' }), node({ name: 'node-2', kubelet: 'v1.33.5-eks-1' })],
      addOns: [addOn()],
    }),
    target: '1.36',
    severity: 'recommended',
    message:
      '1 role with rights on resourceclaims/status but not on its parts, which 1.36 requires: its DRA driver or scheduler can no longer allocate or report devices.',
    resources: ['ClusterRole gpu-scheduler'],
  },
  K8S051: {
    seen: evidence({
      volumes: [
        { name: 'pv-1', claim: { namespace: 'shop', name: 'data' }, zones: [], accessModes: ['ReadWriteMany'], driver: 'ebs.csi.aws.com' },
      ],
      workloads: [
        workload({ claims: ['data'], seLinux: 's0:c1,c2' }),
        workload({ kind: 'CronJob', name: 'backup', replicas: undefined, claims: ['data'] }),
      ],
      nodes: [node({ kubelet: 'v1.33.5-eks-1' }), node({ name: 'node-2', kubelet: 'v1.33.5-eks-1' })],
      addOns: [addOn()],
    }),
    target: '1.36',
    severity: 'recommended',
    message: '1 volume shared by pods with different SELinux labels: with kubelets of 1.37 only pods with the same label start on a node.',
    resources: ['PersistentVolumeClaim shop/data (Deployment cart: s0:c1,c2, CronJob backup: no label)'],
  },
  EKS035: {
    seen: evidence({ roles: { bound: [], anonymous: [anonymous({ role: 'ClusterRole system:public-info-viewer' }), anonymous()] } }),
    target: '1.32',
    from: '1.31',
    severity: 'recommended',
    message: '1 binding with rights for anonymous requests: from 1.32 EKS answers them with 401, except on /healthz, /livez and /readyz.',
    resources: ['ClusterRoleBinding everybody (ClusterRole view for system:unauthenticated)'],
    // What the healthy cluster has is of 1.32.
    also: ['EKS011', 'EKS016', 'EKS029', 'K8S002'],
  },
  K8S041: {
    seen: evidence({
      helmReleases: [
        {
          group: 'policy',
          version: 'v1beta1',
          kind: 'PodDisruptionBudget',
          from: 'helm',
          object: { name: 'cart' },
          writer: 'shop/cart',
        },
      ],
    }),
    severity: 'required',
    message: '1 object of Helm releases in what is not served: the next helm upgrade of shop/cart fails.',
    resources: [
      'PodDisruptionBudget cart (policy/v1beta1 PodDisruptionBudget by shop/cart, gone in 1.25; write policy/v1 PodDisruptionBudget)',
    ],
  },
  K8S042: {
    seen: evidence({ nodes: [node(), node({ name: 'node-2' }), node({ name: 'late', kubelet: 'v1.31.7-eks-1' })] }),
    severity: 'recommended',
    message: '1 node behind the control plane at 1.32.',
    resources: ['Node late (kubelet 1.31)'],
  },
  K8S043: {
    seen: evidence({
      addOns: [addOn({ name: 'kube-proxy', version: 'v1.31.3-eksbuild.2', offered: offers({ '1.33': ['v1.31.3-eksbuild.2'] }) })],
    }),
    severity: 'recommended',
    message: 'kube-proxy v1.31.3-eksbuild.2 is behind the control plane at 1.32.',
    resources: ['AddOn kube-proxy (v1.31.3-eksbuild.2)'],
  },
  K8S033: {
    seen: evidence({ workloads: [workload({ appArmorAnnotations: true })] }),
    severity: 'recommended',
    message: '1 workload with AppArmor’s annotations, which are deprecated.',
    resources: ['Deployment shop/cart'],
  },
  K8S035: {
    seen: evidence({
      workloads: [
        workload({
          containers: [{ name: 'c', image: 'registry.k8s.io/ingress-nginx/controller:v1.12.1@sha256:aa', readinessProbe: true }],
        }),
      ],
    }),
    severity: 'recommended',
    message: '1 workload of ingress-nginx, which has ended.',
    resources: ['Deployment shop/cart'],
  },
  K8S036: {
    seen: evidence({ pods: [pod({ waiting: 'CrashLoopBackOff' })] }),
    severity: 'recommended',
    message: '1 pod pending or crashing already.',
    resources: ['Pod shop/cart-1 (CrashLoopBackOff)'],
  },
  K8S037: {
    seen: evidence({ kubeProxy: { mode: 'ipvs' } }),
    target: '1.35',
    severity: 'recommended',
    message: 'kube-proxy is in mode ipvs.',
  },
  K8S038: {
    seen: evidence({ nodes: [node(), node({ name: 'node-2', runtime: 'containerd://1.7.27' })] }),
    target: '1.35',
    severity: 'recommended',
    message: '1 node with containerd 1, which kubelets of 1.38 and newer do not speak to.',
    resources: ['Node node-2 (containerd://1.7.27)'],
  },
  K8S039: {
    seen: evidence({ workloads: [workload({ gitRepo: true })] }),
    severity: 'required',
    message: '1 workload with a gitRepo volume, which kubelets of 1.33 and newer refuse by default.',
    resources: ['Deployment shop/cart'],
  },
  K8S047: {
    seen: evidence({
      workloads: [
        workload({
          namespace: 'kube-system',
          name: 'ca-aws-cluster-autoscaler',
          replicas: 0,
          containers: [{ name: 'aws', image: 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.32.1', readinessProbe: true }],
        }),
      ],
    }),
    severity: 'recommended',
    message: '1 cluster autoscaler of another minor than 1.33.',
    resources: ['Deployment kube-system/ca-aws-cluster-autoscaler (1.32.1)'],
  },
  K8S052: {
    seen: evidence({
      workloads: [
        workload({
          namespace: 'keda',
          name: 'keda-operator',
          containers: [{ name: 'a', image: 'ghcr.io/kedacore/keda:2.17.2', readinessProbe: true }],
        }),
        ...['argocd-server', 'argocd-repo-server'].map((name) =>
          workload({
            namespace: 'argocd',
            name,
            containers: [{ name, image: 'mirror.example.com/argoproj/argocd:v2.8.3', readinessProbe: true }],
          }),
        ),
      ],
    }),
    severity: 'recommended',
    message: '2 controllers of versions that their makers do not support or test with 1.33.',
    resources: [
      'Deployment keda/keda-operator (KEDA 2.17.2, up to 1.32)',
      'Deployment argocd/argocd-server (Argo CD 2.8.3, older than all that its makers list)',
    ],
    also: ['K8S017'],
  },
  KAR001: {
    seen: evidence({ karpenter: karpenter({ version: '1.3.8' }) }),
    severity: 'required',
    message: 'Karpenter 1.3.8 does not support 1.33.',
    resources: ['Deployment kube-system/karpenter (1.3.8)'],
    also: ['KAR009'],
  },
  KAR002: {
    seen: evidence({ karpenter: karpenter({ nodeClasses: [nodeClass({ ready: false })] }) }),
    severity: 'required',
    message: 'Karpenter cannot launch nodes for what is not Ready.',
    resources: ['EC2NodeClass default (not Ready)'],
  },
  KAR003: {
    seen: evidence({
      karpenter: karpenter({ claims: [{ name: 'default-a', pool: 'default', createdAt: '2025-10-02T12:00:00Z', expireAfter: '720h' }] }),
    }),
    severity: 'recommended',
    message: '1 node expiring during the upgrade.',
    resources: ['NodeClaim default-a (expires at 2025-11-01T12:00Z)'],
  },
  KAR008: {
    seen: evidence({ karpenter: karpenter({ oldObjects: [{ kind: 'Provisioner', name: 'default' }] }) }),
    severity: 'required',
    message: '1 object of v1alpha5.',
    resources: ['Provisioner default'],
  },
  KAR009: {
    seen: evidence({ definitions: [definition({ labels: { 'app.kubernetes.io/version': '1.0.8' } })] }),
    severity: 'recommended',
    message: '1 CRD of another version than the controller, or missing.',
    resources: ['CustomResourceDefinition nodepools.karpenter.sh (1.0.8, the controller is 1.6.2)'],
  },
  KAR010: {
    seen: evidence({ definitions: [definition({ storedVersions: ['v1beta1', 'v1'] })] }),
    severity: 'required',
    message: '1 CRD with objects stored in an older version.',
    resources: ['CustomResourceDefinition nodepools.karpenter.sh (stored in v1beta1)'],
  },
  KAR011: {
    seen: evidence({ karpenter: karpenter({ nodeClasses: [nodeClass({ pinned: true, aliases: [], alias: undefined })] }) }),
    severity: 'recommended',
    message: '1 EC2NodeClass with fixed AMIs: its nodes stay at the old version until somebody edits it.',
    resources: ['EC2NodeClass default (amazon-eks-node-al2023-x86_64-standard-1.32-v20251016)'],
  },
  KAR012: {
    seen: evidence({ karpenter: karpenter({ nodeClasses: [nodeClass({ alias: 'al2@v20250601', aliases: ['al2@v20250601'] })] }) }),
    severity: 'required',
    message: '1 EC2NodeClass on Amazon Linux 2, which has no images from 1.33 on.',
    resources: ['EC2NodeClass default (al2@v20250601)', 'NodePool default (EC2NodeClass default)'],
  },
  KAR015: {
    seen: evidence({
      karpenter: karpenter({ nodeClasses: [nodeClass({ alias: 'al2023@v20250403', aliases: ['al2023@v20250403'] })] }),
      amiBuilds: [{ alias: 'al2023@v20250403', minor: '1.33', images: {} }],
    }),
    severity: 'required',
    message:
      'Pinned releases without images for the way: new nodes keep the old version once the control plane has moved, and none is replaced.',
    resources: ['EC2NodeClass default (al2023@v20250403 has no image for 1.33)'],
  },
  KAR013: {
    seen: evidence({ karpenter: karpenter({ nodeClasses: [nodeClass({ aliases: ['al2023@latest'] })] }) }),
    severity: 'recommended',
    message: '1 EC2NodeClass at @latest.',
    resources: ['EC2NodeClass default (al2023@latest)'],
  },
  KAR014: {
    seen: evidence({ karpenter: karpenter({ nodePools: [pool({ budgets: [] })] }) }),
    severity: 'recommended',
    message: '1 NodePool whose budgets never limit or never allow drift.',
    resources: ['NodePool default (budgets: [] means no limit at all: every node may go at once)'],
  },
  KAR016: {
    seen: evidence({ karpenter: karpenter({ nodePools: [pool({ limits: [{ resource: 'cpu', limit: '100', used: '95500m' }] })] }) }),
    severity: 'recommended',
    message: '1 NodePool at or near its limits.',
    resources: ['NodePool default (95500m of 100 cpu)'],
  },
  KAR018: {
    seen: evidence({ definitions: [definition({ annotations: {} })] }),
    severity: 'recommended',
    message: '1 CRD that no Helm release owns: a chart upgrade leaves it as it is.',
    resources: ['CustomResourceDefinition nodepools.karpenter.sh'],
  },
  IST001: {
    seen: evidence({ istio: istio({ revisions: [{ revision: '1-27', version: '1.25.5', namespace: 'istio-system', ready: true }] }) }),
    severity: 'required',
    message: 'Istio 1.25.5 (revision 1-27) does not support 1.33.',
    resources: ['Revision istio-system/1-27 (1.25.5)'],
    also: ['IST004', 'IST005'],
  },
  IST002: {
    seen: evidence({ istio: istio({ revisions: [{ revision: '1-27', version: '1.27.1', namespace: 'istio-system', ready: false }] }) }),
    severity: 'required',
    message: 'istiod is not fully available.',
    resources: ['Revision istio-system/1-27'],
  },
  IST005: {
    seen: evidence({ pods: [pod({ proxy: { revision: '1-25', version: '1.25.5' } })] }),
    severity: 'recommended',
    message: '1 pod whose proxy is of another version than its istiod.',
    resources: ['Pod shop/cart-1 (its revision 1-25 is gone)'],
  },
  IST006: {
    seen: evidence({ istio: istio({ doubled: ['shop'] }) }),
    severity: 'required',
    message: '1 namespace with istio-injection and istio.io/rev at once.',
    resources: ['Namespace shop'],
  },
  IST007: {
    seen: evidence({ istio: istio({ unanswered: [{ namespace: 'shop', selector: 'istio.io/rev=prod' }] }) }),
    severity: 'required',
    message: '1 namespace whose label selects no webhook.',
    resources: ['Namespace shop (istio.io/rev=prod)'],
  },
  IST015: {
    seen: evidence({
      istio: istio({
        revisions: [
          { revision: '1-27', version: '1.27.1', namespace: 'istio-system', ready: true },
          { revision: 'default', version: '1.25.1', namespace: 'istio-system', ready: true },
        ],
        ownChoice: [
          { kind: 'Deployment', namespace: 'tools', name: 'cache', label: 'sidecar.istio.io/inject=true', revision: 'default' },
          { kind: 'StatefulSet', namespace: 'tools', name: 'queue', label: 'istio.io/rev=1-27', revision: '1-27' },
        ],
      }),
    }),
    severity: 'required',
    message: '1 workload that no wave moves, on Istio 1.25.1, which does not support all of 1.32, 1.33.',
    resources: ['Deployment tools/cache (sidecar.istio.io/inject=true)'],
    also: ['IST001', 'IST004'],
  },
  IST016: {
    seen: evidence({
      workloads: [
        workload(),
        workload({
          podLabels: { app: 'istiod' },
          namespace: 'istio-system',
          name: 'istiod-1-30',
          containers: [{ name: 'discovery', image: 'registry.istio.io/release/pilot:1.30.3', readinessProbe: true }],
        }),
        workload({
          kind: 'DaemonSet',
          namespace: 'istio-system',
          name: 'ztunnel',
          containers: [{ name: 'istio-proxy', image: 'gcr.io/istio-release/ztunnel:1.29.6', readinessProbe: true }],
        }),
        workload({
          podLabels: { app: 'istiod' },
          namespace: 'istio-system',
          name: 'istiod-1-31',
          containers: [{ name: 'discovery', image: 'mirror.example.com/gcr.io/istio-release/pilot:1.31.1', readinessProbe: true }],
        }),
      ],
    }),
    severity: 'required',
    message: '2 workloads with images from registries that Istio closes in December 2026: from then on no replaced node can pull them.',
    resources: [
      'Deployment istio-system/istiod-1-30 (registry.istio.io/release/pilot:1.30.3)',
      'DaemonSet istio-system/ztunnel (gcr.io/istio-release/ztunnel:1.29.6)',
    ],
  },
  IST008: {
    seen: evidence({
      istio: istio({ deadWebhooks: [{ configuration: 'istio-sidecar-injector-1-25', service: 'istio-system/istiod-1-25' }] }),
    }),
    severity: 'required',
    message: '1 webhook configuration of revisions that are gone.',
    resources: ['MutatingWebhookConfiguration istio-sidecar-injector-1-25 (Service istio-system/istiod-1-25 is gone)'],
  },
  IST009: {
    seen: evidence({
      istio: istio({ istiods: [{ name: 'istiod-1-27', namespace: 'istio-system', replicas: 1 }] }),
      budgets: [
        budget(),
        budget({
          namespace: 'istio-system',
          name: 'istiod-1-27',
          selector: { matchLabels: { app: 'istiod' } },
          maxUnavailable: undefined,
          minAvailable: 1,
          expectedPods: 1,
          disruptionsAllowed: 0,
        }),
      ],
    }),
    severity: 'recommended',
    message: 'One replica under a budget: istio-system/istiod-1-27.',
    resources: ['Deployment istio-system/istiod-1-27'],
    also: ['K8S018'],
  },
  IST010: {
    seen: evidence({ istio: istio({ ztunnelVersion: '1.25.5' }) }),
    severity: 'required',
    message: '1 DaemonSet too far from istiod.',
    resources: ['DaemonSet ztunnel (1.25.5, istiod is 1.27.1)'],
  },
  IST011: {
    seen: evidence({
      istio: istio({
        gateways: [
          { kind: 'Deployment', namespace: 'edge', name: 'lone', by: 'own-label', selector: '1-27', revision: '1-27', replicas: 1 },
          {
            kind: 'Gateway',
            namespace: 'shop',
            name: 'stuck',
            by: 'default',
            selector: 'default',
            revision: '1-27',
            replicas: 2,
            podLabels: { app: 'stuck' },
          },
        ],
      }),
      budgets: [budget(), budget({ name: 'stuck', selector: { matchLabels: { app: 'stuck' } }, disruptionsAllowed: 0 })],
    }),
    severity: 'recommended',
    message: '2 gateways without a pod to spare.',
    resources: ['Deployment edge/lone (one replica)', 'Gateway shop/stuck (budget stuck lets none of its pods go)'],
    also: ['K8S003'],
  },
  IST012: {
    seen: evidence({ istio: istio({ bound: [{ kind: 'HTTPRoute', namespace: 'shop', name: 'cart', revision: '1-27' }] }) }),
    severity: 'recommended',
    message: '1 object that only one revision reads: shop/cart.',
    resources: ['HTTPRoute shop/cart (istio.io/rev=1-27)'],
  },
  IST013: {
    seen: evidence({
      definitions: [
        definition(),
        definition({
          name: 'gateways.gateway.networking.k8s.io',
          group: 'gateway.networking.k8s.io',
          kind: 'Gateway',
          served: ['v1alpha2'],
        }),
      ],
    }),
    severity: 'required',
    message: '1 definition of the Gateway API without v1beta1.',
    resources: ['CustomResourceDefinition gateways.gateway.networking.k8s.io (serves v1alpha2)'],
  },
  IST014: {
    seen: evidence({ istio: istio({ versionedFilters: [{ namespace: 'shop', name: 'limits', proxyVersions: ['^1\\.27.*'] }] }) }),
    severity: 'recommended',
    message: '1 EnvoyFilter for certain versions of the proxy.',
    resources: ['EnvoyFilter shop/limits (for ^1\\.27.*)'],
  },
  OWN001: {
    seen: evidence({
      gitOps: [{ kind: 'Application', namespace: 'argocd', name: 'mesh', chart: 'istiod', version: '1.27.1', range: false, by: 'argocd' }],
    }),
    severity: 'required',
    message: '1 object of GitOps that belay.yaml does not name.',
    resources: ['Application argocd/mesh (delivers istiod, belay.yaml says nothing)'],
  },
  OWN004: {
    seen: evidence({ karpenter: karpenter({ deliveredBy: 'argocd' }) }),
    severity: 'required',
    message: '1 Deployment delivered otherwise than belay.yaml says.',
    resources: ['Deployment kube-system/karpenter (marked by argocd, belay.yaml says flux)'],
  },
  OWN002: {
    seen: evidence({
      gitOps: [
        { kind: 'HelmRelease', namespace: 'flux-system', name: 'karpenter', chart: 'karpenter', version: '1.x', range: true, by: 'flux' },
      ],
    }),
    severity: 'recommended',
    message: '1 chart with a range of versions: a new release is installed on any day.',
    resources: ['HelmRelease flux-system/karpenter (karpenter 1.x)'],
  },
  OWN003: {
    seen: evidence({
      workloads: [
        workload(),
        workload({
          name: 'belay-worker',
          podLabels: { app: 'cart' },
          containers: [{ name: 'w', image: 'ghcr.io/example/belay:0.1.0', readinessProbe: true }],
        }),
      ],
    }),
    severity: 'recommended',
    message: 'belay-worker runs on this cluster.',
    resources: ['Deployment shop/belay-worker'],
  },
};

/** Found only on the way to a later minor, or past a date. */
const ELSEWHERE = ['IST004', 'KAR017'];

describe('one planted defect', () => {
  test('every check has one', () => {
    expect([...Object.keys(PLANTED), ...ELSEWHERE].toSorted()).toEqual(CATALOGUE.map(({ code }) => code).toSorted());
  });

  test.each(Object.entries(PLANTED))(
    '%s',
    (code, { seen, severity, message, resources = [], also = [], target = '1.33', from = '1.32' }) => {
      const findings = failed(run(seen, { ...onTheWayTo(target), from: parseKubernetesVersion(from) }));
      const own = findings.filter((each) => each.code === code);
      expect(own.map((each) => ({ severity: each.severity, message: each.message, resources: named(each) }))).toEqual([
        { severity, message, resources },
      ]);
      expect([...new Set(findings.map((each) => each.code))].toSorted()).toEqual([code, ...also].toSorted());
    },
  );
});

describe('by target', () => {
  test.each(['K8S037', 'K8S038', 'K8S040', 'K8S048', 'K8S049', 'K8S050', 'K8S051'])('%s is no concern at 1.33 yet', (code) => {
    const { seen } = PLANTED[code] ?? { seen: evidence() };
    const findings = run(seen).filter((each) => each.code === code);
    expect(findings.map(({ status, message }) => `${status}: ${message}`)).toEqual(['pass: No concern at 1.33 yet.']);
  });

  test('K8S039: kubelets of 1.32 still clone gitRepo volumes', () => {
    const seen = evidence({ workloads: [workload({ gitRepo: true })] });
    const found = failed(run(seen, { ...onTheWayTo('1.32'), from: { major: 1, minor: 31 } })).filter(({ code }) => code === 'K8S039');
    expect(found.map(({ severity }) => severity)).toEqual(['recommended']);
  });

  test('K8S026: what only the Cluster Autoscaler heeds holds no node', () => {
    const pods = [
      pod({ doNotDisrupt: 'true' }),
      pod({ name: 'import-1', doNotDisrupt: 'cluster-autoscaler.kubernetes.io/safe-to-evict=false' }),
    ];
    const found = failed(run(evidence({ pods }))).filter(({ code }) => code === 'K8S026');
    expect(found.map(({ message, remediation }) => [message, remediation])).toEqual([
      [
        '1 pod that may not be disrupted: Karpenter leaves its node as it is.',
        'Remove the annotation after the work; otherwise Belay asks at its node.',
      ],
      [
        '1 pod that only the Cluster Autoscaler spares: it is evicted when its node is replaced.',
        'Give what must not be interrupted a PodDisruptionBudget, or start when it is done.',
      ],
    ]);
    expect(found.map(named)).toEqual([
      ['Pod shop/cart-1 (true)'],
      ['Pod shop/import-1 (cluster-autoscaler.kubernetes.io/safe-to-evict=false)'],
    ]);
  });

  test('K8S038: nodes with containerd 1 do not stop an upgrade to 1.36, which replaces them', () => {
    const { seen } = PLANTED['K8S038'] ?? { seen: evidence() };
    const found = failed(run(seen, at136)).filter(({ code }) => code === 'K8S038');
    expect(found.map(({ severity, remediation }) => [severity, remediation])).toEqual([
      [
        'recommended',
        'Nothing to do for Amazon’s AMIs: from 1.34 they have containerd 2. Build your own with it before their kubelets are of 1.38.',
      ],
    ]);
  });

  test.each(['K8S034', 'K8S041'])('%s is required from 1.36 on', (code) => {
    const { seen } = PLANTED[code] ?? { seen: evidence() };
    expect(
      failed(run(seen, at136))
        .filter((each) => each.code === code)
        .map(({ severity }) => severity),
    ).toEqual(['required']);
  });

  test.each([
    ['1.39', 'recommended'],
    ['1.40', 'required'],
  ])('K8S037: on the way to %s IPVS is %s to be left', (target, severity) => {
    const found = failed(run(evidence({ kubeProxy: { mode: 'ipvs' } }), onTheWayTo(target))).filter(({ code }) => code === 'K8S037');
    expect(found.map((each) => [each.severity, each.remediation])).toEqual([
      [
        severity,
        'Set mode to nftables (iptables on kernels older than 5.13) in the kube-proxy add-on’s configuration before 1.40: from then on kube-proxy exits in mode ipvs.',
      ],
    ]);
  });

  test('EKS004: what EKS says of a minor after the target does not stand in the way', () => {
    const found = failed(run(evidence(insights({ kubernetesVersion: '1.34', reason: 'v1beta1 is called' }))));
    expect(found.map(({ code, severity, message }) => `${code} ${severity}: ${message}`)).toEqual([
      'EKS004 recommended: Deprecated APIs (1.34): v1beta1 is called',
    ]);
  });

  test('K8S041: an API that goes later is no reason to wait', () => {
    const seen = evidence({
      helmReleases: [
        {
          group: 'admissionregistration.k8s.io',
          version: 'v1beta1',
          kind: 'ValidatingAdmissionPolicy',
          from: 'helm',
          writer: 'ops/policy',
        },
      ],
    });
    const found = failed(run(seen)).map(({ code, severity, message }) => `${code} ${severity}: ${message}`);
    expect(found).toEqual(['K8S041 recommended: 1 object of Helm releases in what is deprecated.']);
  });

  test('K8S041: a custom resource in a version that its CRD does not serve', () => {
    const certificate = {
      group: 'cert-manager.io',
      kind: 'Certificate',
      from: 'helm' as const,
      object: { name: 'tls' },
      writer: 'shop/cart',
    };
    const found = failed(
      run(
        evidence({
          helmReleases: ['v1alpha2', 'v1'].map((version) => ({ ...certificate, version })),
          definitions: [definition(), definition({ name: 'certificates.cert-manager.io', group: 'cert-manager.io', kind: 'Certificate' })],
        }),
      ),
    );
    expect(found.map((each) => [each.code, each.message, named(each)])).toEqual([
      [
        'K8S041',
        '1 object of Helm releases in what is not served: the next helm upgrade of shop/cart fails.',
        ['Certificate tls (cert-manager.io/v1alpha2 Certificate by shop/cart, which its CRD does not serve; write cert-manager.io/v1)'],
      ],
    ]);
  });

  test('IST004: the end of life comes by itself', () => {
    const later = failed(run(evidence(), { ...CONTEXT, now: '2026-05-01T00:00:00Z' })).filter(({ code }) => code === 'IST004');
    expect(later.map(named)).toEqual([['Revision 1-27 (1.27.1, ended 2026-04-07)']]);
  });

  test('KAR017: what a newer Karpenter needs is said where one is needed', () => {
    const old = failed(run(evidence({ karpenter: karpenter({ version: '1.0.8' }) }))).filter(({ code }) => code === 'KAR017');
    expect(old.map(({ message }) => message)).toEqual([
      'Karpenter 1.0.8 → 1.5.0: 1.1: v1beta1 is gone: storedVersions of the CRDs must be ["v1"], nodeClassRef.group and kind set on every NodePool and NodeClaim, kubelet settings in the EC2NodeClass.',
    ]);
  });

  test.each([
    ['1.25', ['1.26', '1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33'], '1.0.8', 'fail', /^Karpenter 1\.0\.8 → 1\.5\.0: 1\.1: /],
    ['1.36', ['1.37'], '1.14.1', 'fail', /^Karpenter 1\.14\.1 → 1\.15\.0: 1\.15: node repair /],
    ['1.37', ['1.38'], '1.15.2', 'unknown', /^Which Karpenter supports 1\.37, 1\.38 is not known/],
    ['1.32', ['1.33'], 'latest', 'unknown', /^Karpenter's version "latest" cannot be read/],
  ])('KAR017: from %s over %j with Karpenter %s: %s', (from, over, version, status, message) => {
    const hops = over.map(parseKubernetesVersion);
    const context = { ...CONTEXT, from: parseKubernetesVersion(from), hops, target: hops.at(-1) ?? CONTEXT.target };
    const found = run(evidence({ karpenter: karpenter({ version }) }), context).filter(({ code }) => code === 'KAR017');
    expect(found).toMatchObject([{ status, message: expect.stringMatching(message) }]);
  });
});

describe('what is taken for what it is', () => {
  const codes = (over: Parameters<typeof evidence>[0], target = '1.33'): string[] =>
    failed(run(evidence(over), onTheWayTo(target))).map(({ code }) => code);

  test('a budget with neither number protects nothing', () => {
    expect(codes({ budgets: [budget({ maxUnavailable: undefined })] })).toEqual(['K8S017']);
  });

  test('what an operator makes is judged as what people write', () => {
    const controller = { kind: 'Prometheus', name: 'main' };
    expect(codes({ workloads: [workload({ kind: 'StatefulSet', controller, replicas: 1 })] })).toEqual(['K8S012']);
  });

  test('a Job says nothing that the template of its CronJob does not', () => {
    const nightly = { hostPaths: ['/var/run/docker.sock'], replicas: undefined };
    const job = workload({ kind: 'Job', name: 'nightly-1', controller: { kind: 'CronJob', name: 'nightly' }, active: {}, ...nightly });
    const found = failed(run(evidence({ workloads: [workload({ kind: 'CronJob', name: 'nightly', ...nightly }), job] })));
    expect(found.map((each) => [each.code, named(each)])).toEqual([['K8S024', ['CronJob shop/nightly (/var/run/docker.sock)']]]);
  });

  test('AWS replaces nodes of Fargate and of Auto Mode by itself', () => {
    const old = { runtime: 'containerd://1.7.27', osImage: 'Amazon Linux 2' };
    const nodes = [
      node({ kubelet: 'v1.33.1' }),
      node({ name: 'b', kubelet: 'v1.33.1' }),
      node({ name: 'auto', kubelet: 'v1.33.1', owner: 'auto-mode', ...old }),
    ];
    expect(codes({ nodes, addOns: [addOn()] }, '1.36')).toEqual([]);
  });
});

describe('what Belay does not know', () => {
  const unknown = (seen: Evidence): string[] =>
    run(seen).flatMap(({ code, status, message }) => (status === 'pass' ? [] : [`${code} ${status}: ${message}`]));

  test('EKS031: a target that EKS does not offer yet has none of the versions', () => {
    const found = run(evidence({ addOns: [addOn({ offered: offers({ '1.32': ['v1.11.4-eksbuild.2'] }) })] }));
    expect(found.filter(({ code }) => code === 'EKS031').map(({ message }) => message)).toEqual([
      '1 add-on at a version that EKS does not offer for 1.33.',
    ]);
  });

  test('add-ons of which EKS lists no version', () => {
    const message = 'Which versions of adot are valid cannot be seen.';
    expect(unknown(evidence({ addOns: [addOn(), addOn({ name: 'adot', offered: {} })] }))).toEqual(
      ['EKS011', 'EKS029', 'EKS031', 'EKS032'].map((code) => `${code} unknown: ${message}`),
    );
  });

  test('EKS028: a configuration for which EKS has no schema yet', () => {
    expect(unknown(evidence({ addOnConfiguration: [{ name: 'adot', edits: [] }] }))).toEqual([
      'EKS028 unknown: Whether the configuration of adot will be valid cannot be seen: EKS shows no schema for the target.',
    ]);
  });

  test('K8S037: the mode of a kube-proxy without a configuration', () => {
    const look = (addOns: ReturnType<typeof addOn>[]): string[] =>
      run(evidence({ kubeProxy: 'none', addOns }), onTheWayTo('1.35')).flatMap(({ code, status, message }) =>
        code === 'K8S037' ? [`${status}: ${message}`] : [],
      );
    expect(look([addOn({ name: 'kube-proxy', version: 'v1.32.3-eksbuild.2' })])).toEqual([
      'unknown: kube-proxy runs, and has no configuration in kube-system: its mode may be one of its flags.',
    ]);
    expect(look([addOn()])).toEqual(['pass: There is no kube-proxy here.']);
  });

  test('K8S034: the cgroups of an operating system that it has never seen', () => {
    expect(unknown(evidence({ nodes: [node(), node({ name: 'node-2', osImage: 'Flatcar Container Linux' })] }))).toEqual([
      'K8S034 unknown: Whether Flatcar Container Linux has cgroup v2 is not known to this release of Belay.',
    ]);
  });
});

describe('what could not be seen', () => {
  test.each(SOURCE_IDS)('without %s no check that reads it passes', (id) => {
    const readers = CATALOGUE.filter(({ reads }) => reads.includes(id));
    const findings = readers.flatMap((check) => runCheck(check, blindTo([id]), at136));
    expect(findings.filter(({ status }) => status !== 'unknown')).toEqual([]);
  });

  test('the missing permission is named', () => {
    const pods = CATALOGUE.filter(({ code }) => code === 'K8S013').flatMap((check) =>
      runCheck(check, blindTo(['pods', 'budgets']), CONTEXT),
    );
    expect(pods).toMatchObject([
      {
        status: 'unknown',
        message: 'PodDisruptionBudgets could not be read: the server said no. Pods could not be read: the server said no.',
        remediation: 'Allow list on poddisruptionbudgets.policy, and list on pods.',
      },
    ]);
  });

  test('the one that the server named, where it named one', () => {
    const why =
      'Kubernetes answered 403 (User "ci" cannot list resource "volumeattachments" in API group "storage.k8s.io" at the cluster scope).';
    const seen: Evidence = { ...evidence(), volumes: { ok: false, unseen: { kind: 'denied', why } } };
    const [finding] = CATALOGUE.filter(({ code }) => code === 'K8S028').flatMap((check) => runCheck(check, seen, CONTEXT));
    expect(finding?.remediation).toBe('Allow list on volumeattachments.storage.k8s.io.');
  });

  test('a time-out is no missing permission', () => {
    const [finding] = CATALOGUE.filter(({ code }) => code === 'EKS001').flatMap((check) =>
      runCheck(check, blindTo(['cluster'], 'failed'), CONTEXT),
    );
    expect(finding).toMatchObject({ status: 'unknown', message: 'The cluster could not be read: the server said no.' });
    expect(finding).not.toHaveProperty('remediation');
  });
});
