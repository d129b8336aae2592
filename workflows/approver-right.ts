/** Whether somebody may decide or steer, read at this moment. What cannot be read is a no. */
import { CancellationScope } from '@temporalio/workflow';
import type { ClusterRef } from '../domain/facts.ts';
import type { Actor } from '../domain/gate.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import { approverActivities } from './activity-proxies.ts';

/** What an approver's right depends on. */
export interface ApprovalContext {
  cluster: ClusterRef;
  policy: UpgradePolicy;
  requestedBy: Actor;
}

export async function readRight(
  { cluster, policy, requestedBy }: ApprovalContext,
  actor: Actor,
  unreadable: string,
): Promise<{ allowed: boolean; why: string }> {
  try {
    // What arrived counts even when the run is being cancelled around it.
    return await CancellationScope.nonCancellable(() => approverActivities.readApprover({ cluster, actor, policy, requestedBy }));
  } catch {
    return { allowed: false, why: unreadable };
  }
}
