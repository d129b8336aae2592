/** Answers of EKS. Of what is not here nothing is kept but that it was asked. */
import { type AllowedCall, allowed as call, keep, under } from './types.ts';

/** Messages are EKS's own words, which a plan repeats. */
const HEALTH = under('health.issues[]', ['code', 'message', 'resourceIds[]']);
const LAUNCH_TEMPLATE = ['id', 'name', 'version'];
const VALUES_ARE_SECRET = 'keys of its configuration; values may be anything';

export const EKS: readonly AllowedCall[] = [
  call(
    'eks',
    'DescribeCluster',
    keep(
      'version, support and health',
      ...under('cluster', ['name', 'arn', 'id', 'createdAt', 'version', 'platformVersion', 'status', 'deletionProtection', ...HEALTH]),
      'cluster.upgradePolicy.supportType',
      'cluster.controlPlaneScalingConfig.tier',
    ),
    keep(
      'what an update needs: role, key, subnets, security groups',
      ...under('cluster', ['roleArn', 'encryptionConfig[].resources[]', 'encryptionConfig[].provider.keyArn']),
      ...under('cluster.resourcesVpcConfig', [
        'subnetIds[]',
        'securityGroupIds[]',
        'clusterSecurityGroupId',
        'vpcId',
        'endpointPublicAccess',
        'endpointPrivateAccess',
      ]),
    ),
    keep(
      'how people and nodes come in, and what EKS runs by itself',
      ...under('cluster', [
        'accessConfig.authenticationMode',
        'logging.clusterLogging[].types[]',
        'logging.clusterLogging[].enabled',
        'computeConfig.enabled',
        'computeConfig.nodePools[]',
        'computeConfig.nodeRoleArn',
        'storageConfig.blockStorage.enabled',
        'kubernetesNetworkConfig.ipFamily',
        'kubernetesNetworkConfig.elasticLoadBalancing.enabled',
        'zonalShiftConfig.enabled',
      ]),
    ),
  ),
  call(
    'eks',
    'DescribeClusterVersions',
    keep(
      'which versions there are, and until when',
      'nextToken',
      ...under('clusterVersions[]', [
        'clusterVersion',
        'clusterType',
        'defaultPlatformVersion',
        'defaultVersion',
        'releaseDate',
        'endOfStandardSupportDate',
        'endOfExtendedSupportDate',
        'status',
        'versionStatus',
        'kubernetesPatchVersion',
      ]),
    ),
  ),
  call('eks', 'ListNodegroups', keep('names', 'nextToken', 'nodegroups[]')),
  call(
    'eks',
    'DescribeNodegroup',
    keep(
      'version, image and health',
      ...under('nodegroup', [
        'nodegroupName',
        'nodegroupArn',
        'clusterName',
        'version',
        'releaseVersion',
        'createdAt',
        'modifiedAt',
        'status',
      ]),
      ...under('nodegroup', ['capacityType', 'instanceTypes[]', 'amiType', 'diskSize', 'nodeRole', ...HEALTH]),
      ...under('nodegroup.launchTemplate', LAUNCH_TEMPLATE),
    ),
    keep(
      'how many nodes, where, and how they are replaced',
      ...under('nodegroup', ['subnets[]', 'resources.autoScalingGroups[].name', 'nodeRepairConfig.enabled']),
      ...under('nodegroup.scalingConfig', ['minSize', 'maxSize', 'desiredSize']),
      ...under('nodegroup.updateConfig', ['maxUnavailable', 'maxUnavailablePercentage', 'updateStrategy']),
      ...under('nodegroup.taints[]', ['key', 'value', 'effect']),
      'nodegroup.labels.*',
    ),
  ),
  call('eks', 'ListFargateProfiles', keep('names', 'nextToken', 'fargateProfileNames[]')),
  call(
    'eks',
    'DescribeFargateProfile',
    keep(
      'which pods run on it',
      ...under('fargateProfile', ['fargateProfileName', 'fargateProfileArn', 'clusterName', 'createdAt', 'status', 'subnets[]']),
      ...under('fargateProfile.selectors[]', ['namespace', 'labels.*']),
    ),
  ),
  call('eks', 'ListAddons', keep('names', 'nextToken', 'addons[]')),
  call(
    'eks',
    'DescribeAddon',
    keep(
      'version and health',
      ...under('addon', [
        'addonName',
        'clusterName',
        'status',
        'addonVersion',
        'addonArn',
        'createdAt',
        'modifiedAt',
        'owner',
        'publisher',
        ...HEALTH,
      ]),
      ...under('addon', ['serviceAccountRoleArn', 'podIdentityAssociations[]', 'namespaceConfig.namespace']),
    ),
    keep(VALUES_ARE_SECRET, 'addon.configurationValues=keys'),
  ),
  call(
    'eks',
    'DescribeAddonVersions',
    keep(
      'which versions EKS offers for which minor',
      'nextToken',
      'addons[].addonName',
      'addons[].type',
      ...under('addons[].addonVersions[]', [
        'addonVersion',
        'computeTypes[]',
        'architecture[]',
        'requiresConfiguration',
        'requiresIamPermissions',
      ]),
      ...under('addons[].addonVersions[].compatibilities[]', ['clusterVersion', 'platformVersions[]', 'defaultVersion']),
    ),
  ),
  call(
    'eks',
    'DescribeAddonConfiguration',
    keep('which keys its configuration may have', 'addonName', 'addonVersion', 'configurationSchema=schema'),
  ),
  call('eks', 'ListUpdates', keep('ids', 'nextToken', 'updateIds[]')),
  call(
    'eks',
    'DescribeUpdate',
    keep('what runs, and what ran', ...under('update', ['id', 'status', 'type', 'createdAt', 'errors[].errorCode'])),
    // Parameters can hold configuration values and keys of encryption.
    keep('the version that it leads to', 'update.params=versions'),
  ),
  call(
    'eks',
    'ListInsights',
    keep(
      'what EKS has found',
      'nextToken',
      ...under('insights[]', ['id', 'name', 'category', 'kubernetesVersion', 'lastRefreshTime', 'lastTransitionTime']),
      ...under('insights[].insightStatus', ['status', 'reason']),
    ),
  ),
  call(
    'eks',
    'DescribeInsight',
    keep(
      'what EKS has found',
      ...under('insight', ['id', 'name', 'category', 'kubernetesVersion', 'lastRefreshTime', 'lastTransitionTime', 'recommendation']),
      ...under('insight.insightStatus', ['status', 'reason']),
      ...under('insight.resources[]', ['kubernetesResourceUri', 'arn', 'insightStatus.status']),
      ...under('insight.categorySpecificSummary.addonCompatibilityDetails[]', ['name', 'compatibleVersions[]']),
    ),
    keep(
      'who still calls which API',
      ...under('insight.categorySpecificSummary.deprecationDetails[]', [
        'usage',
        'replacedWith',
        'stopServingVersion',
        'startServingReplacementVersion',
      ]),
      ...under('insight.categorySpecificSummary.deprecationDetails[].clientStats[]', [
        'userAgent=agent',
        'numberOfRequestsLast30Days',
        'lastRequestTime',
      ]),
    ),
  ),
  call('eks', 'StartInsightsRefresh', keep('how far it is', 'status')),
  call('eks', 'DescribeInsightsRefresh', keep('how far it is', 'status', 'startedAt', 'endedAt')),
];
