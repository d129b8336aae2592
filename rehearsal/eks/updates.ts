/** Updates of a cluster, its node groups and add-ons: how they begin, are listed and described. */
import { randomUUID } from 'node:crypto';
import { strikes } from '../world/faults.ts';
import type { World } from '../world/world.ts';
import { AwsError, type Call, invalidParameter, notFound, pageOf, text } from './http.ts';
import { renderUpdate } from './render.ts';
import type { EksUpdate } from './state.ts';

/** The cluster of a path parameter. Throws as EKS does for any other name. */
export function requireCluster(world: World, name: string | undefined): void {
  if (name !== world.eks.cluster.name) throw notFound(`No cluster found for name: ${name}.`, { clusterName: name });
}

const resourceName = (resource: EksUpdate['resource']): string =>
  resource.kind === 'cluster' ? 'cluster' : `${resource.kind === 'node-group' ? 'nodegroup' : 'addon'}/${resource.name}`;

/** The update of a cluster, node group or add-on that has not ended: EKS allows one at a time. */
export function runningUpdate(world: World, resource: EksUpdate['resource']): EksUpdate | undefined {
  const name = resourceName(resource);
  return world.eks.updates.find((update) => update.status === 'InProgress' && resourceName(update.resource) === name);
}

export interface Mutation {
  operation: string;
  resource: EksUpdate['resource'];
  body: Record<string, unknown>;
  /** Checks and begins: called only when the token is new. Throws AwsError to refuse. */
  begin(): Pick<EksUpdate, 'type' | 'params'> & Partial<EksUpdate>;
}

/**
 * Runs a mutation by its clientRequestToken: the same token with the same request answers with the update it made before, with another request it is
 * refused. Everything is in the journal before the answer is sent; a replay is not, since it changes nothing.
 */
export async function mutate(world: World, mutation: Mutation): Promise<Record<string, unknown>> {
  const { clientRequestToken: _token, ...rest } = mutation.body;
  const token = text(mutation.body, 'clientRequestToken');
  const request = JSON.stringify([mutation.operation, mutation.resource, Object.entries(rest).toSorted(([a], [b]) => a.localeCompare(b))]);
  const journalled = { api: 'eks' as const, operation: mutation.operation, resource: resourceName(mutation.resource), token, detail: rest };
  try {
    if (throttled(world)) throw new AwsError(429, 'ThrottlingException', 'Rate exceeded');
    const earlier = token === undefined ? undefined : world.eks.updates.find((u) => u.token === token);
    if (earlier !== undefined) {
      if (earlier.request !== request) throw invalidParameter('The clientRequestToken was already used with different request parameters.');
      return { update: renderUpdate(earlier) };
    }
    const begun = mutation.begin();
    const update: EksUpdate = {
      id: randomUUID(),
      resource: mutation.resource,
      status: 'InProgress',
      createdAtMs: world.clock.nowMs(),
      errors: [],
      token,
      request,
      ...begun,
    };
    world.eks.updates.push(update);
    await world.journal.record({ ...journalled, accepted: true, detail: { ...rest, updateId: update.id } });
    return { update: renderUpdate(update) };
  } catch (error) {
    if (error instanceof AwsError) await world.journal.record({ ...journalled, accepted: false, error: error.code });
    throw error;
  }
}

const THROTTLED_CALLS = 3;
const throttledCalls = new WeakMap<World, number>();

function throttled(world: World): boolean {
  if (strikes(world, 'throttling')) throttledCalls.set(world, THROTTLED_CALLS);
  const left = throttledCalls.get(world) ?? 0;
  if (left > 0) throttledCalls.set(world, left - 1);
  return left > 0;
}

/** Updates of what the query names: without a name only the cluster's own. */
function updatesFor(world: World, query: URLSearchParams): EksUpdate[] {
  const nodeGroup = query.get('nodegroupName');
  const addOn = query.get('addonName');
  if (nodeGroup !== null && addOn !== null) throw invalidParameter('Only one of nodegroupName and addonName can be given.');
  if (nodeGroup !== null && !world.eks.nodeGroups.some((g) => g.name === nodeGroup)) throw noNodeGroup(world, nodeGroup);
  if (addOn !== null && !world.eks.addOns.some((a) => a.name === addOn)) throw noAddOn(world, addOn);
  return world.eks.updates.filter(({ resource }) => {
    if (nodeGroup !== null) return resource.kind === 'node-group' && resource.name === nodeGroup;
    if (addOn !== null) return resource.kind === 'add-on' && resource.name === addOn;
    return resource.kind === 'cluster';
  });
}

export const noNodeGroup = (world: World, name: string | undefined): AwsError =>
  notFound(`No node group found for name: ${name}.`, { clusterName: world.eks.cluster.name, nodegroupName: name });
export const noAddOn = (world: World, name: string | undefined): AwsError =>
  notFound(`No addon: ${name} found in cluster: ${world.eks.cluster.name}`, { clusterName: world.eks.cluster.name, addonName: name });

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
