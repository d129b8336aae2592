/** A recorded cluster as a scenario: its world is the snapshot, its way is to the minor that is asked for. */
import { utcMinute } from '../../../domain/core/text.ts';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import { compareKubernetesVersions, formatKubernetesVersion, tryKubernetesVersion } from '../../../domain/core/version.ts';
import { knowsMinor, offeredVersions } from '../../aws/eks/catalogue.ts';
import type { World } from '../../world/world.ts';
import { type Scenario } from '../scenario.ts';
import { each, text } from './aws/calls.ts';
import { fillCluster } from './aws/cluster.ts';
import { imagesOf } from './aws/images.ts';
import { fillNetwork } from './aws/network.ts';
import { fillOffers } from './aws/offers.ts';
import { fillParts } from './aws/parts.ts';
import { fidelityOf } from './fidelity.ts';
import { loadObjects } from './kubernetes/load.ts';
import { limitsOf } from './limits.ts';
import { machinesOf } from './machines.ts';
import { managersOf } from './managers.ts';
import { addRoles } from './roles.ts';
import { tempoOf } from './tempo.ts';

/** The snapshot cannot be played to this target; the message says why, and what can be done. */
export class RefusedSnapshot extends Error {
  override name = 'RefusedSnapshot';
}

/** Throws RefusedSnapshot. */
export function snapshotScenario(snapshot: Snapshot, target: string): Scenario {
  const { cluster, takenAt, ownerKeys } = snapshot.header;
  const from = versionOf(snapshot);
  const to = targetOf(target, from);
  const { karpenter, istio } = managersOf(snapshot);
  return {
    name: `snapshot-${cluster.name}`,
    title: `Snapshot of ${cluster.name}, ${from} → ${to}`,
    description: `${cluster.name} as it was at ${utcMinute(takenAt)}.`,
    cluster,
    environment: 'snapshot',
    from,
    to,
    startsAt: takenAt,
    tempo: tempoOf(snapshot),
    ...(ownerKeys === undefined ? {} : { karpenter: { ownerKeys } }),
    managedBy: { karpenter, ...(istio === undefined ? {} : { istio: istio.by }) },
    ...(istio === undefined ? {} : { istio: { moveBy: istio.moveBy } }),
    expectations: { controlPlane: to },
    loaded: true,
    limits: (world) => [...limitsOf(snapshot), ...fidelityOf(world, snapshot)],
    build: (world) => build(world, snapshot),
  };
}

function build(world: World, snapshot: Snapshot): void {
  const { eks } = world;
  fillCluster(eks, snapshot);
  fillOffers(eks, snapshot);
  fillParts(eks, snapshot);
  fillNetwork(eks, snapshot);
  eks.images = imagesOf(snapshot, eks);
  world.machines = machinesOf(
    snapshot,
    eks.network.subnets.map(({ zone }) => zone),
  );
  loadObjects(world.store, snapshot);
  addRoles(world);
}

function versionOf(snapshot: Snapshot): string {
  const [cluster] = each(snapshot, 'DescribeCluster', 'cluster');
  const version = text(cluster?.['version']);
  if (version === undefined)
    throw new RefusedSnapshot(
      'The snapshot has no answer of EKS about its cluster, so it cannot be rehearsed: take it with belay snapshot CLUSTER',
    );
  if (!knowsMinor(version)) throw new RefusedSnapshot(`The cluster runs Kubernetes ${version}. ${known()}`);
  return version;
}

function targetOf(target: string, from: string): string {
  const [to, now] = [tryKubernetesVersion(target), tryKubernetesVersion(from)];
  if (to === undefined || now === undefined) throw new RefusedSnapshot(`--target ${target} is not a Kubernetes version. Write it as 1.34`);
  const minor = formatKubernetesVersion(to);
  if (compareKubernetesVersions(to, now) <= 0)
    throw new RefusedSnapshot(`--target ${minor} is not newer than ${from}, which the cluster of the snapshot runs`);
  if (!knowsMinor(minor)) throw new RefusedSnapshot(`--target ${minor} cannot be rehearsed. ${known()}`);
  return minor;
}

function known(): string {
  const minors = offeredVersions(new Date('2100-01-01')).map(({ version }) => version);
  return `The twin knows Kubernetes ${minors.at(-1)} to ${minors[0]}`;
}
