/** Lists the Auto Scaling groups of a cluster. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { byNextToken } from '../../clients/aws/pages.ts';
import { signalled } from '../../clients/aws/account/pages.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Auto Scaling groups of the cluster by its tag, which has the name that EKS has for it; those of node groups are EKS's. */
export async function readAutoScalingGroups(clients: AccountClients, eksName: string) {
  const groups: { name: string; size: number; managed: boolean; template?: { id: string; version: string } }[] = [];
  const autoScaling = await clients.autoScaling();
  const query = { Filters: [{ Name: 'tag-key', Values: [`kubernetes.io/cluster/${eksName}`] }] };
  for await (const { AutoScalingGroups = [] } of byNextToken((page) =>
    autoScaling.describeAutoScalingGroups({ ...query, ...page }, signalled()),
  )) {
    for (const {
      AutoScalingGroupName: name = '',
      DesiredCapacity: size = 0,
      Tags = [],
      LaunchTemplate,
      MixedInstancesPolicy,
    } of AutoScalingGroups) {
      const used = LaunchTemplate ?? MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
      const template =
        used?.LaunchTemplateId === undefined ? undefined : { id: used.LaunchTemplateId, version: used.Version ?? '$Default' };
      groups.push({
        name,
        size,
        managed: Tags.some(({ Key }) => Key === 'eks:nodegroup-name'),
        ...defined({ template }),
      });
    }
  }
  return groups;
}
