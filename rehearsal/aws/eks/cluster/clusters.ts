/** EKS operations that read clusters and the versions that EKS offers. */
import type { World } from '../../../world/world.ts';
import { invalidParameter } from '../errors.ts';
import { type Call, pageOf } from '../http.ts';
import { renderCluster, renderVersion } from '../render.ts';
import { requireCluster } from '../updates.ts';

export function listClusters(world: World, { query, clusters = [world.eks.cluster.name] }: Call): Record<string, unknown> {
  const { items, nextToken } = pageOf(clusters, query);
  return { clusters: items, nextToken };
}

export function describeCluster(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  return { cluster: renderCluster(world.eks) };
}

const VERSION_STATUSES = ['UNSUPPORTED', 'STANDARD_SUPPORT', 'EXTENDED_SUPPORT'];

export function describeClusterVersions(world: World, { query }: Call): Record<string, unknown> {
  const asked = query.getAll('clusterVersions');
  const type = query.get('clusterType') ?? 'eks';
  // `status` is the deprecated spelling of versionStatus.
  const status = query.get('versionStatus') ?? query.get('status')?.toUpperCase().replace('-', '_');
  if (status !== undefined && !VERSION_STATUSES.includes(status)) throw invalidParameter(`versionStatus ${status} is not valid.`);
  const at = world.clock.now();
  const rendered = world.eks.versions
    .filter((v) => asked.length === 0 || asked.includes(v.version))
    .map((v) => renderVersion(v, at, v.version === defaultVersion(world)))
    .filter((v) => v.clusterType === type)
    .filter((v) => query.get('includeAll') === 'true' || asked.length > 0 || status !== undefined || v.versionStatus !== 'UNSUPPORTED')
    .filter((v) => status === undefined || v.versionStatus === status)
    .filter((v) => query.get('defaultOnly') !== 'true' || v.defaultVersion === true);
  const { items, nextToken } = pageOf(rendered, query);
  return { clusterVersions: items, nextToken };
}

/** EKS makes the newest version the default some weeks after its release: here, the newest but one. */
const defaultVersion = (world: World): string | undefined => (world.eks.versions[1] ?? world.eks.versions[0])?.version;
