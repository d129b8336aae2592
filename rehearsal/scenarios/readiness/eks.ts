/** What is wrong with the EKS side of the scenario `readiness`: cluster, node groups, add-ons, an upgrade of days ago. */
import type { World } from '../../world/world.ts';
import { addAddOn, addNodeGroup } from '../parts/cluster-parts.ts';

const DAY_MS = 24 * 3_600_000;
/** From the scenario's build, six days before it begins. */
const HOP_ENDED_MS = 3 * DAY_MS;

export function plantEks(world: World): void {
  const { eks } = world;
  Object.assign(eks.cluster, {
    supportType: 'STANDARD',
    authenticationMode: 'CONFIG_MAP',
    health: [
      {
        code: 'KmsKeyMarkedForDeletion',
        message: 'The KMS key that encrypts the secrets of this cluster is pending deletion.',
        resourceIds: [eks.cluster.keyArn],
      },
    ],
  });
  const endedAtMs = world.clock.nowMs() + HOP_ENDED_MS;
  eks.updates.push({
    id: '5a1b2c3d-0000-4000-8000-000000000132',
    resource: { kind: 'cluster' },
    type: 'VersionUpdate',
    status: 'Successful',
    params: [{ type: 'Version', value: eks.cluster.version }],
    createdAtMs: endedAtMs - 600_000,
    endedAtMs,
    errors: [],
  });
  eks.fargateProfiles.push({
    name: 'never-created',
    status: 'CREATE_FAILED',
    podExecutionRoleArn: `arn:aws:iam::${eks.cluster.account}:role/fargate`,
    subnetIds: eks.cluster.subnetIds,
    selectors: [{ namespace: 'batch' }],
    createdAtMs: world.clock.nowMs(),
  });
  plantNodeGroups(world);
  plantAddOns(world);
}

function plantNodeGroups(world: World): void {
  addNodeGroup(world, { name: 'amazon-linux-2', size: 1, over: { amiType: 'AL2_x86_64' } });
  addNodeGroup(world, {
    name: 'launch-failures',
    size: 1,
    over: {
      status: 'DEGRADED',
      health: [
        { code: 'AsgInstanceLaunchFailures', message: 'Could not launch On-Demand Instances.', resourceIds: ['eks-launch-failures'] },
      ],
    },
  });
  world.eks.network.launchTemplates.push({
    id: 'lt-0aaaaaaaaaaaaaaa1',
    name: 'old-template',
    defaultVersion: 1,
    versions: [{ number: 1 }, { number: 2 }, { number: 3 }],
  });
  addNodeGroup(world, {
    name: 'old-template',
    size: 1,
    over: { launchTemplate: { id: 'lt-0aaaaaaaaaaaaaaa1', name: 'old-template', version: '1' } },
  });
}

function plantAddOns(world: World): void {
  const { addOns, addOnCatalogue } = world.eks;
  addAddOn(world, 'vpc-cni', 'v1.18.5-eksbuild.1');
  addAddOn(world, 'kube-proxy', 'v1.33.5-eksbuild.2');
  addAddOn(world, 'aws-ebs-csi-driver', 'v1.41.0-eksbuild.1');
  // Its workload stays: somebody else's manifest from now on.
  addAddOn(world, 'coredns', 'v1.11.4-eksbuild.2');
  world.eks.addOns = addOns.filter(({ name }) => name !== 'coredns');
  // No version for both 1.32 and 1.33.
  const offered = (version: string, ...minors: string[]) => ({ version, minors, defaultFor: minors });
  addOnCatalogue['adot'] = [offered('v0.109.0-eksbuild.2', '1.33', '1.34', '1.35'), offered('v0.102.1-eksbuild.1', '1.32')];
  addAddOn(world, 'adot', 'v0.102.1-eksbuild.1');
  plantEdit(world);
  for (const addOn of world.eks.addOns) {
    if (addOn.name === 'vpc-cni') addOn.configurationValues = '{"env":{"ENABLE_PREFIX_DELEGATION":"true"},"eniConfigLabelDef":"zone"}';
    if (addOn.name === 'aws-ebs-csi-driver') {
      addOn.status = 'DEGRADED';
      addOn.health = [
        { code: 'InsufficientNumberOfReplicas', message: 'The add-on is unhealthy because it has no ready replicas.', resourceIds: [] },
      ];
    }
  }
}

/** Somebody has changed by hand what EKS applies. */
function plantEdit(world: World): void {
  const owns = (manager: string, operation: 'Apply' | 'Update', field: string) => ({
    manager,
    operation,
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { [field]: {} } },
  });
  world.store.update('deployments', 'ebs-csi-controller', 'kube-system', ({ metadata }) => {
    metadata.managedFields = [owns('eks', 'Apply', 'f:replicas'), owns('kubectl-edit', 'Update', 'f:strategy')];
  });
}
