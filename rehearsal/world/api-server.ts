/** Which minor the Kubernetes API server answers with, and whether it drops connections: both follow from EKS's updates under way. */
import type { EksState, EksUpdate } from '../aws/eks/state.ts';
import type { World } from './world.ts';

/** The control plane's update that runs now, if any. */
export function controlPlaneUpdate(eks: EksState): EksUpdate | undefined {
  return eks.updates.find(
    (u) => u.status === 'InProgress' && u.resource.kind === 'cluster' && (u.type === 'VersionUpdate' || u.type === 'VersionRollback'),
  );
}

export const paramOf = (update: EksUpdate, type: string): string | undefined => update.params.find((p) => p.type === type)?.value;

/** World milliseconds since the control plane itself began to move; undefined while the nodes of Auto Mode go first. */
export const controlPlaneAgeMs = (world: World, update: EksUpdate): number | undefined =>
  update.nodesFirst === true ? undefined : world.clock.nowMs() - (update.controlPlaneFromMs ?? update.createdAtMs);

/** Runs ahead of EKS: the new minor answers before EKS calls its update Successful (seeds/000). */
export function apiServerVersion(world: World): string {
  const update = controlPlaneUpdate(world.eks);
  const moved = update !== undefined && (controlPlaneAgeMs(world, update) ?? -1) >= world.tempo.apiServerMovesAfterMs;
  return (moved ? paramOf(update, 'Version') : undefined) ?? world.eks.cluster.version;
}

/** Connections drop for a while right after the API server moved. */
export function apiServerDown(world: World): boolean {
  const update = controlPlaneUpdate(world.eks);
  if (update === undefined) return false;
  const sinceMoveMs = (controlPlaneAgeMs(world, update) ?? -1) - world.tempo.apiServerMovesAfterMs;
  return sinceMoveMs >= 0 && sinceMoveMs < world.tempo.apiServerDropsMs;
}
