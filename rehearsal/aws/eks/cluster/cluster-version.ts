/** UpdateClusterVersion: one minor up, or back within the rollback window; and CancelUpdate. */
import type { World } from '../../../world/world.ts';
import { minorOf } from '../catalogue.ts';
import { inUse, invalidParameter, invalidRequest, invalidState, notFound } from '../errors.ts';
import { type Call, structure, text } from '../http.ts';
import { mutate, once, runningUpdate } from '../mutate.ts';
import { renderUpdate } from '../render.ts';
import { refuseRollback, rolledUpFrom } from './rollback.ts';
import { requireCluster } from '../updates.ts';

const CLUSTER = { kind: 'cluster' } as const;
const MINUTE_MS = 60_000;
/** Minutes that the nodes of Auto Mode have to go back: RollbackConfig in the service model. */
const NODES_TIMEOUT = { min: 120, max: 10_080, default: 720 };

export function updateClusterVersion(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  return mutate(world, {
    operation: 'UpdateClusterVersion',
    resource: CLUSTER,
    body,
    begin() {
      const { cluster, versions } = world.eks;
      const members = { clusterName: cluster.name };
      const version = text(body, 'version');
      if (version === undefined || !/^1\.\d+$/.test(version))
        throw invalidParameter('version must be a Kubernetes minor version such as 1.32.', members);
      const running = runningUpdate(world, CLUSTER);
      if (running !== undefined)
        throw inUse(`Cannot VersionUpdate because cluster ${cluster.name} currently has update ${running.id} in progress`, members);
      if (cluster.status !== 'ACTIVE')
        throw invalidRequest(`The cluster ${cluster.name} is ${cluster.status}; it must be ACTIVE.`, members);
      const offered = versions.find((v) => v.version === version);
      if (offered === undefined) throw invalidParameter(`unsupported Kubernetes version ${version}`, members);
      const params = [
        { type: 'Version', value: version },
        { type: 'PlatformVersion', value: offered.platformVersion },
      ];
      const rollbackConfig = structure(body, 'rollbackConfig');
      if (version === rolledUpFrom(world)) {
        refuseRollback(world, version, { force: body.force === true });
        return {
          type: 'VersionRollback',
          params,
          nodesFirst: cluster.autoMode,
          nodesTimeoutMs: nodesTimeout(rollbackConfig?.timeoutMinutes),
        };
      }
      if (minorOf(version) - minorOf(cluster.version) !== 1)
        throw invalidParameter(`Unsupported Kubernetes minor version update from ${cluster.version} to ${version}`, members);
      if (rollbackConfig !== undefined) throw invalidParameter('rollbackConfig can only be given for a version rollback.', members);
      refuseUnready(world, version, body.force === true);
      return { type: 'VersionUpdate', params };
    },
  });
}

function nodesTimeout(minutes: unknown): number {
  const given = minutes === undefined ? NODES_TIMEOUT.default : Number(minutes);
  if (!Number.isInteger(given) || given < NODES_TIMEOUT.min || given > NODES_TIMEOUT.max)
    throw invalidParameter(`timeoutMinutes must be between ${NODES_TIMEOUT.min} and ${NODES_TIMEOUT.max}.`);
  return given * MINUTE_MS;
}

/**
 * Insights count as they stand since their last refresh. They alone judge how old nodes may be: node groups need not have the cluster's version,
 * as the reference of UpdateClusterVersion still says (containers-roadmap #1473, #2250; user guide, "Update existing cluster": three minors).
 */
function refuseUnready(world: World, version: string, force: boolean): void {
  const blocking = world.eks.insights.filter(
    (i) => i.category === 'UPGRADE_READINESS' && i.kubernetesVersion === version && i.status === 'ERROR',
  );
  if (blocking.length > 0 && !force)
    throw invalidState(`EKS detected upgrade readiness issues: ${blocking.map((i) => i.name).join(', ')}.`, {
      clusterName: world.eks.cluster.name,
    });
}

/** Only a rollback can be cancelled, and only while the nodes of Auto Mode go back. */
export function cancelUpdate(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  return once(world, { operation: 'CancelUpdate', resource: CLUSTER, body: { ...body, updateId: path[1] } }, () => {
    const members = { clusterName: world.eks.cluster.name };
    const update = world.eks.updates.find((u) => u.id === path[1] && u.resource.kind === 'cluster');
    if (update === undefined) throw notFound(`No update found for ID: ${path[1]}`, members);
    if (update.type !== 'VersionRollback')
      throw invalidRequest(`Update ${update.id} is a ${update.type}; only a VersionRollback can be cancelled.`, members);
    if (update.status !== 'InProgress') throw invalidRequest(`Update ${update.id} has ended: ${update.status}.`, members);
    if (update.cancellation !== undefined) throw inUse(`Update ${update.id} is being cancelled.`, members);
    if (update.nodesFirst !== true)
      throw invalidState(`Update ${update.id} cannot be cancelled: the control plane is rolling back.`, members);
    update.cancellation = { status: 'InProgress', reason: 'Cancelled by CancelUpdate' };
    return { answer: () => ({ update: renderUpdate(update) }) };
  });
}
