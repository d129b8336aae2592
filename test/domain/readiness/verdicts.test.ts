/** What single checks say of unusual clusters: what Belay does not know is unknown, and what stands in nobody's way passes. */
import { expect, test } from 'vitest';
import { SWITCHED_OFF } from '../../../activities/runtime/see.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { type Context, runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence, Instance, NodePoolSeen, RoleSeen, Shape } from '../../../domain/readiness/model/evidence.ts';
import {
  addOn,
  anonymous,
  budget,
  cluster,
  CONTEXT,
  definition,
  evidence,
  istio,
  karpenter,
  node,
  nodeClass,
  pool,
  role,
  service,
  workload,
} from './healthy.ts';

const insight = (over: Partial<Shape<'insights'>['insights'][number]>): Evidence =>
  evidence({
    insights: {
      refreshedAt: CONTEXT.now,
      insights: [{ name: 'Deprecated APIs', category: 'UPGRADE_READINESS', status: 'PASSING', resources: [], deprecations: [], ...over }],
    },
  });
const job = (since: string, deadlineSeconds?: number): Evidence =>
  evidence({
    workloads: [workload({ kind: 'Job', name: 'batch', active: { since, ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }) } })],
  });
const minor = (number: number): Context['target'] => ({ major: 1, minor: number });
const kubeProxy = (version: string): Evidence => evidence({ addOns: [addOn({ name: 'kube-proxy', version })] });
const limits = (...all: NodePoolSeen['limits']): Evidence => evidence({ karpenter: karpenter({ nodePools: [pool({ limits: all })] }) });
const karpenterAt = (version: string): Evidence => evidence({ karpenter: karpenter({ version }) });
const budgets = (over: Parameters<typeof pool>[0]): Evidence => evidence({ karpenter: karpenter({ nodePools: [pool(over)] }) });
const al2Family = (over: Parameters<typeof nodeClass>[0]): Evidence =>
  evidence({ karpenter: karpenter({ nodeClasses: [nodeClass({ alias: undefined, aliases: [], amiFamily: 'AL2', ...over })] }) });
const standard = { cluster: cluster({ supportType: 'STANDARD' }) };
const byHelm = evidence({ karpenter: karpenter({ deliveredBy: 'helm' }) });

const running = (name: string, image: string) => workload({ name, containers: [{ name, image, readinessProbe: true }] });
const autoscaler = (image: string): Evidence => evidence({ workloads: [running('cluster-autoscaler', image)] });
const controllers = (...images: string[]): Evidence =>
  evidence({ workloads: images.map((image, at) => running(`controller-${at}`, image)) });
const istioAt = (version: string): Evidence =>
  evidence({ istio: istio({ revisions: [{ revision: '1-27', version, namespace: 'istio-system', ready: true }] }) });

const execRule = (verb: string) => ({ apiGroups: [''], resources: ['pods/exec'], verbs: [verb] });
const claimRule = (resource: string) => ({ apiGroups: ['resource.k8s.io'], resources: [resource], verbs: ['update'] });

const NO_SCALE = 'Kubernetes cannot count its pods: jobs.batch does not implement the scale subresource';
const uncounted = evidence({ budgets: [budget({ expectedPods: 0, disruptionsAllowed: 0, uncounted: NO_SCALE })] });

interface Row {
  what: string;
  code: string;
  seen: Evidence;
  context?: Partial<Context>;
  /** Status, then the message. */
  says: [status: 'pass' | 'fail' | 'unknown', message: string];
  severity?: string;
  resources?: string[];
  remediation?: string;
}

const onQuota = (used: number, ...instances: Instance[]): Evidence =>
  evidence({
    nodes: instances.map((instance, at) => node({ name: `node-${at}`, instance })),
    instanceQuotas: [{ code: 'L-34B43A08', name: 'All Standard Spot', limit: 64, used, unit: 'vCPU' }],
  });

