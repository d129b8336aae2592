/** Runs the cluster's own updates: the API server moves first, EKS says Successful later. */
import { controlPlaneAgeMs, paramOf } from '../world/api-server.ts';
import type { Controller, World } from '../world/world.ts';
import { patchOf } from '../aws/eks/catalogue.ts';
import type { EksUpdate } from '../aws/eks/state.ts';
import { rollBackNodes } from './auto-mode.ts';
import { fail, succeed } from './updates.ts';

/** EKS shows the cluster as UPDATING a little after it accepted the update. */
const STATUS_LAG_MS = 15_000;
/** Logging, access and policy changes take about a minute. */
const CONFIG_UPDATE_MS = 60_000;
/** What the new control plane lacks shows before the API server moves. */
const FAILS_AFTER_MS = 120_000;
/** EKS wants this many free addresses in the cluster's subnets, counted together (EKS user guide, "Update existing cluster"). */
const FREE_ADDRESSES = 5;

export function createControlPlane(): Controller {
  const moved = new Set<string>();

  function tickVersionUpdate(world: World, update: EksUpdate): void {
    const { cluster } = world.eks;
    const { tempo, journal } = world;
    const version = paramOf(update, 'Version') ?? cluster.version;
    if (update.nodesFirst === true) return rollBackNodes(world, update);
    const ageMs = controlPlaneAgeMs(world, update) ?? 0;
    if (ageMs >= STATUS_LAG_MS && cluster.status === 'ACTIVE') {
      cluster.status = 'UPDATING';
      journal.tell(`EKS updates the control plane from ${cluster.version} to ${version}`);
    }
    const missing = moved.has(update.id) ? undefined : missingParts(world);
    if (missing !== undefined && ageMs >= Math.min(FAILS_AFTER_MS, tempo.apiServerMovesAfterMs / 2)) {
      fail(world, update, missing);
      cluster.status = 'ACTIVE';
      return journal.tell(`EKS gives up the update to ${version}: ${missing.errorCode}`);
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
        else tickConfigUpdate(world, update);
      }
    },
  };
}

function tickConfigUpdate(world: World, update: EksUpdate): void {
  const { cluster } = world.eks;
  const ageMs = world.clock.nowMs() - update.createdAtMs;
  if (ageMs >= STATUS_LAG_MS) cluster.status = 'UPDATING';
  if (ageMs < CONFIG_UPDATE_MS) return;
  succeed(world, update);
  cluster.status = 'ACTIVE';
}

/** Why the network interfaces of a new control plane cannot be made, as EKS names it. */
function missingParts({ eks }: World): EksUpdate['errors'][number] | undefined {
  const { cluster, network } = eks;
  const lost = cluster.subnetIds.filter((id) => !network.subnets.some((s) => s.id === id));
  if (lost.length > 0)
    return {
      errorCode: 'SubnetNotFound',
      errorMessage: 'One or more of the subnets associated with your cluster do not exist.',
      resourceIds: lost,
    };
  const groups = cluster.securityGroupIds.filter((id) => !network.securityGroups.some((g) => g.id === id));
  if (groups.length > 0)
    return {
      errorCode: 'SecurityGroupNotFound',
      errorMessage: 'One or more of the security groups associated with your cluster do not exist.',
      resourceIds: groups,
    };
  const subnets = network.subnets.filter((s) => cluster.subnetIds.includes(s.id));
  if (subnets.reduce((sum, s) => sum + s.freeAddresses, 0) >= FREE_ADDRESSES) return undefined;
  return {
    errorCode: 'InsufficientFreeAddresses',
    errorMessage: 'One or more of the subnets does not have enough available IP addresses.',
    resourceIds: subnets.map((s) => s.id),
  };
}
