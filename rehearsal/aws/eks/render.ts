/** Wire shapes of EKS: state in, REST-JSON members out. Timestamps are epoch seconds. */
import { createHash } from 'node:crypto';
import type { EksAddOn, EksCapability, EksFargateProfile, EksNodeGroup, EksState, EksUpdate } from './state.ts';
import { patchOf } from './catalogue.ts';

/** Of the epoch. */
export const seconds = (epochMs: number): number => Math.round(epochMs) / 1000;

export const LOG_TYPES = ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'];

/** The same id for the same text in every run. */
export function uuidOf(text: string): string {
  const hex = createHash('sha1').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const arn = ({ cluster }: EksState, rest: string): string => `arn:aws:eks:${cluster.region}:${cluster.account}:${rest}`;
export const clusterArn = (eks: EksState): string => arn(eks, `cluster/${eks.cluster.name}`);
const partArn = (eks: EksState, kind: string, name: string): string =>
  arn(eks, `${kind}/${eks.cluster.name}/${name}/${uuidOf(`${eks.cluster.name}/${kind}/${name}`)}`);
export const addOnArn = (eks: EksState, name: string): string => partArn(eks, 'addon', name);

/** Of everything that can carry tags. */
export const taggableArns = (eks: EksState): string[] => [
  clusterArn(eks),
  ...eks.nodeGroups.map(({ name }) => partArn(eks, 'nodegroup', name)),
  ...eks.addOns.map(({ name }) => addOnArn(eks, name)),
  ...eks.fargateProfiles.map(({ name }) => partArn(eks, 'fargateprofile', name)),
  ...eks.capabilities.map(({ name }) => partArn(eks, 'capability', name)),
];

const withTags = (eks: EksState, of: string): { tags: Record<string, string> } => ({ tags: eks.tags[of] ?? {} });

export const autoScalingGroupOf = (eks: EksState, group: EksNodeGroup): string =>
  group.autoScalingGroup ?? `eks-${group.name}-${uuidOf(`${eks.cluster.name}/nodegroup/${group.name}`)}`;
export const nodeRoleOf = (eks: EksState, group: EksNodeGroup): string =>
  group.nodeRole ?? `arn:aws:iam::${eks.cluster.account}:role/eks-node-${eks.cluster.name}`;

export function renderCluster(eks: EksState): Record<string, unknown> {
  const { cluster } = eks;
  // Each cluster that is created has an issuer of its own, whatever its name.
  const oidc = uuidOf(`${cluster.name}/${cluster.createdAtMs}`).replaceAll('-', '').toUpperCase();
  const logs = [
    { types: LOG_TYPES.filter((type) => cluster.logging.includes(type)), enabled: true },
    { types: LOG_TYPES.filter((type) => !cluster.logging.includes(type)), enabled: false },
  ];
  return {
    name: cluster.name,
    arn: clusterArn(eks),
    createdAt: seconds(cluster.createdAtMs),
    version: cluster.version,
    endpoint: cluster.endpoint,
    roleArn: cluster.roleArn,
    resourcesVpcConfig: {
      subnetIds: cluster.subnetIds,
      securityGroupIds: cluster.securityGroupIds,
      clusterSecurityGroupId: cluster.clusterSecurityGroupId,
      vpcId: eks.network.vpcId,
      endpointPublicAccess: cluster.endpointPublicAccess,
      endpointPrivateAccess: cluster.endpointPrivateAccess,
      publicAccessCidrs: cluster.publicAccessCidrs,
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16', ipFamily: 'ipv4', elasticLoadBalancing: { enabled: cluster.autoMode } },
    logging: { clusterLogging: logs.filter(({ types }) => types.length > 0) },
    identity: { oidc: { issuer: `https://oidc.eks.${cluster.region}.amazonaws.com/id/${oidc}` } },
    status: cluster.status,
    certificateAuthority: { data: cluster.caData },
    platformVersion: cluster.platformVersion,
    ...withTags(eks, clusterArn(eks)),
    encryptionConfig: [{ resources: ['secrets'], provider: { keyArn: cluster.keyArn } }],
    health: { issues: cluster.health },
    ...(cluster.remoteNodeNetworks === undefined
      ? {}
      : { remoteNetworkConfig: { remoteNodeNetworks: [{ cidrs: cluster.remoteNodeNetworks }] } }),
    accessConfig: { authenticationMode: cluster.authenticationMode },
    upgradePolicy: { supportType: cluster.supportType },
    zonalShiftConfig: { enabled: cluster.zonalShift },
    computeConfig: cluster.autoMode ? { enabled: true, nodePools: ['general-purpose', 'system'] } : { enabled: false },
    storageConfig: { blockStorage: { enabled: cluster.autoMode } },
    deletionProtection: cluster.deletionProtection,
    controlPlaneScalingConfig: { tier: 'standard' },
  };
}

export function renderUpdate(update: EksUpdate): Record<string, unknown> {
  const { id, status, type, params, errors, cancellation } = update;
  return {
    id,
    status,
    type,
    params,
    createdAt: seconds(update.createdAtMs),
    errors,
    ...(cancellation === undefined ? {} : { cancellation }),
  };
}

export function renderNodeGroup(eks: EksState, group: EksNodeGroup): Record<string, unknown> {
  const { cluster } = eks;
  const groupArn = partArn(eks, 'nodegroup', group.name);
  return {
    nodegroupName: group.name,
    nodegroupArn: groupArn,
    clusterName: cluster.name,
    version: group.version,
    releaseVersion: group.releaseVersion,
    createdAt: seconds(group.createdAtMs),
    modifiedAt: seconds(group.modifiedAtMs ?? group.createdAtMs),
    status: group.status,
    capacityType: group.capacityType ?? 'ON_DEMAND',
    scalingConfig: { minSize: group.minSize, maxSize: group.maxSize, desiredSize: group.desiredSize },
    // With a launch template of one's own, the template says it.
    ...(group.launchTemplate === undefined ? { instanceTypes: group.instanceTypes ?? ['m6i.xlarge'], diskSize: 20 } : {}),
    subnets: group.subnetIds ?? cluster.subnetIds,
    amiType: group.amiType,
    nodeRole: nodeRoleOf(eks, group),
    labels: group.labels,
    taints: group.taints,
    resources: { autoScalingGroups: [{ name: autoScalingGroupOf(eks, group) }] },
    health: { issues: group.health },
    updateConfig: {
      ...(group.maxUnavailablePercentage === undefined
        ? { maxUnavailable: group.maxUnavailable ?? 1 }
        : { maxUnavailablePercentage: group.maxUnavailablePercentage }),
      ...(group.updateStrategy === undefined ? {} : { updateStrategy: group.updateStrategy }),
    },
    ...(group.nodeRepair === undefined ? {} : { nodeRepairConfig: group.nodeRepair }),
    ...(group.launchTemplate === undefined ? {} : { launchTemplate: group.launchTemplate }),
    ...withTags(eks, groupArn),
  };
}

export const associationArn = (eks: EksState, id: string): string => arn(eks, `podidentityassociation/${eks.cluster.name}/${id}`);
/** A new role for the same account is a new association. */
export const addOnAssociationId = (addOn: string, { serviceAccount, roleArn }: { serviceAccount: string; roleArn: string }): string =>
  `a-${uuidOf(`${addOn}/${serviceAccount}/${roleArn}`).replaceAll('-', '').slice(0, 17)}`;

export function renderAddOn(eks: EksState, addOn: EksAddOn): Record<string, unknown> {
  const { configurationValues, serviceAccountRoleArn, podIdentityAssociations } = addOn;
  return {
    addonName: addOn.name,
    clusterName: eks.cluster.name,
    status: addOn.status,
    addonVersion: addOn.version,
    health: { issues: addOn.health },
    addonArn: addOnArn(eks, addOn.name),
    createdAt: seconds(addOn.createdAtMs),
    modifiedAt: seconds(addOn.modifiedAtMs ?? addOn.createdAtMs),
    ...withTags(eks, addOnArn(eks, addOn.name)),
    owner: 'aws',
    publisher: 'eks',
    ...(configurationValues === undefined ? {} : { configurationValues }),
    ...(serviceAccountRoleArn === undefined ? {} : { serviceAccountRoleArn }),
    ...(podIdentityAssociations === undefined
      ? {}
      : { podIdentityAssociations: podIdentityAssociations.map((each) => associationArn(eks, addOnAssociationId(addOn.name, each))) }),
  };
}

export function renderFargateProfile(eks: EksState, profile: EksFargateProfile): Record<string, unknown> {
  const profileArn = partArn(eks, 'fargateprofile', profile.name);
  return {
    fargateProfileName: profile.name,
    fargateProfileArn: profileArn,
    clusterName: eks.cluster.name,
    createdAt: seconds(profile.createdAtMs),
    podExecutionRoleArn: profile.podExecutionRoleArn,
    subnets: profile.subnetIds,
    selectors: profile.selectors,
    status: profile.status,
    ...withTags(eks, profileArn),
    health: { issues: [] },
  };
}

export function renderCapabilitySummary(eks: EksState, capability: EksCapability): Record<string, unknown> {
  return {
    capabilityName: capability.name,
    arn: partArn(eks, 'capability', capability.name),
    type: capability.type,
    status: capability.status,
    version: capability.version,
    createdAt: seconds(capability.createdAtMs),
    modifiedAt: seconds(capability.createdAtMs),
  };
}

export function renderCapability(eks: EksState, capability: EksCapability): Record<string, unknown> {
  return {
    ...renderCapabilitySummary(eks, capability),
    clusterName: eks.cluster.name,
    roleArn: capability.roleArn,
    ...withTags(eks, partArn(eks, 'capability', capability.name)),
    health: { issues: [] },
    deletePropagationPolicy: 'RETAIN',
  };
}

export function renderVersion(offered: EksState['versions'][number], at: Date, isDefault: boolean): Record<string, unknown> {
  const day = at.toISOString().slice(0, 10);
  const support =
    day <= offered.endOfStandardSupport ? 'STANDARD_SUPPORT' : day <= offered.endOfExtendedSupport ? 'EXTENDED_SUPPORT' : 'UNSUPPORTED';
  return {
    clusterVersion: offered.version,
    clusterType: 'eks',
    defaultPlatformVersion: offered.platformVersion,
    defaultVersion: isDefault,
    releaseDate: seconds(Date.parse(offered.releaseDate)),
    endOfStandardSupportDate: seconds(Date.parse(offered.endOfStandardSupport)),
    endOfExtendedSupportDate: seconds(Date.parse(offered.endOfExtendedSupport)),
    status: support.toLowerCase().replace('_', '-'),
    versionStatus: support,
    kubernetesPatchVersion: patchOf(offered.version),
  };
}
