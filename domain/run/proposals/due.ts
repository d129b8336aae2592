/** Which campaigns are due, from what was read of all clusters. Pure; what is not known is said, and hides nothing that is. */
import type { SupportedVersion } from '../../facts/facts.ts';
import {
  compareKubernetesVersions,
  formatKubernetesVersion,
  type KubernetesVersion,
  nextMinor,
  parseKubernetesVersion,
  tryKubernetesVersion,
} from '../../core/version.ts';
import { because } from '../../core/text.ts';
import { defined } from '../../core/defined.ts';
import { isListed, supportOf } from '../fleet.ts';
import { alarmOf } from '../fleet-view/alarms.ts';
import { type FleetMember, placeId } from '../fleet-view/reading.ts';
import { fleetView } from '../fleet-view/view.ts';
import type { Looked, PlaceCount, ProposalFacts, Unread } from './proposal.ts';

/** What EKS offers in a region of an account; empty: it could not be read. */
export interface Offer {
  account: string;
  region: string;
  offered: SupportedVersion[];
  why?: string;
}

export interface LookInput {
  /** EKS's own Date, ISO 8601. */
  readAt: string;
  withinDays: number;
  members: readonly FleetMember[];
  offers: readonly Offer[];
  /** Environments in the order in which they are upgraded. */
  order: readonly string[];
  /** Open campaigns by cluster, account/region/name. */
  owners: Readonly<Record<string, string>>;
  /** Why it could not be read which are open. */
  ownersUnread?: string;
}

/** Reasons that are told. */
const REASONS = 3;

/**
 * A target is due once EKS offers it in all regions of the clusters one minor below it, as far as that was read; or once one of those that could start
 * leaves standard support within `withinDays`. Clusters that an open campaign has are under way.
 */
export function dueIn(input: LookInput): Looked {
  const { members, offers, readAt, owners, ownersUnread } = input;
  const unread = unreadOf(members);
  const read = members.filter(({ version }) => tryKubernetesVersion(version ?? '') !== undefined);
  if (read.length === 0) return { kind: 'unread', why: unread.why };
  const hasOffers = read.some(({ cluster }) => offerAt(offers, cluster).length > 0);
  if (!hasOffers) {
    const why = offers.map((offer) => `what EKS offers in ${offer.region} could not be read${because(offer.why)}`);
    return { kind: 'unread', why: [...new Set(why)].slice(0, REASONS) };
  }
  const free = read.filter(({ cluster }) => owners[placeId(cluster)] === undefined);
  const found = [...Map.groupBy(free, ({ version = '' }) => formatKubernetesVersion(parseKubernetesVersion(version)))]
    .map(([from, group]) => ({ from: parseKubernetesVersion(from), group }))
    .toSorted((a, b) => compareKubernetesVersions(a.from, b.from))
    .map(({ from, group }) => factsOf(from, group, unread, input));
  const isDue = ({ facts, isUrgent }: Found): boolean => facts.clusterCount > 0 && (facts.lacking.length === 0 || isUrgent);
  const underWayCount = read.length - free.length;
  return {
    kind: 'read',
    readAt,
    due: found.filter(isDue).map(({ facts }) => facts),
    waiting: found
      .filter((each) => each.facts.clusterCount > 0 && !isDue(each))
      .map(({ facts: { target, clusterCount, lacking } }) => ({ target, clusterCount, lacking })),
    unread: withUnknownOffers(unread, found),
    ...(underWayCount === 0 ? {} : { underWayCount }),
    ...defined({ campaignsUnread: ownersUnread }),
  };
}

interface Found {
  facts: ProposalFacts;
  isUrgent: boolean;
}

function factsOf(
  at: KubernetesVersion,
  group: readonly FleetMember[],
  unread: Unread,
  { offers, order, readAt, withinDays }: LookInput,
): Found {
  const from = formatKubernetesVersion(at);
  const target = formatKubernetesVersion(nextMinor(at));
  const standing = (member: FleetMember): 'offered' | 'lacking' | 'unread' => {
    const offered = offerAt(offers, member.cluster);
    if (offered.length === 0) return 'unread';
    return isListed(target, offered) ? 'offered' : 'lacking';
  };
  const starting = group.filter((member) => standing(member) === 'offered');
  const offered = offers.flatMap((offer) => offer.offered);
  const support = supportOf(from, offered);
  const notAsked = { from: 'unread' as const, why: 'not asked' };
  const sources = { versions: { from: 'worker' as const }, runs: notAsked, campaigns: notAsked };
  const reading = { readAt, members: starting, offered, runs: [], keptFreezes: [], campaigns: [], sources };
  const { accounts, total } = fleetView(reading, withinDays);
  const { endOfStandardSupport, endOfExtendedSupport } = support;
  const facts = {
    target,
    from,
    readAt,
    withinDays,
    clusterCount: starting.length,
    environments: byEnvironment(starting, order),
    ...defined({ endOfStandardSupport, endOfExtendedSupport }),
    forcedCount: starting.filter(({ supportType }) => supportType === 'STANDARD').length,
    accounts: accounts.map(({ account, clusterCount, unknownCount, usdPerDay, usdWithin }) => ({
      account,
      clusterCount,
      unknownCount,
      usdPerDay,
      usdWithin,
    })),
    total,
    lacking: byPlace(group.filter((member) => standing(member) === 'lacking')),
    offersUnread: byPlace(group.filter((member) => standing(member) === 'unread')),
    unread,
  };
  return { facts, isUrgent: starting.some(({ supportType }) => alarmOf(support, readAt, withinDays, supportType) !== undefined) };
}

/** In the order of the environments, then by name. */
function byEnvironment(members: readonly FleetMember[], order: readonly string[]): ProposalFacts['environments'] {
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...Map.groupBy(members, ({ environment, cluster }) => environment ?? cluster.name)]
    .map(([name, own]) => ({ name, clusterCount: own.length }))
    .toSorted((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
}

function byPlace(members: readonly FleetMember[]): PlaceCount[] {
  return [...Map.groupBy(members, ({ cluster: { account, region } }) => `${account}/${region}`)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([place, own]) => {
      const [account = '', region = ''] = place.split('/');
      return { account, region, clusterCount: own.length };
    });
}

function unreadOf(members: readonly FleetMember[]): Unread {
  const without = members.filter(({ version }) => tryKubernetesVersion(version ?? '') === undefined);
  const why = without.map(
    ({ version, why: said }) => said ?? (version === undefined ? 'EKS names no version' : `"${version}" is no version`),
  );
  return { count: without.length, why: [...new Set(why)].slice(0, REASONS) };
}

/** Clusters whose target is not proposed, only because nobody knows whether EKS offers it, were not read either. */
function withUnknownOffers(unread: Unread, found: readonly Found[]): Unread {
  const places = found.filter(({ facts }) => facts.clusterCount === 0).flatMap(({ facts }) => facts.offersUnread);
  if (places.length === 0) return unread;
  const why = places.map(({ region }) => `what EKS offers in ${region} is not known`);
  return {
    count: unread.count + places.reduce((all, { clusterCount }) => all + clusterCount, 0),
    why: [...new Set([...unread.why, ...why])].slice(0, REASONS),
  };
}

const offerAt = (offers: readonly Offer[], { account, region }: { account: string; region: string }): SupportedVersion[] =>
  offers.find((offer) => offer.account === account && offer.region === region)?.offered ?? [];
