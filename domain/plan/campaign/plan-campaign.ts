/** A campaign's plan: each cluster with what becomes of it, each ring with its numbers, and the hash that people approve. */
import { tryMinorDistance } from '../../core/version.ts';
import { sha256 } from '../../core/sha256.ts';
import { stableJson } from '../../core/stable-json.ts';
import { type CampaignPolicy, countOf, type RingPolicy } from '../../policy/campaigns.ts';
import { defined } from '../../core/defined.ts';
import { compareText } from '../../core/text.ts';
import { assignRings } from './select.ts';
import { type CampaignPlan, type FleetMember, memberKey, type MemberVerdict, type PlannedMember, type PlannedRing } from './types.ts';

/** Pure: the same fleet and policy give the same hash, whenever it is asked. `now`: ISO 8601. */
export function planCampaign(policy: CampaignPolicy, fleet: readonly FleetMember[], now: string): CampaignPlan {
  const { rings: assigned, excluded, warnings, problems } = assignRings(policy, fleet, now.slice(0, 10));
  const rings: PlannedRing[] = [];
  const tried = new Set<string>();
  for (const [index, { members }] of assigned.entries()) {
    const ring = policy.rings[index];
    if (ring === undefined) continue;
    const kinds = [...new Set(members.flatMap((member) => member.kinds ?? []))].toSorted();
    rings.push(ringOf(ring, members, policy, index === 0 ? [] : kinds.filter((kind) => !tried.has(kind))));
    for (const kind of kinds) tried.add(kind);
  }
  const owned = assigned.flatMap(({ members }) => members).filter(({ owner }) => owner !== undefined && owner !== policy.name);
  const refused = owned.map(
    ({ cluster, owner }) =>
      `${memberKey(cluster)} belongs to campaign ${owner}. A cluster is in one campaign at a time: end that one, or exclude it here.`,
  );
  const { name: campaign, target, finishBy } = policy;
  const approved = {
    campaign,
    target,
    rings,
    excluded: excluded.toSorted((a, b) => compareText(memberKey(a.cluster), memberKey(b.cluster))),
    limits: limitsOf(policy),
    ...defined({ finishBy }),
  };
  return { ...approved, madeAt: now, warnings, problems: [...problems, ...refused], hash: hashOf(approved) };
}

export const limitsOf = ({ parallel, perAccount, perRegion, startsPerMinute, stuckAfterMs }: CampaignPolicy): CampaignPlan['limits'] => ({
  ...defined({ parallel, perAccount, perRegion, startsPerMinute }),
  stuckAfterMs,
});

/** The plan's own hash; another one than it carries, and somebody has changed it. */
export const hashOfPlan = ({ campaign, rollbackOf, target, rings, excluded, limits, finishBy }: Hashed): string =>
  hashOf({ campaign, target, rings, excluded, limits, ...defined({ finishBy, rollbackOf }) });

type Hashed = Omit<CampaignPlan, 'hash' | 'madeAt' | 'warnings' | 'problems'>;

/** What is approved: neither what was read on the way, nor when. */
function hashOf(approved: Hashed): string {
  const rings = approved.rings.map(({ members, untested: _untested, ...ring }) => ({
    ...ring,
    members: members.map(({ cluster, verdict, from }) => ({ key: memberKey(cluster), from, verdict: verdict.kind })),
  }));
  return sha256(stableJson({ ...approved, rings })).slice(0, 12);
}

function ringOf(policy: RingPolicy, fleet: readonly FleetMember[], campaign: CampaignPolicy, untested: string[]): PlannedRing {
  const { name, canary, soakMs, soakOnRed, promotion, coversStart, order = [] } = policy;
  const placeOf = (cluster: string): number => (order.includes(cluster) ? order.indexOf(cluster) : order.length);
  const members = fleet
    .map((member) => plannedMember(member, campaign))
    .toSorted(
      (a, b) =>
        placeOf(a.cluster.name) - placeOf(b.cluster.name) ||
        compareText(a.cluster.name, b.cluster.name) ||
        compareText(memberKey(a.cluster), memberKey(b.cluster)),
    );
  const { parallel, failures, succeed } = numbersOf(policy, members.length);
  return { name, canary, soakMs, soakOnRed, promotion, coversStart, parallel, failures, succeed, members, untested };
}

/** Shares as numbers: rounded down; something always runs, and an empty success is none. */
export function numbersOf(
  { parallel, failures, succeed }: RingPolicy,
  size: number,
): { parallel: number; failures: number; succeed: number } {
  const mayFail = countOf(failures, size, 0);
  const least = size === 0 ? 0 : 1;
  return {
    parallel: countOf(parallel, size, 1),
    failures: mayFail,
    succeed: succeed === undefined ? Math.max(least, size - mayFail) : countOf(succeed, size, 1),
  };
}

function plannedMember(member: FleetMember, { target, hops }: CampaignPolicy): PlannedMember {
  const { cluster, environment, version, readiness, p90Ms, supportType } = member;
  return {
    cluster,
    environment,
    ...defined({ from: version, readiness, p90Ms, supportType }),
    verdict: verdictOf(member, target, hops),
  };
}

function verdictOf({ version, why, offered }: FleetMember, target: string, hops: CampaignPolicy['hops']): MemberVerdict {
  const minors = tryMinorDistance(version, target);
  if (minors === undefined) return { kind: 'held', why: `its version is not known: ${why ?? 'EKS names none'}` };
  if (minors === 0) return { kind: 'done' };
  if (minors < 0) return { kind: 'ahead', version: version ?? '' };
  if (minors > 1 && hops === 'refuse')
    return {
      kind: 'refused',
      why: `it is at ${version}, ${minors} minors below ${target}; write hops: allowed, or first upgrade it to the minor before ${target}`,
    };
  if (offered === false) return { kind: 'held', why: `EKS does not offer ${target} in its region yet` };
  if (offered === undefined) return { kind: 'held', why: `it is not known whether EKS offers ${target} in its region` };
  return { kind: 'upgrade', minors };
}
