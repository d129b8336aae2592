/** Lists of EKS as a whole: what is on a later page is there as well. */
import { type AutoScalingGroup, paginateDescribeAutoScalingGroups } from '@aws-sdk/client-auto-scaling';
import {
  type Addon,
  type AddonPodIdentityAssociations,
  type ClusterVersionInformation,
  DescribePodIdentityAssociationCommand,
  type InsightSummary,
  paginateDescribeClusterVersions,
  paginateListAddons,
  paginateListInsights,
  paginateListNodegroups,
  paginateListPodIdentityAssociations,
  paginateListUpdates,
  type PodIdentityAssociationSummary,
} from '@aws-sdk/client-eks';
import { currentSignal } from '../../runtime/context.ts';
import type { Ground } from './check.ts';

/** Calls end when the activity does. */
export const abort = () => ({ abortSignal: currentSignal() });

export async function addOnNames({ eks, ref }: Ground): Promise<string[]> {
  return await whole(paginateListAddons({ client: eks }, { clusterName: ref.name }, abort()), ({ addons }) => addons);
}

export async function nodeGroupNames({ eks, ref }: Ground): Promise<string[]> {
  return await whole(paginateListNodegroups({ client: eks }, { clusterName: ref.name }, abort()), ({ nodegroups }) => nodegroups);
}

export async function autoScalingGroups(ground: Ground, names: string[]): Promise<AutoScalingGroup[]> {
  const client = await ground.autoScaling();
  const pages = paginateDescribeAutoScalingGroups({ client }, { AutoScalingGroupNames: names }, abort());
  return await whole(pages, ({ AutoScalingGroups }) => AutoScalingGroups);
}

/** `of`: the add-on or node group; none: the cluster itself. */
export async function updateIdsOf({ eks, ref }: Ground, of: { addonName?: string; nodegroupName?: string } = {}): Promise<string[]> {
  return await whole(paginateListUpdates({ client: eks }, { name: ref.name, ...of }, abort()), ({ updateIds }) => updateIds);
}

export async function upgradeInsights({ eks, ref }: Ground): Promise<InsightSummary[]> {
  const asked = { clusterName: ref.name, filter: { categories: ['UPGRADE_READINESS' as const] } };
  return await whole(paginateListInsights({ client: eks }, asked, abort()), ({ insights }) => insights);
}

export async function versionsOnOffer({ eks }: Ground): Promise<ClusterVersionInformation[]> {
  return await whole(paginateDescribeClusterVersions({ client: eks }, {}, abort()), ({ clusterVersions }) => clusterVersions);
}

export async function identitiesOf(
  { eks, ref }: Ground,
  of: { namespace?: string | undefined; serviceAccount?: string | undefined } = {},
): Promise<PodIdentityAssociationSummary[]> {
  const pages = paginateListPodIdentityAssociations({ client: eks }, { clusterName: ref.name, ...of }, abort());
  return await whole(pages, ({ associations }) => associations);
}

/** As UpdateAddon takes them: by role, which only DescribePodIdentityAssociation tells. */
export async function identitiesByRole(
  { eks, ref }: Ground,
  { podIdentityAssociations: arns = [] }: Addon,
): Promise<AddonPodIdentityAssociations[]> {
  return await Promise.all(
    arns.map(async (arn) => {
      const asked = { clusterName: ref.name, associationId: arn.slice(arn.lastIndexOf('/') + 1) };
      const { association } = await eks.send(new DescribePodIdentityAssociationCommand(asked), abort());
      return { serviceAccount: association?.serviceAccount, roleArn: association?.roleArn };
    }),
  );
}

async function whole<P, T>(pages: AsyncIterable<P>, itemsOf: (page: P) => T[] | undefined): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...(itemsOf(page) ?? []));
  return all;
}
