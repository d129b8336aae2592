/** How clusters of a ring are while it soaks: alerts of Prometheus where there is one, and nodes. What cannot be read is never green. */
import { alertsText } from '../../../domain/health/alerts.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { type HealthReading, worstOf } from '../../../domain/run/campaign/soak.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { lookAt } from '../../observe/cluster-state/read-state.ts';
import { alertsNow } from '../../observe/health/query.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';

const MAX_WHY = 200;

export function createSoakActivities(deps: KubernetesDeps): Pick<CampaignActivities, 'readSoakHealth'> {
  return {
    async readSoakHealth({ clusters }) {
      return worstOf(
        await someAtOnce(clusters, async (cluster) => {
          const { seen, why } = await readingOf(deps, cluster);
          return { seen, ...(why === undefined ? {} : { why: `${cluster.name}: ${why}` }) };
        }),
      );
    },
  };
}

async function readingOf(deps: KubernetesDeps, cluster: ClusterRef): Promise<HealthReading> {
  try {
    const ports = await deps.clusterPorts(cluster);
    const { sightings, unseen } = await lookAt(ports.kubernetes);
    const nodes = sightings.filter(({ kind }) => kind === 'node-not-ready' || kind === 'node-never-joined');
    if (nodes.length > 0)
      return {
        seen: 'red',
        why: nodes
          .map(({ line }) => line)
          .join(', ')
          .slice(0, MAX_WHY),
      };
    if (unseen.length > 0) return { seen: 'unread', why: unseen.join(', ').slice(0, MAX_WHY) };
    if (ports.prometheus === undefined) return { seen: 'green' };
    const alerts = await alertsNow(ports, ignoredBy(deps.policyOf(cluster.name)));
    if (alerts.kind === 'quiet') return { seen: 'green' };
    return alerts.kind === 'firing'
      ? { seen: 'red', why: alertsText(alerts).slice(0, MAX_WHY) }
      : { seen: 'unread', why: alerts.why.slice(0, MAX_WHY) };
  } catch (error) {
    return { seen: 'unread', why: messageOf(error).slice(0, MAX_WHY) };
  }
}

const ignoredBy = ({ health }: UpgradePolicy): string[] => health?.ignoreAlerts ?? [];
