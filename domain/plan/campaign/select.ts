/** Which cluster is in which ring. Every cluster of the selection is in exactly one, or left out with a reason, or nothing may start. */
import type { CampaignExclusion, CampaignPolicy, ClusterSelection } from '../../policy/campaigns.ts';
import { type ExcludedMember, type FleetMember, memberKey } from './types.ts';

export interface Assignment {
  /** In the order of the campaign's rings. */
  rings: { name: string; members: FleetMember[] }[];
  excluded: ExcludedMember[];
  warnings: string[];
  problems: string[];
}

/** `today`: "2026-11-26", UTC. */
export function assignRings(policy: CampaignPolicy, fleet: readonly FleetMember[], today: string): Assignment {
  const problems: string[] = [];
  const warnings: string[] = [];
  const excluded: ExcludedMember[] = [];
  const rings = policy.rings.map(({ name }) => ({ name, members: [] as FleetMember[] }));
  /** Rings that a cluster may be in whose tags could not be read. */
  const unsure = new Set<string>();
  const over = policy.exclude.filter((each) => isOver(each, today));
  for (const { clusters, until } of over)
    warnings.push(`The exclusion of ${clusters.join(', ')} ended on ${until}: they are no longer excluded.`);
  for (const member of fleet) {
    if (!mayBeSelected(policy.select, member)) continue;
    const exclusion = exclusionOf(policy, member.cluster, today);
    if (exclusion !== undefined) {
      const { reason, until } = exclusion;
      excluded.push({ cluster: member.cluster, reason, ...(until === undefined ? {} : { until }) });
      continue;
    }
    if (hingesOnTags(policy, member)) {
      problems.push(`${memberKey(member.cluster)}: its tags could not be read${because(member)}, and the campaign selects by tags.`);
      for (const name of ringsFor(policy, member)) unsure.add(name);
      continue;
    }
    const matching = policy.rings.flatMap(({ select }, index) => (isSelected(select, member) ? [index] : []));
    const [first] = matching;
    if (first === undefined) {
      if (policy.rest === 'exclude') excluded.push({ cluster: member.cluster, reason: 'it is in no ring' });
      else problems.push(`${memberKey(member.cluster)} is in no ring. Add it to one, exclude it with a reason, or write rest: exclude.`);
    } else if (matching.length > 1) {
      const of = matching.map((index) => policy.rings[index]?.name).join(' and ');
      problems.push(`${memberKey(member.cluster)} is in rings ${of}. A cluster can be in only one ring.`);
    } else rings[first]?.members.push(member);
  }
  for (const [index, { name, members }] of rings.entries())
    if (members.length === 0 && policy.rings[index]?.optional !== true && !unsure.has(name))
      problems.push(`Ring ${name} has no cluster. Correct what it selects, or write optional: true.`);
  return { rings, excluded, warnings, problems };
}

const isOver = ({ until }: CampaignExclusion, today: string): boolean => until !== undefined && until < today;

/** That leaves a cluster out now. `today`: as above. */
export const exclusionOf = (
  { exclude }: Pick<CampaignPolicy, 'exclude'>,
  { name }: Pick<FleetMember['cluster'], 'name'>,
  today: string,
): CampaignExclusion | undefined => exclude.find((each) => !isOver(each, today) && each.clusters.includes(name));

const because = ({ why }: FleetMember): string => (why === undefined ? '' : ` (${why})`);

/** Is it only for want of its tags not known whether the campaign or a ring selects it? */
const hingesOnTags = ({ select, rings }: CampaignPolicy, member: FleetMember): boolean =>
  member.tags === undefined &&
  [select, ...rings.map((ring) => ring.select)].some((each) => each.tags !== undefined && mayBeSelected(each, member));

const isSelected = (select: ClusterSelection, member: FleetMember): boolean =>
  mayBeSelected(select, member) && (select.tags === undefined || member.tags !== undefined);

/** Rings in which a cluster may be, by what is known of it. */
export const ringsFor = (
  { select, rings }: Pick<CampaignPolicy, 'select' | 'rings'>,
  member: Parameters<typeof mayBeSelected>[1],
): string[] => (mayBeSelected(select, member) ? rings.flatMap(({ name, select: own }) => (mayBeSelected(own, member) ? [name] : [])) : []);

/** By what is known: tags that were not read may be any. */
export function mayBeSelected(
  { environments, accounts, regions, tags, clusters }: ClusterSelection,
  member: Pick<FleetMember, 'cluster' | 'environment' | 'tags'>,
): boolean {
  const { cluster, environment } = member;
  const among = (list: readonly string[] | undefined, value: string): boolean => list === undefined || list.includes(value);
  return (
    among(environments, environment) &&
    among(accounts, cluster.account) &&
    among(regions, cluster.region) &&
    among(clusters, cluster.name) &&
    (member.tags === undefined || Object.entries(tags ?? {}).every(([key, value]) => member.tags?.[key] === value))
  );
}
