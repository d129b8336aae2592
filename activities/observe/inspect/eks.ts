/** Facts of the AWS side: control plane, offered versions, node groups, the update in progress. */
import { type Cluster, type Nodegroup, paginateDescribeClusterVersions, paginateListNodegroups } from '@aws-sdk/client-eks';
import type { ClusterFacts, ControlPlaneFact, NodeGroupFact, SupportedVersion } from '../../../domain/facts/facts.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { describeCluster, describeNodegroup } from '../../clients/aws/eks-api.ts';
import { parameterOf, runningUpdates } from '../../eks/updates/find-update.ts';
import { identityOf } from '../../clients/aws/identity.ts';
import { enabledLogs } from '../../eks/logging.ts';
import { healthIssues } from '../../eks/updates/resource-state.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { during } from '../../runtime/translate-errors.ts';
import type { Reader } from '../../runtime/reader.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Nothing can be said without the cluster itself: a failure here is thrown. */
export async function readControlPlane(aws: AwsClients, ref: ClusterRef): Promise<ControlPlaneFact> {
  return controlPlaneFact(await describeCluster(aws, ref));
}

function controlPlaneFact(cluster: Cluster): ControlPlaneFact {
  const identity = identityOf(cluster);
  return {
    arn: cluster.arn ?? '',
    ...defined({ identity }),
    version: cluster.version ?? '',
    platformVersion: cluster.platformVersion,
    status: cluster.status ?? 'unknown',
    healthIssues: healthIssues(cluster.health?.issues),
    supportType: cluster.upgradePolicy?.supportType,
    autoMode: cluster.computeConfig?.enabled ?? false,
    logs: enabledLogs(cluster),
  };
}

export function readSupportedVersions(aws: AwsClients, reader: Reader): Promise<SupportedVersion[]> {
  return reader.attempt(
    { part: 'offered-versions', what: 'the Kubernetes versions that EKS offers' },
    'eks:DescribeClusterVersions',
    () => listOfferedVersions(aws),
    [],
  );
}

export function listOfferedVersions(aws: AwsClients): Promise<SupportedVersion[]> {
  return during('reading the Kubernetes versions that EKS offers', async () => {
    const versions: SupportedVersion[] = [];
    const pages = paginateDescribeClusterVersions({ client: aws.eks }, { includeAll: true }, { abortSignal: currentSignal() });
    for await (const page of pages) {
      for (const entry of page.clusterVersions ?? []) {
        if (entry.clusterVersion === undefined || versions.some((known) => known.version === entry.clusterVersion)) continue;
        versions.push({
          version: entry.clusterVersion,
          releasedAt: entry.releaseDate?.toISOString(),
          endOfStandardSupport: entry.endOfStandardSupportDate?.toISOString(),
          endOfExtendedSupport: entry.endOfExtendedSupportDate?.toISOString(),
          status: entry.versionStatus,
        });
      }
    }
    return versions;
  });
}

export async function readNodeGroups(aws: AwsClients, ref: ClusterRef, reader: Reader): Promise<NodeGroupFact[]> {
  const names = await reader.attempt(
    { part: 'node-groups', what: 'the managed node groups' },
    'eks:ListNodegroups',
    () => listNodegroupNames(aws, ref),
    [],
  );
  const facts = await someAtOnce(names, (name) => {
    const read = async (): Promise<NodeGroupFact | undefined> => nodeGroupFact(await describeNodegroup(aws, ref, name));
    return reader.attempt({ part: 'node-groups', name, what: `node group ${name}` }, 'eks:DescribeNodegroup', read, undefined);
  });
  return facts.filter((fact) => fact !== undefined);
}

export function listNodegroupNames(aws: AwsClients, ref: ClusterRef): Promise<string[]> {
  return during(`listing node groups of ${ref.name}`, async () => {
    const names: string[] = [];
    const pages = paginateListNodegroups({ client: aws.eks }, { clusterName: ref.name }, { abortSignal: currentSignal() });
    for await (const page of pages) names.push(...(page.nodegroups ?? []));
    return names;
  });
}

export function nodeGroupFact(group: Nodegroup): NodeGroupFact {
  return {
    name: group.nodegroupName ?? '',
    version: group.version ?? '',
    releaseVersion: group.releaseVersion,
    amiType: group.amiType ?? 'unknown',
    status: group.status ?? 'unknown',
    healthIssues: healthIssues(group.health?.issues),
    desiredCount: group.scalingConfig?.desiredSize ?? 0,
    ...(group.capacityType === 'CAPACITY_BLOCK' ? { capacityBlock: true } : {}),
    maxUnavailableCount: group.updateConfig?.maxUnavailable,
    maxUnavailablePercentage: group.updateConfig?.maxUnavailablePercentage,
    launchTemplate: group.launchTemplate,
  };
}

export function readUpdateInProgress(aws: AwsClients, ref: ClusterRef, reader: Reader): Promise<ClusterFacts['updateInProgress']> {
  return reader.attempt<ClusterFacts['updateInProgress']>(
    { part: 'updates', what: 'the updates in progress' },
    'eks:ListUpdates and eks:DescribeUpdate',
    async () => {
      const [update] = await runningUpdates(aws, ref, { kind: 'cluster' });
      if (update?.id === undefined) return undefined;
      const version = parameterOf(update, 'Version');
      return { id: update.id, type: update.type ?? 'unknown', version };
    },
    undefined,
  );
}
