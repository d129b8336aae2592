/** Wire shapes of EKS: state in, REST-JSON members out. Timestamps are epoch seconds. */
import type { EksAddOn, EksInsight, EksNodeGroup, EksState, EksUpdate } from './state.ts';
import { patchOf } from './catalogue.ts';

const seconds = (epochMs: number): number => Math.round(epochMs) / 1000;

export const clusterArn = (eks: EksState): string => `arn:aws:eks:${eks.cluster.region}:${eks.cluster.account}:cluster/${eks.cluster.name}`;

export function renderCluster(eks: EksState): Record<string, unknown> {
  const { cluster } = eks;
  const oidc = Buffer.from(cluster.name).toString('hex').toUpperCase().padEnd(32, '0').slice(0, 32);
  return {
    name: cluster.name,
    arn: clusterArn(eks),
    createdAt: seconds(cluster.createdAtMs),
    version: cluster.version,
    endpoint: cluster.endpoint,
    roleArn: `arn:aws:iam::${cluster.account}:role/eks-${cluster.name}`,
    resourcesVpcConfig: {
      subnetIds: ['subnet-0a11aa11aa11aa11a', 'subnet-0b22bb22bb22bb22b', 'subnet-0c33cc33cc33cc33c'],
      securityGroupIds: ['sg-0d44dd44dd44dd44d'],
      clusterSecurityGroupId: 'sg-0e55ee55ee55ee55e',
      vpcId: 'vpc-0f66ff66ff66ff66f',
      endpointPublicAccess: true,
      endpointPrivateAccess: true,
      publicAccessCidrs: ['0.0.0.0/0'],
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16', ipFamily: 'ipv4' },
    logging: { clusterLogging: [{ types: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'], enabled: false }] },
    identity: { oidc: { issuer: `https://oidc.eks.${cluster.region}.amazonaws.com/id/${oidc}` } },
    status: cluster.status,
    certificateAuthority: { data: cluster.caData },
    platformVersion: cluster.platformVersion,
    tags: {},
    health: { issues: cluster.health },
    accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    upgradePolicy: { supportType: cluster.supportType },
    computeConfig: { enabled: false },
    deletionProtection: false,
  };
}

export function renderUpdate(update: EksUpdate): Record<string, unknown> {
  return {
    id: update.id,
    status: update.status,
    type: update.type,
    params: update.params,
    createdAt: seconds(update.createdAtMs),
    errors: update.errors,
  };
}

export function renderNodeGroup(eks: EksState, group: EksNodeGroup): Record<string, unknown> {
  const { cluster } = eks;
  return {
    nodegroupName: group.name,
    nodegroupArn: `arn:aws:eks:${cluster.region}:${cluster.account}:nodegroup/${cluster.name}/${group.name}/2cc98f2a-0000-4000-8000-000000000000`,
    clusterName: cluster.name,
    version: group.version,
    releaseVersion: group.releaseVersion,
    createdAt: seconds(group.createdAtMs),
    modifiedAt: seconds(group.createdAtMs),
    status: group.status,
    capacityType: 'ON_DEMAND',
    scalingConfig: { minSize: group.minSize, maxSize: group.maxSize, desiredSize: group.desiredSize },
    instanceTypes: ['m6i.xlarge'],
    subnets: ['subnet-0a11aa11aa11aa11a', 'subnet-0b22bb22bb22bb22b', 'subnet-0c33cc33cc33cc33c'],
    amiType: group.amiType,
    nodeRole: `arn:aws:iam::${cluster.account}:role/eks-node-${cluster.name}`,
    labels: group.labels,
    taints: group.taints,
    resources: { autoScalingGroups: [{ name: `eks-${group.name}-2cc98f2a-0000-4000-8000-000000000000` }] },
    health: { issues: group.health },
    updateConfig:
      group.maxUnavailablePercentage === undefined
        ? { maxUnavailable: group.maxUnavailable ?? 1 }
        : { maxUnavailablePercentage: group.maxUnavailablePercentage },
    ...(group.launchTemplate === undefined ? {} : { launchTemplate: group.launchTemplate }),
    tags: {},
  };
}

export function renderAddOn(eks: EksState, addOn: EksAddOn): Record<string, unknown> {
  const { cluster } = eks;
  return {
    addonName: addOn.name,
    clusterName: cluster.name,
    status: addOn.status,
    addonVersion: addOn.version,
    health: { issues: addOn.health },
    addonArn: `arn:aws:eks:${cluster.region}:${cluster.account}:addon/${cluster.name}/${addOn.name}/5ec2a0f1-0000-4000-8000-000000000000`,
    createdAt: seconds(addOn.createdAtMs),
    modifiedAt: seconds(addOn.createdAtMs),
    tags: {},
    owner: 'aws',
    publisher: 'eks',
    ...(addOn.configurationValues === undefined ? {} : { configurationValues: addOn.configurationValues }),
  };
}

export function renderInsight(insight: EksInsight): Record<string, unknown> {
  return {
    id: insight.id,
    name: insight.name,
    category: insight.category,
    kubernetesVersion: insight.kubernetesVersion,
    lastRefreshTime: seconds(insight.lastRefreshMs),
    lastTransitionTime: seconds(insight.lastRefreshMs),
    description: insight.recommendation,
    insightStatus: { status: insight.status, reason: insight.reason },
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
