/** EKS operations that read Fargate profiles and capabilities. */
import type { World } from '../../world/world.ts';
import { notFound } from './errors.ts';
import { type Call, pageOf } from './http.ts';
import { renderCapability, renderCapabilitySummary, renderFargateProfile } from './render.ts';
import { noCapability, requireCluster } from './updates.ts';

export function listFargateProfiles(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const { items, nextToken } = pageOf(
    world.eks.fargateProfiles.map(({ name }) => name),
    query,
  );
  return { fargateProfileNames: items, nextToken };
}

export function describeFargateProfile(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const profile = world.eks.fargateProfiles.find(({ name }) => name === path[1]);
  if (profile === undefined)
    throw notFound(`No Fargate Profile found with name: ${path[1]}.`, { clusterName: path[0], fargateProfileName: path[1] });
  return { fargateProfile: renderFargateProfile(world.eks, profile) };
}

export function listCapabilities(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const { items, nextToken } = pageOf(world.eks.capabilities, query);
  return { capabilities: items.map((each) => renderCapabilitySummary(world.eks, each)), nextToken };
}

export function describeCapability(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const capability = world.eks.capabilities.find(({ name }) => name === path[1]);
  if (capability === undefined) throw noCapability(world, path[1]);
  return { capability: renderCapability(world.eks, capability) };
}
