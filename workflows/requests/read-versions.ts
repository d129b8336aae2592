/** Which versions the clusters of belay.yaml run: for the App Home and the form of `/eks-upgrade`. Changes nothing. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import { glanceActivities } from '../runtime/activity-proxies.ts';
import type { VersionsInput } from '../contract/messages.ts';
import { messageOf } from '../runtime/root-cause.ts';
import { count } from '../../domain/core/text.ts';

/** A thousand clusters are twenty activities. */
const AT_ONCE = 50;

export async function readVersions({ clusters }: VersionsInput): Promise<FleetVersions> {
  const parts = [...Map.groupBy(clusters, ({ network }) => network).values()].flatMap(inParts);
  const read = await Promise.all(parts.map(readPart));
  const found = new Map(read.flatMap((part) => part.clusters).map((cluster) => [cluster.name, cluster]));
  return {
    readAt: read.find(({ readAt }) => readAt !== undefined)?.readAt ?? new Date().toISOString(),
    clusters: clusters.flatMap(({ name }) => found.get(name) ?? []),
    offered: read.find(({ offered }) => offered.length > 0)?.offered ?? [],
  };
}

function inParts(clusters: ClusterRef[]): ClusterRef[][] {
  const parts: ClusterRef[][] = [];
  for (let at = 0; at < clusters.length; at += AT_ONCE) parts.push(clusters.slice(at, at + AT_ONCE));
  return parts;
}

/** A network without a worker hides its own clusters alone. */
async function readPart(clusters: ClusterRef[]): Promise<Partial<Pick<FleetVersions, 'readAt'>> & Omit<FleetVersions, 'readAt'>> {
  const read = glanceActivities.readVersions.executeWithOptions({ summary: `Read the versions of ${count(clusters.length, 'cluster')}` }, [
    { clusters },
  ]);
  if (clusters[0]?.network === undefined) return await read;
  return await read.catch((error: unknown) => ({ clusters: clusters.map(({ name }) => ({ name, why: messageOf(error) })), offered: [] }));
}
