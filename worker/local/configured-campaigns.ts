/** Campaigns of belay.yaml that are not open, planned from what the fleet's overview has read of clusters: for a forecast, never for a start. */
import { planCampaign } from '../../domain/plan/campaign/plan-campaign.ts';
import type { FleetMember as PlannedFrom } from '../../domain/plan/campaign/types.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { isListed } from '../../domain/run/fleet.ts';
import type { CampaignReading, FleetReading } from '../../domain/run/fleet-view/reading.ts';
import { placeId } from '../../domain/run/fleet-view/reading.ts';
import { eksRelease } from '../../domain/tables/eks-calendar.ts';
import { defined } from '../../domain/core/defined.ts';

/** Neither tags, records nor nodes are read here: a campaign that selects by tags says so, and runs have their assumed length. */
export function configuredCampaigns(
  config: Config,
  { members, offered, readAt }: Pick<FleetReading, 'members' | 'offered' | 'readAt'>,
  open: ReadonlySet<string>,
): CampaignReading[] {
  const read = new Map(members.map((member) => [placeId(member.cluster), member]));
  const isWhole = config.clusterNames.every((name) => read.has(placeId(policyOf(config, name).cluster)));
  return [...config.campaigns.values()].flatMap((campaign): CampaignReading[] => {
    const { name, target } = campaign;
    if (open.has(name)) return [];
    if (!isWhole) return [{ kind: 'not-planned', name }];
    const isOffered = offered.length === 0 ? eksRelease(target) !== undefined : isListed(target, offered);
    const fleet = config.clusterNames.map((each): PlannedFrom => {
      const { cluster, environment } = policyOf(config, each);
      const { version, supportType, why } = read.get(placeId(cluster)) ?? {};
      return { cluster, environment, offered: isOffered, ...defined({ version, supportType, why }) };
    });
    return [{ kind: 'configured', name, plan: planCampaign(campaign, fleet, readAt) }];
  });
}
