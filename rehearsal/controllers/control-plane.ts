/** Runs the cluster's own updates: the API server moves first, EKS says Successful later. */
import { paramOf } from '../world/api-server.ts';
import { strikes } from '../world/faults.ts';
import type { Controller, World } from '../world/world.ts';
import { patchOf } from '../eks/catalogue.ts';
import type { EksUpdate } from '../eks/state.ts';
import { fail, succeed } from './updates.ts';

/** EKS shows the cluster as UPDATING a little after it accepted the update. */
const STATUS_LAG_MS = 15_000;
/** Logging and policy changes take about a minute. */
const CONFIG_UPDATE_MS = 60_000;
/** A failing update fails before the API server moves. */
const FAILS_AFTER_MS = 120_000;

export function createControlPlane(): Controller {
  const moved = new Set<string>();
  const doomed = new Set<string>();

  function tickVersionUpdate(world: World, update: EksUpdate): void {
    const { cluster } = world.eks;
    const { tempo, journal } = world;
    const version = paramOf(update, 'Version') ?? cluster.version;
    const ageMs = world.clock.nowMs() - update.createdAtMs;
    if (strikes(world, 'control-plane-fails')) doomed.add(update.id);
    if (ageMs >= STATUS_LAG_MS && cluster.status === 'ACTIVE') {
      cluster.status = 'UPDATING';
      journal.tell(`EKS updates the control plane from ${cluster.version} to ${version}`);
    }
    if (doomed.has(update.id)) {
      if (ageMs >= Math.min(FAILS_AFTER_MS, tempo.apiServerMovesAfterMs / 2)) {
        fail(world, update, {
          errorCode: 'InsufficientFreeAddresses',
          errorMessage: 'One or more of the subnets does not have enough available IP addresses.',
          resourceIds: ['subnet-0a11aa11aa11aa11a'],
        });
        cluster.status = 'ACTIVE';
        journal.tell(`EKS gives up the update to ${version}: InsufficientFreeAddresses`);
      }
      return;
    }
    if (ageMs >= tempo.apiServerMovesAfterMs && !moved.has(update.id)) {
      moved.add(update.id);
      journal.tell(`the API server answers as v${patchOf(version)} while EKS still says InProgress`);
    }
    if (ageMs < tempo.controlPlaneUpdateMs) return;
    succeed(world, update);
    cluster.version = version;
    cluster.platformVersion = paramOf(update, 'PlatformVersion') ?? cluster.platformVersion;
    cluster.status = 'ACTIVE';
    journal.tell(`EKS reports the control plane at ${version}`);
  }

  return {
    name: 'control-plane',
    everyMs: 5_000,
    tick(world) {
      for (const update of world.eks.updates) {
        if (update.status !== 'InProgress' || update.resource.kind !== 'cluster') continue;
        if (update.type === 'VersionUpdate' || update.type === 'VersionRollback') tickVersionUpdate(world, update);
        else if (world.clock.nowMs() - update.createdAtMs >= CONFIG_UPDATE_MS) succeed(world, update);
      }
    },
  };
}
