/** Versions of many clusters at a glance, for forms and overviews: one call each, and what cannot be read is said. */
import type { ClusterVersion, FleetVersions } from '../../../domain/run/fleet.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { VersionActivities } from '../../contract/belay-activities.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import { listOfferedVersions } from '../../observe/inspect/eks.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { translateError } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

export function createVersionActivities({ aws }: Pick<ClusterDeps, 'aws'>): VersionActivities {
  return {
    async readVersions({ clusters: refs }) {
      const clusters = await someAtOnce(refs, (ref) => versionOf(aws, ref));
      const readable = refs.find((_, index) => clusters[index]?.version !== undefined);
      const client = readable === undefined ? undefined : aws(readable);
      // Without EKS's answer the calendar of domain/tables counts.
      const offers = client === undefined ? { offered: [] } : await offersOf(client);
      return { readAt: client?.eksDate() ?? new Date().toISOString(), clusters, ...offers };
    },
  };
}

async function offersOf(client: ReturnType<ClusterDeps['aws']>): Promise<Pick<FleetVersions, 'offered' | 'whyNotOffered'>> {
  try {
    return { offered: await listOfferedVersions(client) };
  } catch (error) {
    return { offered: [], whyNotOffered: translateError(error, 'reading what EKS offers').message.slice(0, 200) };
  }
}

async function versionOf(aws: ClusterDeps['aws'], ref: ClusterRef): Promise<ClusterVersion> {
  const { name } = ref;
  try {
    const { version, upgradePolicy } = await describeCluster(aws(ref), ref);
    if (version === undefined) return { name, why: 'EKS names no version' };
    return { name, version, ...defined({ supportType: upgradePolicy?.supportType }) };
  } catch (error) {
    return { name, why: translateError(error, `reading ${name}`).message.slice(0, 200) };
  }
}