test.each<Row>([
  {
    what: 'On-Demand instances of standard families alone, which AWS007 is about',
    code: 'AWS010',
    seen: onQuota(64, { type: 'm5.large', spot: false, vcpus: 2 }),
    says: ['pass', 'No node is a Spot or accelerated instance.'],
  },
  {
    what: 'Spot instances with just the room for one more of the largest that the cluster has',
    code: 'AWS010',
    seen: onQuota(56, { type: 'm5.large', spot: true, vcpus: 2 }, { type: 'm5.2xlarge', spot: true, vcpus: 8 }),
    says: ['pass', '1 quota of Spot and accelerated instances has room for a replacement.'],
  },
  {
    what: 'accelerated instances whose quota nobody told',
    code: 'AWS010',
    seen: onQuota(0, { type: 'g5.xlarge', spot: false, vcpus: 4 }),
    says: ['unknown', 'It is unknown whether L-DB2E81BA has room for one more instance.'],
  },
  {
    what: 'a Spot instance of which its node does not say how many vCPUs it has',
    code: 'AWS010',
    seen: onQuota(0, { type: 'm5.large', spot: true }),
    says: ['unknown', 'It is unknown whether L-34B43A08 has room for one more instance.'],
  },
  {
    what: 'no key of one’s own',
    code: 'AWS006',
    seen: evidence({ encryptionKey: 'none' }),
    says: ['pass', 'Secrets are encrypted with no key of yours.'],
  },
  {
    what: 'a version that is past all support',
    code: 'EKS016',
    seen: evidence(),
    context: { from: minor(31), now: '2026-11-29T00:00:00Z' },
    says: ['fail', 'All support of 1.31 ended on 2026-11-26: EKS upgrades the control plane by itself, at a time that you cannot choose.'],
    severity: 'recommended',
  },
  {
    what: 'a target that is past all support',
    code: 'EKS008',
    seen: evidence(),
    context: { from: minor(30), target: minor(31), hops: [minor(31)], now: '2026-11-29T00:00:00Z' },
    says: ['fail', 'All support of 1.31 ended on 2026-11-26: EKS upgrades the control plane by itself, at a time that you cannot choose.'],
    remediation: 'Choose a newer target, or plan the next upgrade now.',
  },
  {
    what: 'the policy EXTENDED, which prolongs nothing any more',
    code: 'EKS017',
    seen: evidence(),
    context: { from: minor(31), now: '2026-11-29T00:00:00Z' },
    says: ['fail', 'All support of 1.31 ended on 2026-11-26: EKS upgrades the control plane by itself, at a time that you cannot choose.'],
    remediation: 'Upgrade now.',
  },
  {
    what: 'the policy EXTENDED, shortly before extended support ends',
    code: 'EKS017',
    seen: evidence(),
    context: { from: minor(31), now: '2026-10-01T00:00:00Z' },
    says: ['fail', 'Extended support of 1.31 ends on 2026-11-26, in 56 days: then EKS upgrades the control plane by itself.'],
    remediation: 'Upgrade before.',
  },
  {
    what: 'the policy EXTENDED, long before',
    code: 'EKS017',
    seen: evidence(),
    context: { from: minor(31), now: '2026-09-01T00:00:00Z' },
    says: ['pass', 'The cluster goes into extended support when standard support ends.'],
  },
  {
    what: 'an Istio that is newer than the table',
    code: 'IST004',
    seen: istioAt('1.33.0'),
    says: ['unknown', 'Until when Istio 1.33.0 gets fixes is not known to this release of Belay.'],
    remediation: 'Look it up at istio.io, "Supported Releases".',
  },
  {
    what: 'an Istio whose end is no more than expected',
    code: 'IST004',
    seen: istioAt('1.31.2'),
    context: { now: '2027-05-01T00:00:00Z' },
    says: ['fail', '1 revision past the end of life.'],
    resources: ['Revision 1-27 (1.31.2, expected to end in 2027-04)'],
  },
  {
    what: 'a cluster autoscaler of the target’s minor',
    code: 'K8S047',
    seen: autoscaler('registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0'),
    says: ['pass', 'The cluster autoscaler is of 1.33.'],
  },
  {
    what: 'a cluster autoscaler of no version that can be read',
    code: 'K8S047',
    seen: autoscaler('registry.example.com/cluster-autoscaler@sha256:0a1b'),
    says: ['unknown', 'The image of shop/cluster-autoscaler does not say which version it is.'],
  },
  {
    what: 'controllers of versions for the target',
    code: 'K8S052',
    seen: controllers('quay.io/jetstack/cert-manager-controller:v1.18.2', 'reg.kyverno.io/kyverno/kyverno:v1.15.1'),
    says: ['pass', 'cert-manager, Kyverno: of versions that their makers support or test with 1.33.'],
  },
  {
    what: 'a controller that is newer than the table',
    code: 'K8S052',
    seen: controllers('ghcr.io/kedacore/keda:2.20.0'),
    says: ['pass', 'KEDA: of versions that their makers support or test with 1.33.'],
  },
  {
    what: 'a controller that is newer than the table, and a target that no older one was made for',
    code: 'K8S052',
    seen: controllers('ghcr.io/kedacore/keda:2.20.0'),
    context: { target: minor(36) },
    says: ['unknown', 'This release of Belay does not know whether KEDA 2.20.0 is supported or tested with 1.36.'],
  },
  {
    what: 'a controller of no version that can be read',
    code: 'K8S052',
    seen: controllers('registry.example.com/kyverno/kyverno@sha256:0a1b'),
    says: [
      'unknown',
      'This release of Belay does not know whether Kyverno (shop/controller-0), whose image does not say which version it is, is supported or tested with 1.33.',
    ],
  },
  {
    what: 'other images of the same makers',
    code: 'K8S052',
    seen: controllers('ghcr.io/kedacore/keda-metrics-apiserver:2.8.0', 'quay.io/jetstack/cert-manager-webhook:v1.2.0'),
    says: ['pass', 'None of these controllers runs.'],
  },
  ...(
    [
      ['EKS035', '1.32', { bound: [], anonymous: [anonymous()] }],
      ['K8S049', '1.35', { bound: [role({ rules: [execRule('get')] })], anonymous: [] }],
      ['K8S050', '1.36', { bound: [role({ rules: [claimRule('resourceclaims/status')] })], anonymous: [] }],
    ] satisfies [string, string, Shape<'roles'>][]
  ).map(
    ([code, version, roles]): Row => ({
      what: 'a right that an earlier minor has ended',
      code,
      seen: evidence({ roles }),
      context: { from: minor(36), target: minor(37), hops: [minor(37)] },
      says: ['pass', `API servers of ${version} and newer enforce this already: the upgrade changes nothing.`],
    }),
  ),
  ...(
    [
      ['in another rule', [execRule('get'), execRule('create')]],
      ['by a wildcard of verbs', [execRule('*')]],
      ['by a wildcard of resources', [execRule('get'), { ...execRule('create'), apiGroups: ['*'], resources: ['*'] }]],
      ['for every kind of the subresource', [execRule('get'), { ...execRule('create'), resources: ['*/exec'] }]],
      ['without get, which never was enough', [execRule('list')]],
    ] satisfies [string, RoleSeen['rules']][]
  ).map(
    ([what, rules]): Row => ({
      what: `a role that allows exec ${what}`,
      code: 'K8S049',
      seen: evidence({ roles: { bound: [role({ rules })], anonymous: [] } }),
      context: { target: minor(35) },
      says: ['pass', 'Every role that names exec, attach or port-forward with get also allows create.'],
    }),
  ),
  {
    what: 'create on everything of another API group',
    code: 'K8S049',
    seen: evidence({
      roles: { bound: [role({ rules: [execRule('get'), { apiGroups: ['apps'], resources: ['*'], verbs: ['create'] }] })], anonymous: [] },
    }),
    context: { target: minor(35) },
    says: ['fail', '1 role with get but not create: from 1.35 it no longer allows kubectl exec, attach or port-forward.'],
    resources: ['ClusterRole debugger (get without create on pods/exec)'],
  },
  ...(
    [
      ['names the part that it writes', role({ rules: [claimRule('resourceclaims/status'), claimRule('resourceclaims/driver')] })],
      ['may write everything', role({ rules: [claimRule('resourceclaims/status'), claimRule('*')] })],
      ['only reads', role({ rules: [{ ...claimRule('resourceclaims/status'), verbs: ['get'] }] })],
      ['is Kubernetes’ own', role({ name: 'system:kube-scheduler', rules: [claimRule('resourceclaims/status')] })],
    ] as const
  ).map(
    ([what, bound]): Row => ({
      what: `a role for ResourceClaims that ${what}`,
      code: 'K8S050',
      seen: evidence({ roles: { bound: [bound], anonymous: [] } }),
      context: { target: minor(36) },
      says: ['pass', 'No role writes ResourceClaim status without the rights that 1.36 adds.'],
    }),
  ),
  ...(
    [
      ['by pods with the same label', { seLinux: 's0:c1' }, { seLinux: 's0:c1' }, true],
      ['by pods without one', {}, {}, true],
      ['by nobody else now', { seLinux: 's0:c1' }, { seLinux: 's0:c2', replicas: 0 }, true],
      ['by pods of another namespace', { seLinux: 's0:c1' }, { seLinux: 's0:c2', namespace: 'bank' }, true],
      ['by pods whose driver mounts without one', { seLinux: 's0:c1' }, { seLinux: 's0:c2' }, false],
    ] as const
  ).map(
    ([what, one, other, seLinuxMount]): Row => ({
      what: `a volume shared ${what}`,
      code: 'K8S051',
      seen: evidence({
        csiDrivers: [{ name: 'ebs.csi.aws.com', seLinuxMount }],
        volumes: [
          { name: 'pv', claim: { namespace: 'shop', name: 'data' }, zones: [], accessModes: ['ReadWriteOnce'], driver: 'ebs.csi.aws.com' },
        ],
        workloads: [workload({ claims: ['data'], ...one }), workload({ name: 'other', claims: ['data'], ...other })],
      }),
      context: { target: minor(37) },
      says: ['pass', 'No volume that is mounted with an SELinux label is shared by pods with different ones.'],
    }),
  ),
  {
    what: 'addresses of objects that stay as they are',
    code: 'K8S048',
    seen: evidence({
      services: [service({ addressFaults: ['loadBalancerSourceRanges: bits beyond the prefix length'] })],
      networkPolicies: [{ namespace: 'shop', name: 'office', addressFaults: ['ipBlock.cidr: leading zeros'] }],
    }),
    context: { target: minor(36) },
    says: ['fail', '2 objects with an address that API servers of 1.36 reject: they stay, but cannot be created again.'],
    severity: 'recommended',
    resources: [
      'Service policy (loadBalancerSourceRanges: bits beyond the prefix length)',
      'NetworkPolicy office (ipBlock.cidr: leading zeros)',
    ],
    remediation: 'Correct the manifests at their source before they are applied to a new cluster or restored.',
  },
  {
    what: 'an insight that EKS cannot judge',
    code: 'EKS004',
    seen: insight({ status: 'UNKNOWN', reason: 'the audit log is off' }),
    says: ['unknown', 'Deprecated APIs: the audit log is off'],
  },
  {
    what: 'a minor whose end nobody knows',
    code: 'EKS017',
    seen: evidence(standard),
    context: { from: { major: 1, minor: 99 } },
    says: ['unknown', 'The upgrade policy is STANDARD, and when standard support ends is not known.'],
  },
  {
    what: 'an end that is more than two months away',
    code: 'EKS017',
    seen: evidence(standard),
    says: ['pass', 'EKS would upgrade the cluster by itself after 2026-12-01.'],
  },
  {
    what: 'kube-proxy of no version that can be read',
    code: 'K8S002',
    seen: evidence({ addOns: [addOn({ name: 'kube-proxy', version: 'latest' })] }),
    says: ['unknown', 'kube-proxy\'s version "latest" cannot be read.'],
  },
  {
    what: 'kube-proxy that the plan updates before the control plane is too far ahead',
    code: 'K8S002',
    seen: kubeProxy('v1.32.3-eksbuild.2'),
    context: { target: minor(36), hops: [33, 34, 35, 36].map(minor) },
    says: ['fail', 'kube-proxy v1.32.3-eksbuild.2 to be updated on the way: too far behind 1.36.'],
    severity: 'recommended',
    resources: ['AddOn kube-proxy (v1.32.3-eksbuild.2)'],
  },
  {
    what: 'kube-proxy that the next control plane would leave behind',
    code: 'K8S002',
    seen: kubeProxy('v1.29.10-eksbuild.3'),
    context: { target: minor(36), hops: [33, 34, 35, 36].map(minor) },
    says: ['fail', 'kube-proxy v1.29.10-eksbuild.3 is too far behind 1.33.'],
    severity: 'required',
    resources: ['AddOn kube-proxy (v1.29.10-eksbuild.3)'],
  },
  {
    what: 'a vpc-cni of which EKS lists nothing for the target yet',
    code: 'EKS026',
    seen: evidence({
      addOns: [
        addOn({
          name: 'vpc-cni',
          version: 'v1.19.0-eksbuild.1',
          offered: { '1.32': [{ version: 'v1.19.0-eksbuild.1', isDefault: true }] },
        }),
      ],
    }),
    says: ['unknown', 'EKS lists no default version of vpc-cni for 1.33: how far it moves cannot be seen.'],
  },
  { what: 'no vpc-cni', code: 'EKS026', seen: evidence({ addOns: [] }), says: ['pass', 'There is no vpc-cni to move.'] },
  {
    what: 'kube-proxy of no version that can be read',
    code: 'K8S043',
    seen: evidence({ addOns: [addOn({ name: 'kube-proxy', version: 'latest' })] }),
    says: ['unknown', 'kube-proxy\'s version "latest" cannot be read.'],
  },
  { what: 'no kube-proxy', code: 'K8S043', seen: evidence({ addOns: [] }), says: ['pass', 'kube-proxy is no add-on here.'] },
  {
    what: 'a job that a node waits for',
    code: 'K8S027',
    seen: job('2025-10-31T23:44:00Z'),
    says: ['fail', '1 job running for more than 15 minutes: a drain ends it, or waits for it.'],
    resources: ['Job batch (has run for 16 min)'],
  },
  {
    what: 'a job that has just begun',
    code: 'K8S027',
    seen: job('2025-10-31T23:50:00Z'),
    says: ['pass', 'Nothing takes longer to end than a node may take to drain.'],
  },
  {
    what: 'a job that its own deadline ends',
    code: 'K8S027',
    seen: job('2025-10-31T23:00:00Z', 3600),
    says: ['pass', 'Nothing takes longer to end than a node may take to drain.'],
  },
  {
    what: 'pods that may take longer to end than EKS waits for a node',
    code: 'K8S027',
    seen: evidence({ workloads: [workload({ terminationGracePeriodSeconds: 3_600 }), workload({ terminationGracePeriodSeconds: 900 })] }),
    says: [
      'fail',
      '1 workload whose pods may take more than 15 minutes to end: the update of its node group then fails (PodEvictionFailure).',
    ],
    resources: ['Deployment cart (may take 60 min to end)'],
    remediation: 'Lower terminationGracePeriodSeconds to 15 minutes, or move the pods off node groups before they are updated.',
  },
  {
    what: 'a budget whose pods have an owner without a scale',
    code: 'K8S018',
    seen: uncounted,
    says: ['fail', '1 disruption budget can never allow an eviction: nodes under its pods will not drain.'],
    resources: [`PodDisruptionBudget cart (${NO_SCALE})`],
    remediation: 'Set minAvailable to a whole number: for maxUnavailable or a percentage, every pod needs a controller with a scale.',
  },
  {
    what: 'a budget that can never let a pod go, and is not said twice',
    code: 'K8S003',
    seen: uncounted,
    says: ['pass', 'Every disruption budget that ever allows an eviction allows one now.'],
  },
  {
    what: 'a budget that has pods, which Kubernetes does not count',
    code: 'K8S019',
    seen: uncounted,
    says: ['pass', 'Every disruption budget protects pods.'],
  },
  {
    what: 'an API that is dropped, and one whose successor no table names',
    code: 'K8S015',
    seen: evidence({
      apiObjects: [
        { group: 'policy', version: 'v1beta1', kind: 'PodSecurityPolicy', from: 'last-applied', object: { name: 'restricted' } },
        { group: 'events.k8s.io', version: 'v1beta1', kind: 'Event', from: 'metrics' },
      ],
    }),
    says: ['fail', '2 uses of what the target does not serve: policy/v1beta1 PodSecurityPolicy, events.k8s.io/v1beta1 Event.'],
    resources: [
      'PodSecurityPolicy restricted (policy/v1beta1 PodSecurityPolicy, gone in 1.25; it has no replacement)',
      'Event called (events.k8s.io/v1beta1 Event, gone in 1.25; see the deprecation guide)',
    ],
  },
  {
    what: 'Karpenter by digest',
    code: 'KAR001',
    seen: karpenterAt('sha256:0'),
    says: ['unknown', 'Karpenter\'s version "sha256:0" cannot be read.'],
  },
  {
    what: 'a release of Karpenter that should not run',
    code: 'KAR001',
    seen: karpenterAt('1.8.4'),
    says: ['fail', 'Karpenter 1.8.4 should not run: it has a regression in topology spread constraints.'],
    resources: ['Deployment karpenter (1.8.4)'],
    remediation: 'Take a newer patch.',
  },
  {
    what: 'Karpenter that does for the first hop, and not for a later one',
    code: 'KAR001',
    seen: karpenterAt('1.2.1'),
    context: { from: minor(31), target: minor(34), hops: [32, 33, 34].map(minor) },
    says: ['fail', 'Karpenter 1.2.1 does not support 1.33, 1.34.'],
    resources: ['Deployment karpenter (1.2.1)'],
    remediation: 'Change to 1.6.0 or newer before the hop to 1.33; the plan asks for it.',
  },
  {
    what: 'Karpenter that does not do for the first hop',
    code: 'KAR001',
    seen: karpenterAt('1.2.1'),
    context: { from: minor(32), target: minor(33), hops: [minor(33)] },
    says: ['fail', 'Karpenter 1.2.1 does not support 1.33.'],
    resources: ['Deployment karpenter (1.2.1)'],
    remediation: 'Change to 1.5.0 or newer before the first hop; the plan asks for it.',
  },
  {
    what: 'Helm releases that nobody switched on: the permission alone would change nothing',
    code: 'K8S041',
    seen: { ...evidence({}), helmReleases: SWITCHED_OFF },
    says: ['unknown', 'Manifests of Helm releases could not be read: it needs an optional role, which is not switched on.'],
    remediation: 'Apply deploy/kubernetes-rbac-helm-releases.yaml, and set optionalRole: true for the cluster in belay.yaml.',
  },
  {
    what: 'CRDs of Karpenter that only the chart karpenter-crd of its version brings',
    code: 'KAR009',
    seen: evidence({ karpenter: karpenter({ version: '1.14.3' }), definitions: [definition({ labels: {} })] }),
    says: ['fail', '2 CRDs of another version than the controller, or missing.'],
    resources: [
      'CustomResourceDefinition nodeoverlays.karpenter.sh (missing, part of 1.7.0 and newer)',
      'CustomResourceDefinition capacitybuffers.autoscaling.x-k8s.io (missing, part of 1.14.0 and newer)',
    ],
  },
  {
    what: 'Karpenter newer than the table',
    code: 'KAR001',
    seen: karpenterAt('1.99.0'),
    says: ['unknown', 'Whether Karpenter 1.99.0 supports 1.32, 1.33 is not known to this release of Belay.'],
  },
  {
    what: 'Istio newer than the table',
    code: 'IST001',
    seen: evidence({ istio: istio({ revisions: [{ revision: '1-27', version: '1.99.0', namespace: 'istio-system', ready: true }] }) }),
    says: ['unknown', 'Whether Istio 1.99.0 supports 1.32, 1.33 is not known to this release of Belay.'],
  },
  {
    what: 'node agents by digest',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true }) }),
    says: ['unknown', 'Neither the version of istio-cni nor that of ztunnel can be read from its image.'],
  },
  {
    what: 'a node agent that is one minor behind',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true, cniVersion: '1.26.4' }) }),
    says: ['pass', 'istio-cni and ztunnel fit, or are not there.'],
  },
  {
    what: 'an istio-cni that is one minor ahead, as Istio allows',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true, cniVersion: '1.28.1' }) }),
    says: ['pass', 'istio-cni and ztunnel fit, or are not there.'],
  },
  {
    what: 'an istio-cni that is two minors ahead',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true, cniVersion: '1.29.1' }) }),
    says: ['fail', '1 DaemonSet too far from istiod.'],
    resources: ['DaemonSet istio-cni-node (1.29.1, istiod is 1.27.1)'],
  },
  {
    what: 'a ztunnel that is ahead',
    code: 'IST010',
    seen: evidence({ istio: istio({ hasCniOrZtunnel: true, ztunnelVersion: '1.28.1' }) }),
    says: ['fail', '1 DaemonSet too far from istiod.'],
    resources: ['DaemonSet ztunnel (1.28.1, istiod is 1.27.1)'],
  },
  {
    what: 'a gateway and a workload that choose what is not there',
    code: 'IST007',
    seen: evidence({
      istio: istio({
        lostGateways: [{ kind: 'Gateway', namespace: 'edge', name: 'public', label: 'istio.io/rev=1-20' }],
        ownChoice: [{ kind: 'Deployment', namespace: 'tools', name: 'cache', label: 'sidecar.istio.io/inject=true' }],
      }),
    }),
    says: ['fail', '1 gateway, 1 workload whose label selects no webhook.'],
    resources: ['Gateway public (istio.io/rev=1-20)', 'Deployment cache (sidecar.istio.io/inject=true)'],
  },
  {
    what: 'a workload that chooses a revision for every minor',
    code: 'IST015',
    seen: evidence({
      istio: istio({
        ownChoice: [{ kind: 'Deployment', namespace: 'tools', name: 'cache', label: 'istio.io/rev=1-27', revision: '1-27' }],
      }),
    }),
    says: ['pass', 'Their revisions support 1.32, 1.33.'],
  },
  {
    what: 'a workload that chooses a revision newer than the table',
    code: 'IST015',
    seen: evidence({
      istio: istio({
        revisions: [
          { revision: '1-27', version: '1.27.1', namespace: 'istio-system', ready: true },
          { revision: 'next', version: '1.99.0', namespace: 'istio-system', ready: true },
        ],
        ownChoice: [{ kind: 'Deployment', namespace: 'tools', name: 'cache', label: 'istio.io/rev=next', revision: 'next' }],
      }),
    }),
    says: ['unknown', 'Whether Istio 1.99.0, which 1 workload outside of all waves use, supports 1.32, 1.33 is not known.'],
  },
  {
    what: '@latest outside of production',
    code: 'KAR013',
    seen: evidence({
      karpenter: karpenter({ nodeClasses: karpenter().nodeClasses.map((each) => ({ ...each, aliases: ['al2023@latest'] })) }),
    }),
    context: { environment: 'staging' },
    says: ['pass', 'This is not production.'],
  },
  {
    what: 'a cluster of no environment',
    code: 'KAR013',
    seen: evidence(),
    context: { environment: undefined },
    says: ['pass', 'This is not production.'],
  },
  {
    what: 'no budgets: those of the CRD hold',
    code: 'KAR014',
    seen: budgets({ budgets: undefined }),
    says: ['pass', 'Every NodePool has a budget that limits drift and allows it.'],
  },
  {
    what: 'budgets for other reasons alone',
    code: 'KAR014',
    seen: budgets({ budgets: [{ nodes: '10%', reasons: ['Empty', 'Underutilized'] }] }),
    says: ['fail', '1 NodePool whose budgets never limit or never allow drift.'],
    resources: ['NodePool default (no budget counts for drift: every node may go at once)'],
  },
  ...(
    [
      ['1Pi', '1000Ti'],
      ['1e3', '990'],
      ['1E', '950P'],
      ['2Ei', '2Ei'],
      ['1k', '950000000u'],
    ] as const
  ).map(
    ([limit, used]): Row => ({
      what: `a limit of ${limit} that is almost used up`,
      code: 'KAR016',
      seen: limits({ resource: 'memory', limit, used }),
      says: ['fail', '1 NodePool at or near its limits.'],
      resources: [`NodePool default (${used} of ${limit} memory)`],
    }),
  ),
  ...(
    [
      ['Ubuntu, which boots by amiFamily AL2', ['ubuntu-eks/k8s_1.32/images/hvm-ssd/ubuntu-jammy-22.04-amd64'], 'pass'],
      ['Amazon Linux 2 by id', ['amazon-eks-node-1.32-v20250601'], 'fail'],
      ['Amazon Linux 2 of one’s own, beside Ubuntu', ['ubuntu-eks/k8s_1.32', 'ours-amzn2-hardened'], 'fail'],
      ['images whose names do not say it', ['golden-2025-06'], 'unknown'],
      ['no image that was found', [], 'unknown'],
    ] as const
  ).map(
    ([what, amiNames, status]): Row => ({
      what: `KAR012: ${what}`,
      code: 'KAR012',
      seen: al2Family({ pinned: true, amiNames: [...amiNames] }),
      says: [
        status,
        {
          pass: 'No EC2NodeClass is on Amazon Linux 2.',
          fail: '1 EC2NodeClass on Amazon Linux 2, which has no images from 1.33 on.',
          unknown: 'amiFamily AL2 with AMIs whose names do not say whether they are Amazon Linux 2 or Ubuntu: EC2NodeClass default.',
        }[status],
      ],
      ...(status === 'fail' ? { resources: ['EC2NodeClass default (amiFamily AL2)', 'NodePool default (EC2NodeClass default)'] } : {}),
    }),
  ),
  {
    what: 'amiFamily AL2 without terms, which chooses Amazon’s images',
    code: 'KAR012',
    seen: al2Family({ pinned: false, amiNames: [] }),
    says: ['fail', '1 EC2NodeClass on Amazon Linux 2, which has no images from 1.33 on.'],
    resources: ['EC2NodeClass default (amiFamily AL2)', 'NodePool default (EC2NodeClass default)'],
  },
  {
    what: 'a limit of 0, with which a pool has no nodes',
    code: 'KAR016',
    seen: limits({ resource: 'cpu', limit: '0', used: '0' }),
    says: ['pass', 'Every NodePool has room for replacements.'],
  },
  {
    what: 'a limit that is no quantity',
    code: 'KAR016',
    seen: limits({ resource: 'cpu', limit: '1e1.5', used: '8' }),
    says: ['unknown', 'These limits cannot be read as quantities: cpu of NodePool default, 8 of 1e1.5.'],
  },
  {
    what: 'a gateway whose istiod does not fit, beside namespaces whose istiod does',
    code: 'IST001',
    seen: evidence({
      istio: istio({
        revisions: [...istio().revisions, { revision: '1-25', version: '1.25.5', namespace: 'istio-system', ready: true }],
        gateways: [{ kind: 'Deployment', namespace: 'edge', name: 'in', by: 'own-label', selector: '1-25', revision: '1-25', replicas: 2 }],
      }),
    }),
    says: ['fail', 'Istio 1.25.5 (revision 1-25) does not support 1.33.'],
    resources: ['Revision 1-25 (1.25.5)'],
  },
  {
    what: 'CRDs that no release owns, where Helm has installed nothing',
    code: 'KAR018',
    seen: evidence({ karpenter: karpenter({ labels: {} }), definitions: [] }),
    says: ['pass', 'Karpenter was not installed by Helm.'],
  },
  ...(['helm', 'terraform', 'manual'] as const).map(
    (owner): Row => ({
      what: `marks of Helm, which may be ${owner}`,
      code: 'OWN004',
      seen: byHelm,
      context: { managedBy: { karpenter: owner } },
      says: ['pass', 'Nothing else has left its marks on Karpenter or Istio.'],
    }),
  ),
  {
    what: 'marks of Helm where Flux should be',
    code: 'OWN004',
    seen: byHelm,
    says: ['fail', '1 Deployment delivered otherwise than belay.yaml says.'],
    resources: ['Deployment karpenter (marked by helm, belay.yaml says flux)'],
  },
  {
    what: 'marks of Argo CD where there is no belay.yaml',
    code: 'OWN004',
    seen: evidence({ karpenter: karpenter({ deliveredBy: 'argocd' }) }),
    context: { managedBy: { karpenter: 'manual' }, withoutFile: true },
    says: ['fail', '1 Deployment whose owner a belay.yaml has to name.'],
    severity: 'recommended',
    resources: ['Deployment karpenter (marked by argocd: managedBy.karpenter)'],
  },
  {
    what: 'a chart of Flux where there is no belay.yaml',
    code: 'OWN001',
    seen: evidence({
      gitOps: [
        { kind: 'HelmRelease', namespace: 'flux-system', name: 'mesh', chart: 'istiod', version: '1.27.1', range: false, by: 'flux' },
      ],
    }),
    context: { withoutFile: true },
    says: ['fail', '1 object of GitOps to name in a belay.yaml.'],
    severity: 'recommended',
    resources: ['HelmRelease mesh (delivers istiod: managedBy.istio: flux)'],
  },
])('$code: $what', ({ code, seen, context = {}, says, severity, resources = [], remediation }) => {
  const found = CATALOGUE.filter((check) => check.code === code).flatMap((check) => runCheck(check, seen, { ...CONTEXT, ...context }));
  expect(found.map(({ status, message }) => [status, message])).toEqual([says]);
  if (severity !== undefined) expect(found.map((each) => each.severity)).toEqual([severity]);
  if (remediation !== undefined) expect(found.map((each) => each.remediation)).toEqual([remediation]);
  expect(found.flatMap((each) => each.resources.map(({ kind, name, note }) => `${kind} ${name} (${note})`))).toEqual(resources);
});
