/** A cluster made for throwing away, with something of every kind that checks look at or change. */
import { addAddOn } from '../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addApplication } from '../../rehearsal/scenarios/parts/delivery-parts.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import type { World } from '../../rehearsal/world/world.ts';

const base = findScenario('karpenter-flux');
const HOUR_MS = 3_600_000;

export const DISPOSABLE: Scenario = {
  ...base,
  name: 'disposable',
  title: 'A cluster made for throwing away',
  environment: 'development',
  cluster: { ...base.cluster, name: 'disposable' },
  build(world) {
    base.build(world);
    addAddOn(world, 'vpc-cni', 'v1.19.2-eksbuild.5', 'disposable-vpc-cni');
    addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
    const [cni, dns] = ['vpc-cni', 'coredns'].map((name) => world.eks.addOns.find((addOn) => addOn.name === name));
    Object.assign(dns ?? {}, { configurationValues: '{"replicaCount":2}' });
    const roleArn = `arn:aws:iam::${world.eks.cluster.account}:role/disposable-cni-pods`;
    Object.assign(cni ?? {}, { podIdentityAssociations: [{ serviceAccount: 'aws-node', roleArn }] });
    addApplication(world, { name: 'docs', chart: 'docs', version: '1.0.0' });
    addPast(world);
    addCustomGroup(world);
    declareBudgets(world);
  },
};

/** An update that failed, and a client that asked for a deprecated API. */
function addPast({ eks, clock }: World): void {
  const agoMs = clock.nowMs() - HOUR_MS;
  eks.updates.push({
    id: 'f0a11ed0-0000-4000-8000-000000000001',
    resource: { kind: 'add-on', name: 'coredns' },
    type: 'AddonUpdate',
    status: 'Failed',
    params: [{ type: 'AddonVersion', value: 'v1.11.3-eksbuild.1' }],
    createdAtMs: agoMs,
    endedAtMs: agoMs + 60_000,
    errors: [{ errorCode: 'ConfigurationConflict', errorMessage: 'Conflicts found when trying to apply.', resourceIds: ['coredns'] }],
  });
  eks.deprecatedCalls.push({
    path: '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas',
    userAgent: 'kube-state-metrics/v2.0',
    atMs: agoMs,
  });
}

/** A node group without nodes whose launch template names its AMI. */
function addCustomGroup({ eks }: World): void {
  eks.nodeGroups.push({
    name: 'own-image',
    version: eks.cluster.version,
    releaseVersion: 'ami-0123456789abcdef0',
    amiType: 'CUSTOM',
    status: 'ACTIVE',
    desiredSize: 0,
    minSize: 0,
    maxSize: 1,
    maxUnavailable: 1,
    labels: {},
    taints: [],
    health: [],
    createdAtMs: eks.cluster.createdAtMs,
    launchTemplate: { id: 'lt-0123456789abcdef0', name: 'own-image', version: '1' },
  });
}

/** Budgets as the CRD of Karpenter 1 declares them: pkg/apis/crds/karpenter.sh_nodepools.yaml. */
function declareBudgets({ store }: World): void {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const reasons = { type: 'array', items: { type: 'string', enum: ['Underutilized', 'Empty', 'Drifted'] } };
  const budget = { ...open, properties: { nodes: { type: 'string', default: '10%' }, reasons } };
  const budgets = { type: 'array', default: [{ nodes: '10%' }], items: budget };
  const disruption = { ...open, properties: { budgets } };
  const openAPIV3Schema = { ...open, properties: { spec: { ...open, properties: { disruption } } } };
  store.update('customresourcedefinitions', 'nodepools.karpenter.sh', undefined, ({ spec }) => {
    for (const version of spec.versions) if (version.name === 'v1') version.schema = { openAPIV3Schema };
  });
}
