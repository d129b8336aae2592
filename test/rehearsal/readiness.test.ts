/** Readiness on whole worlds, over HTTP with the real clients: every check finds its planted fault by name, and nothing on a healthy cluster. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import type { CheckFinding } from '../../domain/readiness/model/check.ts';
import { nameOf } from '../../domain/readiness/model/names.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { checkScenario } from '../support/readiness-twin.ts';

type Names = readonly string[] | ((world: World) => string[]);

interface Planted {
  /** Where it is, and on the way to where. Default: readiness to 1.35. */
  on?: keyof typeof RUNS;
  /** Everything that the check names there. */
  resources?: Names;
  /** Where there is nothing to name. */
  message?: string;
}

const RUNS = {
  'readiness 1.35': ['readiness', '1.35'],
  'readiness 1.36': ['readiness', '1.36'],
  'readiness 1.38': ['readiness', '1.38'],
  'readiness-old 1.31': ['readiness-old', '1.31'],
  'readiness-old 1.32': ['readiness-old', '1.32'],
} as const;

const podsWith =
  (...labels: Record<string, string>[]) =>
  ({ store }: World): string[] =>
    labels.flatMap((own) => store.list('pods', { labels: own })).map(({ metadata }) => `Pod ${metadata.namespace}/${metadata.name}`);
type NodeInfo = Record<'containerRuntimeVersion' | 'kubeletVersion' | 'osImage', string>;
/** As a finding names them: "Node ip-…". */
const nodesWhere =
  (holds: (info: NodeInfo) => boolean, as = 'Node ') =>
  ({ store }: World): string[] =>
    store
      .list('nodes')
      .filter(({ status }) => holds(status.nodeInfo))
      .map(({ metadata }) => `${as}${metadata.name}`);
const claimsOf = (pool: string) => (world: World) =>
  world.store.list('nodeclaims', { labels: { 'karpenter.sh/nodepool': pool } }).map(({ metadata }) => `NodeClaim ${metadata.name}`);

