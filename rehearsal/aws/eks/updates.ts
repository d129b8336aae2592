/** Updates of a cluster, its node groups, add-ons and capabilities: listed and described. */
import type { World } from '../../world/world.ts';
import { type AwsError, invalidParameter, notFound } from './errors.ts';
import { type Call, pageOf } from './http.ts';
import { renderUpdate } from './render.ts';
import type { EksUpdate } from './state.ts';

/** The cluster of a path parameter. Throws as EKS does for any other name. */
export function requireCluster(world: World, name: string | undefined): void {
  if (name !== world.eks.cluster.name) throw noCluster(name);
}

export const noCluster = (name: string | undefined): AwsError => notFound(`No cluster found for name: ${name}.`, { clusterName: name });

export const noNodeGroup = (world: World, name: string | undefined): AwsError =>
  notFound(`No node group found for name: ${name}.`, { clusterName: world.eks.cluster.name, nodegroupName: name });
export const noAddOn = (world: World, name: string | undefined): AwsError =>
  notFound(`No addon: ${name} found in cluster: ${world.eks.cluster.name}`, { clusterName: world.eks.cluster.name, addonName: name });
export const noCapability = (world: World, name: string | undefined): AwsError =>
  notFound(`No capability found for name: ${name}.`, { clusterName: world.eks.cluster.name });

/** What a query may name, by its member. */
const OWNERS = [
  { member: 'nodegroupName', kind: 'node-group', all: (world: World) => world.eks.nodeGroups, missing: noNodeGroup },
  { member: 'addonName', kind: 'add-on', all: (world: World) => world.eks.addOns, missing: noAddOn },
  { member: 'capabilityName', kind: 'capability', all: (world: World) => world.eks.capabilities, missing: noCapability },
] as const;

/** Updates of what the query names: without a name only the cluster's own. */
function updatesFor(world: World, query: URLSearchParams): EksUpdate[] {
  const asked = OWNERS.filter(({ member }) => query.has(member));
  if (asked.length > 1) throw invalidParameter(`Only one of ${asked.map(({ member }) => member).join(' and ')} can be given.`);
  const owner = asked[0];
  if (owner === undefined) return world.eks.updates.filter(({ resource }) => resource.kind === 'cluster');
  const name = query.get(owner.member) ?? '';
  if (!owner.all(world).some((candidate) => candidate.name === name)) throw owner.missing(world, name);
  return world.eks.updates.filter(({ resource }) => resource.kind === owner.kind && resource.name === name);
}

/** Ids only, in no useful order: callers have to describe them. */
export function listUpdates(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const ids = updatesFor(world, query).map((u) => u.id);
  const { items, nextToken } = pageOf(ids.toSorted(), query);
  return { updateIds: items, nextToken };
}

export function describeUpdate(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const update = updatesFor(world, query).find((u) => u.id === path[1]);
  if (update === undefined) throw notFound(`No update found for ID: ${path[1]}`, { clusterName: path[0] });
  return { update: renderUpdate(update) };
}
