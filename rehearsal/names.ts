/** Names that the rehearsal knows as any operator does: from the documentation, not from the product's code. */

export const TASK_QUEUE = 'belay';

/** Workflow id of a cluster's upgrade. */
export function upgradeId(cluster: { name: string; account: string; region: string }): string {
  return `eks-upgrade/${cluster.account}/${cluster.region}/${cluster.name}`;
}