/** Each row says all that is found: what is not planted is not found. */
const PLANTED: Record<string, Planted | readonly Planted[]> = {
  EKS001: { resources: ['KmsKeyMarkedForDeletion arn:aws:kms:eu-west-1:111122223333:key/7c1f3b52-0000-4000-8000-00000000e4c5'] },
  EKS002: { on: 'readiness-old 1.32', resources: ['VersionUpdate 5a1b2c3d-0000-4000-8000-000000000131'] },
  EKS004: {
    on: 'readiness-old 1.32',
    resources: ['Object /apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas', 'Client repaired-client/1.2', 'AddOn kube-proxy'],
  },
  EKS007: { on: 'readiness 1.36', message: 'EKS does not offer 1.36; it offers 1.35, 1.34, 1.33, 1.32, 1.31, 1.30, 1.29.' },
  EKS008: {
    on: 'readiness-old 1.32',
    message: 'Standard support of 1.32 ends on 2026-03-23, in 41 days: staying then costs about $365 a month more for the cluster.',
  },
  EKS009: { resources: ['NodeGroup launch-failures'] },
  EKS010: { resources: ['NodeGroup amazon-linux-2'] },
  EKS011: { resources: ['AddOn adot'] },
  EKS012: { resources: ['AddOn aws-ebs-csi-driver'] },
  EKS016: {
    message: 'Standard support of 1.32 ends on 2026-03-23, in 41 days: then EKS upgrades the control plane by itself.',
  },
  EKS017: { message: 'The upgrade policy is STANDARD: EKS upgrades the control plane by itself after 2026-03-23.' },
  EKS018: { resources: ['Object /api/v1/nodes/mi-0a1b2c3d4e5f60718'] },
  EKS019: {
    resources: (world) => [
      ...nodesWhere(({ kubeletVersion }) => kubeletVersion.startsWith('v1.32.'), 'Object /api/v1/nodes/')(world),
      'AddOn adot',
      'AddOn kube-proxy',
    ],
  },
  EKS020: { on: 'readiness-old 1.32', resources: ['Insight Deprecated APIs removed in Kubernetes v1.32'] },
  EKS021: { message: 'Control-plane logging is off for api and audit.' },
  EKS022: { message: 'The authentication mode is CONFIG_MAP: whoever breaks aws-auth locks everybody out.' },
  EKS023: { resources: ['NodeGroup old-template'] },
  EKS024: { resources: ['AutoScalingGroup self-managed-gpu'] },
  EKS025: {
    resources: [
      'Node fargate-ip-10-0-99-32.eu-west-1.compute.internal',
      'Node ip-10-0-99-31.eu-west-1.compute.internal',
      'Node mi-0a1b2c3d4e5f60718',
    ],
  },
  EKS026: { resources: ['AddOn vpc-cni'] },
  EKS027: { resources: ['AddOn coredns'] },
  EKS028: { resources: ['AddOn vpc-cni'] },
  EKS029: { resources: ['AddOn vpc-cni'] },
  EKS030: { resources: ['FargateProfile never-created'] },
  EKS031: { resources: ['AddOn adot', 'AddOn aws-ebs-csi-driver', 'AddOn coredns', 'AddOn vpc-cni'] },
  EKS032: { resources: ['AddOn aws-ebs-csi-driver'] },
  EKS033: { resources: ['Deployment kube-system/ebs-csi-controller'] },
  EKS035: { on: 'readiness-old 1.32', resources: ['ClusterRoleBinding everybody-views'] },
  EKS034: {
    on: 'readiness 1.38',
    message: 'This release of Belay knows Kubernetes up to 1.37: what 1.38 removes and changes is not checked.',
  },
  AWS001: { resources: ['Subnet subnet-0a11aa11aa11aa11a', 'Subnet subnet-0b22bb22bb22bb22b', 'Subnet subnet-0c33cc33cc33cc33c'] },
  AWS002: { resources: ['Subnet subnet-0node0node0node01', 'Subnet subnet-0node0node0node02'] },
  AWS003: { resources: ['Subnet subnet-0pods0pods0pods01'] },
  AWS004: { resources: ['SecurityGroup sg-0deleted0deleted1'] },
  AWS005: { resources: ['IAMRole eks-readiness'] },
  AWS006: { resources: ['KMSKey arn:aws:kms:eu-west-1:111122223333:key/7c1f3b52-0000-4000-8000-00000000e4c5'] },
  AWS007: { resources: ['Quota L-1216C47A'] },
  AWS008: { resources: ['Quota L-D18FCD1D'] },
  AWS009: { resources: ['Quota L-7A658B76'] },
  AWS010: { resources: ['Quota L-DB2E81BA'] },
  K8S001: { resources: ['Node ip-10-0-99-31.eu-west-1.compute.internal'] },
  K8S002: { resources: ['AddOn kube-proxy'] },
  K8S003: { resources: ['PodDisruptionBudget istio-system/istiod-1-30', 'PodDisruptionBudget plants/crash-looping'] },
  K8S011: {
    resources: [
      'MutatingWebhookConfiguration istio-sidecar-injector-1-24',
      'MutatingWebhookConfiguration istio-sidecar-injector-1-30',
      'ValidatingWebhookConfiguration nobody-behind',
    ],
  },
  K8S012: { resources: ['Deployment edge/lone-gateway', 'Deployment istio-system/istiod-1-26', 'Deployment plants/one-replica'] },
  K8S013: { resources: podsWith({ app: 'two-budgets' }) },
  K8S014: { resources: ['Deployment plants/cluster-autoscaler'] },
  // By the API server's count, and by what objects say of their writers.
  K8S015: [
    { on: 'readiness-old 1.32', resources: ['FlowSchema called'] },
    { resources: ['HorizontalPodAutoscaler plants/applied-as-v2beta2', 'HorizontalPodAutoscaler plants/of-an-old-operator'] },
  ],
  K8S016: { on: 'readiness-old 1.31', resources: ['FlowSchema called'] },
  K8S017: { resources: ['Deployment plants/no-budget'] },
  K8S018: { resources: ['PodDisruptionBudget istio-system/istiod-1-26', 'PodDisruptionBudget plants/never-lets'] },
  K8S019: { resources: ['PodDisruptionBudget plants/without-pods'] },
  K8S020: { resources: ['Deployment plants/not-spread'] },
  K8S021: { resources: ['Deployment plants/no-probe'] },
  K8S022: { resources: ['StatefulSet plants/no-grace'] },
  K8S023: { resources: ['Deployment plants/no-min-ready'] },
  K8S024: { resources: ['DaemonSet plants/docker-socket'] },
  K8S025: { resources: ['Pod plants/naked'] },
  K8S026: { resources: podsWith({ app: 'do-not-disrupt' }) },
  K8S027: { resources: ['Job plants/long-job'] },
  K8S028: { resources: ['PersistentVolumeClaim plants/far-away'] },
  K8S029: { resources: ['Deployment plants/shared-disk'] },
  K8S030: { resources: ['APIService v1beta1.custom.metrics.k8s.io'] },
  K8S031: { resources: ['CustomResourceDefinition certificates.cert-manager.io'] },
  K8S032: { resources: ['Endpoints plants/written-endpoints'] },
  K8S033: { resources: ['Deployment plants/apparmor'] },
  K8S034: { resources: nodesWhere(({ osImage }) => osImage === 'Amazon Linux 2') },
  K8S035: { resources: ['Deployment plants/ingress-nginx'] },
  K8S036: { resources: podsWith({ 'istio.io/rev': '1-30' }, { app: 'crash-looping' }) },
  K8S037: { message: 'kube-proxy is in mode ipvs.' },
  K8S038: { resources: nodesWhere(({ containerRuntimeVersion }) => containerRuntimeVersion.startsWith('containerd://1.')) },
  K8S039: { resources: ['Deployment plants/git-volume'] },
  K8S040: { on: 'readiness 1.36', resources: ['Service plants/external-address'] },
  K8S041: { resources: ['HorizontalPodAutoscaler plants/of-an-old-chart'] },
  K8S042: { resources: ['Node ip-10-0-99-31.eu-west-1.compute.internal'] },
  K8S043: { on: 'readiness-old 1.32', resources: ['AddOn kube-proxy'] },
  K8S044: { resources: ['Deployment plants/killed-at-once'] },
  K8S045: { resources: ['CustomResourceDefinition schedules.backup.example.com'] },
  K8S046: { resources: ['PersistentVolumeClaim plants/scratch'] },
  K8S047: { resources: ['Deployment plants/cluster-autoscaler'] },
  K8S052: { resources: ['Deployment plants/cert-manager'] },
  K8S048: {
    on: 'readiness 1.36',
    resources: ['Deployment plants/zeros-in-address', 'Service plants/external-address', 'NetworkPolicy plants/from-office'],
  },
  K8S049: { resources: ['Role plants/looks-into-pods'] },
  K8S051: { on: 'readiness 1.36', resources: ['PersistentVolumeClaim plants/two-labels'] },
  K8S050: { on: 'readiness 1.36', resources: ['ClusterRole gpu-scheduler'] },
  KAR001: { resources: ['Deployment kube-system/karpenter'] },
  KAR002: { resources: ['EC2NodeClass no-such-release'] },
  KAR003: { resources: claimsOf('expires-soon') },
  KAR008: { resources: ['Provisioner left-over'] },
  KAR009: { resources: ['CustomResourceDefinition nodepools.karpenter.sh'] },
  KAR010: { resources: ['CustomResourceDefinition nodeclaims.karpenter.sh'] },
  KAR011: { resources: ['EC2NodeClass fixed-image'] },
  KAR012: { resources: ['EC2NodeClass amazon-linux-2'] },
  KAR013: { resources: ['EC2NodeClass newest-image'] },
  KAR014: { resources: ['NodePool frozen-for-good', 'NodePool no-limit'] },
  KAR015: { resources: ['EC2NodeClass amazon-linux-2', 'EC2NodeClass default', 'EC2NodeClass no-such-release'] },
  KAR016: { resources: ['NodePool full'] },
  KAR017: {
    message:
      'Karpenter 1.5.6 → 1.9.0: 1.6: open capacity reservations are used only with capacityReservationSelectorTerms; 1.7: the controller’s role needs iam:ListInstanceProfiles.',
  },
  KAR018: { resources: ['CustomResourceDefinition ec2nodeclasses.karpenter.k8s.aws'] },
  IST001: { resources: ['Revision istio-system/1-26'] },
  IST002: { resources: ['Revision istio-system/1-30'] },
  IST004: { resources: ['Revision 1-26'] },
  IST005: { resources: podsWith({ app: 'not-restarted' }) },
  IST006: { resources: ['Namespace both-labels'] },
  IST007: { resources: ['Namespace both-labels', 'Namespace mistyped', 'Deployment edge/lost-gateway', 'Deployment unlabelled/lost'] },
  IST008: { resources: ['MutatingWebhookConfiguration istio-sidecar-injector-1-24'] },
  IST009: { resources: ['Deployment istio-system/istiod-1-26'] },
  IST010: { resources: ['DaemonSet ztunnel'] },
  IST011: { resources: ['Deployment edge/lone-gateway'] },
  IST012: { resources: ['HTTPRoute edge/bound-route'] },
  IST013: { resources: ['CustomResourceDefinition referencegrants.gateway.networking.k8s.io'] },
  IST014: { resources: ['EnvoyFilter edge/for-old-proxies'] },
  IST015: { resources: ['Deployment unlabelled/own-choice'] },
  IST016: { resources: ['DaemonSet istio-system/ztunnel'] },
  OWN001: { resources: ['Application argocd/mesh'] },
  OWN002: { resources: ['HelmRelease flux-system/any-version'] },
  OWN003: { resources: ['Deployment plants/belay-worker'] },
  OWN004: { resources: ['Deployment kube-system/karpenter'] },
};

