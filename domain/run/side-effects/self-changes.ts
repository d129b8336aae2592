/** What EKS and Kubernetes are known to change by themselves while an update runs or a patch is applied: nobody is asked about these. */
import type { Path } from './paths.ts';
import { isWithin } from './paths.ts';

export interface SelfChange {
  path: readonly string[];
  /** Only where it was not there before: a value that was described already stays what it was. */
  appears?: true;
  /** Who changes it, and why that is no side effect. */
  why: string;
  source: string;
}

const EKS_API = 'EKS API reference';
const CONVENTIONS = 'kubernetes/community, sig-architecture/api-conventions.md';

const EKS_COMMON: readonly SelfChange[] = [
  { path: ['status'], why: 'where the update stands', source: EKS_API },
  { path: ['health'], why: 'what EKS finds wrong, which checks of its own tell', source: EKS_API },
  { path: ['modifiedAt'], why: 'when EKS last changed it', source: EKS_API },
  { path: ['tags', 'aws:*'], why: 'AWS alone may write tags that begin with aws:', source: 'AWS tagging best practices, system tags' },
];

/**
 * DescribeCluster has them for clusters at 1.31 or later, "including parameters you haven't customized and their default values": an upgrade to 1.31 makes
 * them appear. A value that was there before and is another one is told.
 */
const CONTROL_PLANE_COMPONENTS = ['kubeApiServerConfig', 'kubeSchedulerConfig', 'kubeControllerManagerConfig'].map(
  (member): SelfChange => ({
    path: [member],
    appears: true,
    why: 'EKS describes defaults from the version on that has the parameter',
    source: 'EKS user guide, control-plane-configuration',
  }),
);

/** Paths within what DescribeCluster, DescribeNodegroup and DescribeAddon answer, and within a launch template version's data. */
export const EKS_SELF_CHANGES = {
  cluster: [
    ...EKS_COMMON,
    ...CONTROL_PLANE_COMPONENTS,
    { path: ['platformVersion'], why: 'goes with the version, and up by itself', source: 'EKS user guide, platform-versions' },
  ],
  'node-group': [
    ...EKS_COMMON,
    { path: ['releaseVersion'], why: 'goes with the version', source: 'EKS API reference, UpdateNodegroupVersion' },
    {
      path: ['scalingConfig', 'desiredSize'],
      why: 'Cluster Autoscaler and people set it at any time',
      source: 'EKS API reference, NodegroupScalingConfig',
    },
    { path: ['resources'], why: "EKS's own Auto Scaling group and security group", source: 'EKS API reference, NodegroupResources' },
  ],
  'add-on': [...EKS_COMMON, { path: ['marketplaceInformation'], why: 'goes with the version', source: EKS_API }],
  'launch-template': [],
} as const satisfies Record<string, readonly SelfChange[]>;

const KUBERNETES_COMMON: readonly SelfChange[] = [
  { path: ['metadata', 'resourceVersion'], why: 'changes with each write', source: CONVENTIONS },
  { path: ['metadata', 'generation'], why: 'counts changes of the spec', source: CONVENTIONS },
  { path: ['metadata', 'managedFields'], why: 'says who has written what', source: 'kubernetes.io, Server-Side Apply' },
  { path: ['status'], why: "its controller's", source: CONVENTIONS },
];

const REPLICAS: SelfChange = {
  path: ['spec', 'replicas'],
  why: 'autoscalers set it at any time',
  source: 'kubernetes.io, Horizontal Pod Autoscaling',
};
const KARPENTER_HASHES = 'aws/karpenter-provider-aws and kubernetes-sigs/karpenter, the hash controllers';
const CONVERSION: SelfChange = {
  path: ['metadata', 'annotations', 'compatibility.karpenter.sh/*'],
  why: "Karpenter's conversion keeps in it what the other version has no field for",
  source: 'karpenter.sh, v1 migration',
};
const CA_BUNDLE: SelfChange = {
  path: ['webhooks', '*', 'clientConfig', 'caBundle'],
  why: 'istiod and certificate managers write it into their webhooks',
  source: 'istio/istio, pkg/webhooks/webhookpatch.go',
};

/** By the plural of a type. */
const KUBERNETES_SELF_CHANGES: Readonly<Record<string, readonly SelfChange[]>> = {
  deployments: [
    REPLICAS,
    {
      path: ['metadata', 'annotations', 'deployment.kubernetes.io/revision'],
      why: 'the Deployment controller counts its templates in it',
      source: 'kubernetes/kubernetes, pkg/controller/deployment/util',
    },
  ],
  statefulsets: [REPLICAS],
  replicasets: [REPLICAS],
  daemonsets: [
    {
      path: ['metadata', 'annotations', 'deprecated.daemonset.template.generation'],
      why: 'the API server counts templates in it',
      source: 'kubernetes/kubernetes, pkg/registry/apps/daemonset/strategy.go',
    },
  ],
  nodepools: [
    CONVERSION,
    { path: ['metadata', 'annotations', 'karpenter.sh/nodepool-hash*'], why: 'hash of its template', source: KARPENTER_HASHES },
  ],
  ec2nodeclasses: [
    CONVERSION,
    { path: ['metadata', 'annotations', 'karpenter.k8s.aws/ec2nodeclass-hash*'], why: 'hash of its spec', source: KARPENTER_HASHES },
  ],
  mutatingwebhookconfigurations: [CA_BUNDLE],
  validatingwebhookconfigurations: [CA_BUNDLE],
};

/**
 * Seen without their images, volumes and owners where a cluster has thousands of them: what is new in an answer may have been there before. What was
 * seen is compared.
 */
const SEEN_IN_PART: ReadonlySet<string> = new Set(['nodes', 'nodeclaims', 'pods']);

export type EksKind = keyof typeof EKS_SELF_CHANGES;

/** An EKS resource by its kind, or an object of Kubernetes by the plural of its type. */
export type ResourceKind = { eks: EksKind } | { plural: string };

export function selfChangesOf(kind: ResourceKind): readonly SelfChange[] {
  return 'eks' in kind ? EKS_SELF_CHANGES[kind.eks] : [...KUBERNETES_COMMON, ...(KUBERNETES_SELF_CHANGES[kind.plural] ?? [])];
}

export const isSeenInPart = (kind: ResourceKind): boolean => 'plural' in kind && SEEN_IN_PART.has(kind.plural);

/** `came`: there was nothing at the path before. */
export const isSelfChange = (kind: ResourceKind, path: Path, came: boolean): boolean =>
  selfChangesOf(kind).some((known) => (known.appears !== true || came) && isWithin(path, known.path));
