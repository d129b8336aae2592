/** Auto Scaling and EC2 as these activities ask them. */
import type { AutoScalingGroup, InstanceRefresh } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { during, failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface SelfManagedDeps extends KubernetesDeps {
  account(cluster: ClusterRef): AccountClients;
}

/** Calls end when the activity does. */
export const signalled = () => ({ abortSignal: currentSignal() });

/** undefined: there is none of that name. */
export function findGroup(clients: AccountClients, name: string): Promise<AutoScalingGroup | undefined> {
  return during(`reading Auto Scaling group ${name}`, async () => {
    const autoScaling = await clients.autoScaling();
    const { AutoScalingGroups = [] } = await autoScaling.describeAutoScalingGroups({ AutoScalingGroupNames: [name] }, signalled());
    return AutoScalingGroups[0];
  });
}

export async function requireGroup(clients: AccountClients, name: string): Promise<AutoScalingGroup> {
  const group = await findGroup(clients, name);
  if (group === undefined) throw failureOf('NotFound', `reading Auto Scaling group ${name}: there is none of that name`);
  return group;
}

const ACTIVE: readonly (string | undefined)[] = ['Pending', 'InProgress', 'Cancelling', 'RollbackInProgress', 'Baking'];

/** One that has not ended. Auto Scaling runs one per group, and lists the newest first. */
export async function runningRefresh(clients: AccountClients, group: string): Promise<InstanceRefresh | undefined> {
  return (await readRefreshes(clients, group)).find(({ Status }) => ACTIVE.includes(Status));
}

/** undefined: Auto Scaling does not know it any more (it forgets after six weeks). */
export async function findRefresh(clients: AccountClients, group: string, id: string): Promise<InstanceRefresh | undefined> {
  return (await readRefreshes(clients, group, [id]))[0];
}

function readRefreshes(clients: AccountClients, group: string, ids?: string[]): Promise<InstanceRefresh[]> {
  return during(`reading the instance refreshes of ${group}`, async () => {
    const autoScaling = await clients.autoScaling();
    const query = { AutoScalingGroupName: group, ...(ids === undefined ? { MaxRecords: 10 } : { InstanceRefreshIds: ids }) };
    return (await autoScaling.describeInstanceRefreshes(query, signalled())).InstanceRefreshes ?? [];
  });
}
