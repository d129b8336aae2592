/** Which versions the clusters of belay.yaml run: for the App Home and the form of `/eks-upgrade`. Changes nothing. */
import type { FleetVersions } from '../../domain/run/fleet.ts';
import { glanceActivities } from '../runtime/activity-proxies.ts';
import type { VersionsInput } from '../contract/messages.ts';

/** A thousand clusters are twenty activities. */
const AT_ONCE = 50;

export async function readVersions({ clusters }: VersionsInput): Promise<FleetVersions> {
  const parts: (typeof clusters)[] = [];
  for (let at = 0; at < clusters.length; at += AT_ONCE) parts.push(clusters.slice(at, at + AT_ONCE));
  const read = await Promise.all(
    parts.map((part) =>
      glanceActivities.readVersions.executeWithOptions({ summary: `Read the versions of ${part.length} clusters` }, [{ clusters: part }]),
    ),
  );
  return {
    readAt: read[0]?.readAt ?? new Date().toISOString(),
    clusters: read.flatMap((part) => part.clusters),
    offered: read.find(({ offered }) => offered.length > 0)?.offered ?? [],
  };
}
