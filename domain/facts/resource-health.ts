/** How a cluster, node group or add-on is, by EKS. */
import type { HealthIssue } from './facts.ts';

export function isWell({ status, healthIssues }: { status: string; healthIssues: readonly HealthIssue[] }): boolean {
  return status === 'ACTIVE' && healthIssues.length === 0;
}