test('every check has a fault in a scenario: plant it in rehearsal/scenarios/readiness, and add its row here', () => {
  const codes = CATALOGUE.map(({ code }) => code);
  const rows = Object.keys(PLANTED);
  expect({ withoutRow: codes.filter((code) => !rows.includes(code)), withoutCheck: rows.filter((row) => !codes.includes(row)) }).toEqual({
    withoutRow: [],
    withoutCheck: [],
  });
});

describe('one fault for each check', () => {
  const findings = new Map<string, { world: World; found: CheckFinding[] }>();

  beforeAll(async () => {
    for (const [name, runs] of Map.groupBy(Object.entries(RUNS), ([, [scenario]]) => scenario)) {
      const targets = runs.map(([, [, target]]) => target);
      const { world, reports } = await checkScenario(name, targets);
      runs.forEach(([run], index) => findings.set(run, { world, found: reports[index]?.findings ?? [] }));
    }
  });

  const rows = Object.entries(PLANTED).flatMap(([code, planted]) => [planted].flat().map((each) => [code, each] as const));
  test.each(rows)('%s', (code, { on = 'readiness 1.35', resources, message }) => {
    const run = findings.get(on);
    if (run === undefined) throw new Error(`${on} was not checked`);
    const own = run.found.filter((finding) => finding.code === code && finding.status === 'fail');
    if (message !== undefined) return expect(own.map((finding) => finding.message)).toEqual([message]);
    const wanted = typeof resources === 'function' ? resources(run.world) : resources;
    const named = own.flatMap((finding) => finding.resources).map((resource) => `${resource.kind} ${nameOf(resource)}`);
    expect(named).not.toEqual([]);
    expect([...new Set(named)].toSorted()).toEqual(wanted?.toSorted());
  });

  test('on the way to a minor that EKS offers, everything can be seen', () => {
    const unknown = [...findings].flatMap(([run, { world, found }]) =>
      world.eks.versions.every(({ version }) => !run.endsWith(version))
        ? []
        : found.filter(({ status }) => status === 'unknown').map(({ code, message }) => `${run}: ${code} ${message}`),
    );
    expect(unknown).toEqual([]);
  });
});

test('on a cluster that is ready nothing is found, and nothing is unknown', async () => {
  const { reports } = await checkScenario('ready', ['1.34']);
  const findings = reports.flatMap((report) => report.findings);
  expect(findings.filter(({ status }) => status !== 'pass').map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  expect(findings.length).toBeGreaterThanOrEqual(CATALOGUE.length);
});
