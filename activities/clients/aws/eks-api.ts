/** EKS in our words: looks at a cluster, its node groups, add-ons and updates. Every call is cancellable and translated. */
import {
  type Addon,
  type Cluster,
  DescribeAddonCommand,
  DescribeClusterCommand,
  DescribeNodegroupCommand,
  DescribePodIdentityAssociationCommand,
  DescribeUpdateCommand,
  type Nodegroup,
  paginateListUpdates,
  type Update,
} from '@aws-sdk/client-eks';
import type { AddOnIdentity } from '../../../domain/facts/rollback-point.ts';
import type { AwsClients } from './clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { during, failureOf, failureType } from '../../runtime/translate-errors.ts';
import { refuseAnotherCluster } from './identity.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

/** The cluster, after proof that it is the one that is meant: name, account and region agree with its ARN. */
export function describeCluster(aws: AwsClients, ref: ClusterRef): Promise<Cluster> {
  return during(`reading cluster ${ref.name}`, async () => {
    const { cluster } = await aws.eks.send(new DescribeClusterCommand({ name: ref.name }), { abortSignal: currentSignal() });
    if (cluster === undefined) throw failureOf('NotFound', `reading cluster ${ref.name}: EKS answered without a cluster`);
    refuseOtherAccount(ref, cluster.arn);
    refuseAnotherCluster(ref, cluster);
    return cluster;
  });
}

export function describeNodegroup(aws: AwsClients, ref: ClusterRef, name: string): Promise<Nodegroup> {
  return during(`reading node group ${name} of ${ref.name}`, async () => {
    const command = new DescribeNodegroupCommand({ clusterName: ref.name, nodegroupName: name });
    const { nodegroup } = await aws.eks.send(command, { abortSignal: currentSignal() });
    if (nodegroup === undefined)
      throw failureOf('NotFound', `reading node group ${name} of ${ref.name}: EKS answered without a node group`);
    return nodegroup;
  });
}

/** undefined: EKS does not manage such an add-on on this cluster. */
export async function describeAddon(aws: AwsClients, ref: ClusterRef, name: string): Promise<Addon | undefined> {
  try {
    return await during(`reading add-on ${name} of ${ref.name}`, async () => {
      const command = new DescribeAddonCommand({ clusterName: ref.name, addonName: name });
      return (await aws.eks.send(command, { abortSignal: currentSignal() })).addon;
    });
  } catch (error) {
    if (failureType(error) === 'NotFound') return undefined;
    throw error;
  }
}

/** The EKS Pod Identity associations that belong to an add-on, with their roles: DescribeAddon has only their ARNs. */
export function describeAddonIdentities(
  aws: AwsClients,
  ref: ClusterRef,
  { addonName, podIdentityAssociations = [] }: Addon,
): Promise<AddOnIdentity[]> {
  return during(`reading the pod identities of add-on ${addonName} of ${ref.name}`, () =>
    Promise.all(
      podIdentityAssociations.map(async (arn) => {
        const command = new DescribePodIdentityAssociationCommand({
          clusterName: ref.name,
          associationId: arn.slice(arn.lastIndexOf('/') + 1),
        });
        const { association } = await aws.eks.send(command, { abortSignal: currentSignal() });
        return { serviceAccount: association?.serviceAccount ?? '', role: association?.roleArn ?? '' };
      }),
    ),
  );
}

/** undefined: EKS knows no update with this id on this resource. */
export async function describeUpdate(
  aws: AwsClients,
  ref: ClusterRef,
  resource: UpdateResource,
  updateId: string,
): Promise<Update | undefined> {
  try {
    return await during(`reading update ${updateId} of ${nameOf(ref, resource)}`, async () => {
      const command = new DescribeUpdateCommand({ name: ref.name, updateId, ...resourceFilter(resource) });
      return (await aws.eks.send(command, { abortSignal: currentSignal() })).update;
    });
  } catch (error) {
    if (failureType(error) === 'NotFound') return undefined;
    throw error;
  }
}

/**
 * Only these three are ends. While a rollback is being cancelled its update is `Cancelling`, which the EKS user guide says ("Rollback EKS Auto Mode
 * clusters", Cancel behavior) and the API model does not list: what is not known as an end may still change.
 */
export const hasEnded = ({ status }: Update): boolean => status === 'Successful' || status === 'Failed' || status === 'Cancelled';

/** Ids of all updates of the resource, in EKS's order. */
export function listUpdateIds(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<string[]> {
  return during(`listing updates of ${nameOf(ref, resource)}`, async () => {
    const ids: string[] = [];
    const pages = paginateListUpdates(
      { client: aws.eks },
      { name: ref.name, ...resourceFilter(resource) },
      { abortSignal: currentSignal() },
    );
    for await (const page of pages) ids.push(...(page.updateIds ?? []));
    return ids;
  });
}

/** "prod", "node group workers of prod", "add-on coredns of prod" */
export function nameOf(ref: ClusterRef, resource: UpdateResource): string {
  switch (resource.kind) {
    case 'cluster':
      return `cluster ${ref.name}`;
    case 'node-group':
      return `node group ${resource.name} of ${ref.name}`;
    case 'add-on':
      return `add-on ${resource.name} of ${ref.name}`;
  }
}

/** DescribeUpdate and ListUpdates answer only for the resource that is named. */
function resourceFilter(resource: UpdateResource): { nodegroupName?: string; addonName?: string } {
  switch (resource.kind) {
    case 'cluster':
      return {};
    case 'node-group':
      return { nodegroupName: resource.name };
    case 'add-on':
      return { addonName: resource.name };
  }
}

/** A cluster of the same name in another account or region must never be touched. */
function refuseOtherAccount(ref: ClusterRef, arn: string | undefined): void {
  const [, , , region, account] = (arn ?? '').split(':');
  if (account === ref.account && region === ref.region) return;
  if (account === undefined || region === undefined)
    throw failureOf(
      'InvalidRequest',
      `reading cluster ${ref.name}: EKS does not say in which account and region it is (ARN "${arn ?? ''}")`,
    );
  throw failureOf(
    'Configuration',
    `reading cluster ${ref.name}: these AWS credentials lead to account ${account} in ${region}, but belay.yaml says ${ref.account} in ${ref.region}; use the right role or correct belay.yaml`,
  );
}
