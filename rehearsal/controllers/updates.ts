/** How EKS's updates end. */
import type { EksUpdate } from '../aws/eks/state.ts';
import type { World } from '../world/world.ts';

export function succeed(world: World, update: EksUpdate): void {
  update.takesEffect?.();
  finish(world, update, 'Successful');
}

/** EKS names causes wherever it knows them. */
export function fail(world: World, update: EksUpdate, ...errors: EksUpdate['errors']): void {
  update.errors = errors;
  finish(world, update, 'Failed');
}

function finish(world: World, update: EksUpdate, status: 'Successful' | 'Failed'): void {
  update.status = status;
  update.endedAtMs = world.clock.nowMs();
}
