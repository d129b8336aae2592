/** Names that the rehearsal knows as any operator does: from the documentation, not from the product's code. */

export const TASK_QUEUE = 'belay';

export interface Cluster {
  name: string;
  account: string;
  region: string;
}

const pathOf = ({ account, region, name }: Cluster): string => `${account}/${region}/${name}`;

/** Workflow id of a cluster's upgrade. */
export const upgradeId = (cluster: Cluster): string => `eks-upgrade/${pathOf(cluster)}`;

/** Whether a workflow is this one, or one of its steps: their ids begin with its own. */
export const isBelow = (workflowId: string, above: string): boolean => `${workflowId}/`.startsWith(`${above}/`);

/** Whether it is the cluster's upgrade, or one of its steps. */
export const isOf = (cluster: Cluster, workflowId: string): boolean => isBelow(workflowId, upgradeId(cluster));

/** Workflow id of a cluster's rollback clock. */
export const rollbackWindowId = (cluster: Cluster): string => `eks-rollback-window/${pathOf(cluster)}`;

/** Workflow id of a campaign. */
export const campaignId = (campaign: string): string => `eks-campaign/${campaign}`;

/** What people type to start a campaign, or to steer it. */
export const campaignCommand = (verb: 'start' | 'status' | 'retry' | 'stop', campaign: string): string =>
  `/eks-upgrade campaign ${verb} ${campaign}`;

/** What people type who want the old minor back. */
export const rollbackCommand = ({ cluster }: { cluster: Pick<Cluster, 'name'> }): string => `/eks-upgrade rollback ${cluster.name}`;

/** The same for one step of the run before. */
export const undoCommand = (scenario: { cluster: Pick<Cluster, 'name'> }, step: string): string => `${rollbackCommand(scenario)} ${step}`;

/** What people type. */
export const startCommand = ({ cluster, to }: { cluster: Pick<Cluster, 'name'>; to: string }): string =>
  `/eks-upgrade start ${cluster.name} ${to}`;
