/** Whether somebody may decide or steer, read at this moment. What cannot be read is a no. */
import { CancellationScope } from '@temporalio/workflow';
import type { ClusterRef } from '../domain/facts.ts';
import type { ApproverRight } from '../domain/approvals.ts';
import type { Actor } from '../domain/gate.ts';
import type { PhaseId } from '../domain/phases.ts';
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
  gate: { phase?: PhaseId; escalated?: boolean } = {},
): Promise<ApproverRight> {
  try {
    // What arrived counts even when the run is being cancelled around it.
    return await CancellationScope.nonCancellable(() => approverActivities.readApprover({ cluster, actor, policy, requestedBy, ...gate }));
  } catch {
    return { allowed: false, why: unreadable };
  }
}
