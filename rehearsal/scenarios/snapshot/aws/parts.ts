/** Node groups, add-ons, Fargate profiles and insights of a recorded cluster. */
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { EksAddOn, EksFargateProfile, EksInsight, EksNodeGroup, EksState } from '../../../aws/eks/state.ts';
import { each, type Fields, map, number, record, records, text, texts, time } from './calls.ts';
import { healthOf, stated } from './cluster.ts';

export function fillParts(eks: EksState, snapshot: Snapshot): void {
  const takenAtMs = Date.parse(snapshot.header.takenAt);
  eks.nodeGroups = each(snapshot, 'DescribeNodegroup', 'nodegroup').map((found) => nodeGroupOf(found, eks, takenAtMs));
  eks.addOns = each(snapshot, 'DescribeAddon', 'addon').map((found) => addOnOf(found, takenAtMs));
  eks.fargateProfiles = each(snapshot, 'DescribeFargateProfile', 'fargateProfile').map((found) => profileOf(found, eks, takenAtMs));
  eks.insights = each(snapshot, 'DescribeInsight', 'insight').map((found) => insightOf(found, takenAtMs));
  eks.deprecatedCalls = eks.insights.flatMap(({ deprecations = [] }) =>
    deprecations.flatMap(({ usage, clientStats }) =>
      clientStats.map(({ userAgent, lastRequestMs }) => ({ path: usage, userAgent, atMs: lastRequestMs })),
    ),
  );
}

function nodeGroupOf(found: Fields, { cluster }: EksState, takenAtMs: number): EksNodeGroup {
  const sizes = record(found['scalingConfig']);
  const update = record(found['updateConfig']);
  const desiredSize = number(sizes['desiredSize']) ?? 0;
  const optional = stated({
    maxUnavailable: number(update['maxUnavailable']),
    maxUnavailablePercentage: number(update['maxUnavailablePercentage']),
    updateStrategy: update['updateStrategy'] === 'MINIMAL' ? 'MINIMAL' : undefined,
    capacityType: text(found['capacityType']),
    instanceTypes: texts(found['instanceTypes']).length > 0 ? texts(found['instanceTypes']) : undefined,
    subnetIds: texts(found['subnets']).length > 0 ? texts(found['subnets']) : undefined,
    nodeRole: text(found['nodeRole']),
    launchTemplate: templateOf(found['launchTemplate']),
    autoScalingGroup: text(records(record(found['resources'])['autoScalingGroups'])[0]?.['name']),
    modifiedAtMs: time(found['modifiedAt']),
  });
  return {
    name: text(found['nodegroupName']) ?? 'unnamed',
    version: text(found['version']) ?? cluster.version,
    releaseVersion: text(found['releaseVersion']) ?? '',
    amiType: text(found['amiType']) ?? 'AL2023_x86_64_STANDARD',
    status: text(found['status']) ?? 'ACTIVE',
    desiredSize,
    minSize: number(sizes['minSize']) ?? 0,
    maxSize: number(sizes['maxSize']) ?? desiredSize,
    labels: map(found['labels']),
    taints: records(found['taints']).map(({ key, value, effect }) => ({
      key: text(key) ?? '',
      ...(text(value) === undefined ? {} : { value: text(value) }),
      effect: text(effect) ?? 'NO_SCHEDULE',
    })),
    health: healthOf(found),
    createdAtMs: time(found['createdAt']) ?? takenAtMs,
    ...optional,
  };
}

function templateOf(value: unknown): EksNodeGroup['launchTemplate'] {
  const found = stated({ id: text(record(value)['id']), name: text(record(value)['name']), version: text(record(value)['version']) });
  return Object.keys(found).length === 0 ? undefined : found;
}

function addOnOf(found: Fields, takenAtMs: number): EksAddOn {
  return {
    name: text(found['addonName']) ?? 'unnamed',
    version: text(found['addonVersion']) ?? '',
    status: text(found['status']) ?? 'ACTIVE',
    health: healthOf(found),
    createdAtMs: time(found['createdAt']) ?? takenAtMs,
    ...stated({
      configurationValues: text(found['configurationValues']),
      serviceAccountRoleArn: text(found['serviceAccountRoleArn']),
      modifiedAtMs: time(found['modifiedAt']),
    }),
  };
}

function profileOf(found: Fields, { cluster }: EksState, takenAtMs: number): EksFargateProfile {
  return {
    name: text(found['fargateProfileName']) ?? 'unnamed',
    status: text(found['status']) ?? 'ACTIVE',
    podExecutionRoleArn: text(found['podExecutionRoleArn']) ?? `arn:aws:iam::${cluster.account}:role/not-in-the-snapshot`,
    subnetIds: texts(found['subnets']),
    selectors: records(found['selectors']).map(({ namespace, labels }) => ({
      namespace: text(namespace) ?? '',
      ...(labels === undefined ? {} : { labels: map(labels) }),
    })),
    createdAtMs: time(found['createdAt']) ?? takenAtMs,
  };
}

function insightOf(found: Fields, takenAtMs: number): EksInsight {
  const status = record(found['insightStatus']);
  const summary = record(found['categorySpecificSummary']);
  const deprecations = records(summary['deprecationDetails']);
  const addOns = records(summary['addonCompatibilityDetails']);
  return {
    id: text(found['id']) ?? '',
    name: text(found['name']) ?? '',
    category: categoryOf(found['category']),
    status: verdictOf(status['status']),
    reason: text(status['reason']) ?? '',
    recommendation: text(found['recommendation']) ?? '',
    lastRefreshMs: time(found['lastRefreshTime']) ?? takenAtMs,
    resources: records(found['resources']).map((resource) => ({
      status: text(record(resource['insightStatus'])['status']) ?? 'UNKNOWN',
      ...stated({ kubernetesResourceUri: text(resource['kubernetesResourceUri']), arn: text(resource['arn']) }),
    })),
    ...stated({ kubernetesVersion: text(found['kubernetesVersion']), lastTransitionMs: time(found['lastTransitionTime']) }),
    ...(addOns.length === 0
      ? {}
      : {
          addOnCompatibility: addOns.map(({ name, compatibleVersions }) => ({
            name: text(name) ?? '',
            compatibleVersions: texts(compatibleVersions),
          })),
        }),
    ...(deprecations.length === 0 ? {} : { deprecations: deprecations.map((one) => deprecationOf(one, takenAtMs)) }),
  };
}

function deprecationOf(found: Fields, takenAtMs: number): NonNullable<EksInsight['deprecations']>[number] {
  return {
    usage: text(found['usage']) ?? '',
    replacedWith: text(found['replacedWith']) ?? '',
    stopServingVersion: text(found['stopServingVersion']) ?? '',
    startServingReplacementVersion: text(found['startServingReplacementVersion']) ?? '',
    clientStats: records(found['clientStats']).map((stats) => ({
      userAgent: text(stats['userAgent']) ?? '',
      requests: number(stats['numberOfRequestsLast30Days']) ?? 0,
      lastRequestMs: time(stats['lastRequestTime']) ?? takenAtMs,
    })),
  };
}

const categoryOf = (value: unknown): EksInsight['category'] =>
  value === 'MISCONFIGURATION' || value === 'ROLLBACK_READINESS' ? value : 'UPGRADE_READINESS';
const verdictOf = (value: unknown): EksInsight['status'] =>
  value === 'PASSING' || value === 'WARNING' || value === 'ERROR' ? value : 'UNKNOWN';
