/** A control plane that goes back, or has gone back, without the run that moved it up: a stale apply of Terraform starts that by itself. */
import { utcMinute } from '../core/text.ts';

export interface UnrequestedRollback {
  /** EKS's update; absent where EKS lists none for the version that the control plane is at. */
  updateId?: string;
  /** The older minor. */
  to: string;
  /** ISO 8601 by EKS's clock. */
  beganAt?: string;
  /** The control plane is there already. */
  ended: boolean;
}

/** "EKS is rolling the control plane back to 1.32 (update u-1, started 2026-11-29 09:12 UTC); this run did not request it." */
export function unrequestedRollbackText(
  { updateId, to, beganAt, ended }: UnrequestedRollback,
  request = 'this run did not request it',
): string {
  const named = [
    ...(updateId === undefined ? [] : [`update ${updateId}`]),
    ...(beganAt === undefined ? [] : [`started ${utcMinute(beganAt)}`]),
  ];
  const update = named.length === 0 ? '' : ` (${named.join(', ')})`;
  return `EKS ${ended ? 'has rolled' : 'is rolling'} the control plane back to ${to}${update}; ${request}.`;
}

/** DescribeUpdate names nobody: https://docs.aws.amazon.com/eks/latest/APIReference/API_Update.html */
export function whoAsked(region: string): string {
  return `EKS does not say who asked; CloudTrail does: aws cloudtrail lookup-events --region ${region} --lookup-attributes AttributeKey=EventName,AttributeValue=UpdateClusterVersion`;
}
