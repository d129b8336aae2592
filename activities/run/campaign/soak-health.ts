/** How clusters of a ring are while it soaks: alerts of Prometheus where there is one, and nodes. What cannot be read is never green. */
import { alertsText } from '../../../domain/health/alerts.ts';
import { hasLasted, type TroubleKindName } from '../../../domain/health/cluster-trouble.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { type HealthReading, worstOf } from '../../../domain/run/campaign/soak.ts';
import type { CampaignActivities } from '../../contract/campaign.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { lookAt } from '../../observe/cluster-state/read-state.ts';
import { alertsNow } from '../../observe/health/query.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';

const MAX_WHY = 200;
const NODES: readonly TroubleKindName[] = ['node-not-ready', 'node-never-joined'];

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
    const { sightings, unseen, nowMs } = await lookAt(ports.kubernetes);
    // Karpenter launches and replaces nodes all day: one that is starting or going is no red health.
    const nodes = sightings.filter((each) => NODES.includes(each.kind) && hasLasted(each, nowMs));
    if (nodes.length > 0)
      return {
        seen: 'red',
        why: nodes
          .map(({ line }) => line)
          .join(', ')
          .slice(0, MAX_WHY),
      };
    if (unseen.length > 0) return { seen: 'unread', why: unseen.join(', ').slice(0, MAX_WHY) };
    const { health } = deps.policyOf(cluster.name);
    // As in its run: whoever ignores alerts there waits for none of them here.
    if (ports.prometheus === undefined || health?.alerts === 'ignore') return { seen: 'green' };
    const alerts = await alertsNow(ports, health?.ignoreAlerts ?? []);
    if (alerts.kind === 'quiet') return { seen: 'green' };
    return alerts.kind === 'firing'
      ? { seen: 'red', why: alertsText(alerts).slice(0, MAX_WHY) }
      : { seen: 'unread', why: alerts.why.slice(0, MAX_WHY) };
  } catch (error) {
    return { seen: 'unread', why: messageOf(error).slice(0, MAX_WHY) };
  }
}
