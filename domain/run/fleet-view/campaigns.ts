/** From what campaigns say of themselves, and from what belay.yaml plans, to boards. */
import { messageOf } from '../../core/unknown.ts';
import { bestChange, costOfWaiting, forecastRings, type RingForecast } from '../../plan/campaign/forecast.ts';
import type { Fits } from '../../plan/campaign/lay-out.ts';
import type { CampaignPlan, PlannedMember, PlannedRing } from '../../plan/campaign/types.ts';
import { defined } from '../../core/defined.ts';
import { type CampaignOutlook, outlookOf } from '../campaign/outlook.ts';
import { soakLeftMs } from '../campaign/soak.ts';
import { firstState, hasArrived, membersOf, type MemberState, needsPeople, type RingState } from '../campaign/state.ts';
import { campaignView, fleetSize, memberNote } from '../campaign/view.ts';
import { supportOf } from '../fleet.ts';
import type { BoardMember, BoardRing, CampaignBoard, CampaignForecast, ForecastRing, SupportEnd } from './board.ts';
import { checkBoard, checkPlan } from './check-board.ts';
import { type CampaignReading, type CampaignSaid, type FleetReading, type Place, placeId } from './reading.ts';

/** A campaign that has no board, and why. */
export interface NamedCampaign {
  name: string;
  why: string;
}

export interface FleetCampaigns {
  /** Open ones first. */
  campaigns: CampaignBoard[];
  /** Open, and nothing is known of their clusters. */
  unreadCampaigns: NamedCampaign[];
  /** Nothing to show, and nothing wrong. */
  otherCampaigns: NamedCampaign[];
}

/** `fits`: windows and freezes of belay.yaml. */
export function campaignsOf(reading: FleetReading, fits?: Fits): FleetCampaigns {
  const found: FleetCampaigns = { campaigns: [], unreadCampaigns: [], otherCampaigns: [] };
  const places = new Set(reading.members.map(({ cluster }) => placeId(cluster)));
  for (const campaign of reading.campaigns) add(found, campaign, { reading, places, fits });
  const open = ({ from }: CampaignBoard): number => Number(from === 'configuration');
  return { ...found, campaigns: found.campaigns.toSorted((a, b) => open(a) - open(b)) };
}

interface Read {
  reading: FleetReading;
  places: ReadonlySet<string>;
  fits: Fits | undefined;
}

function add(found: FleetCampaigns, campaign: CampaignReading, { reading, places, fits }: Read): void {
  const { name } = campaign;
  const other = (why: string): void => void found.otherCampaigns.push({ name, why });
  switch (campaign.kind) {
    case 'unread':
      return void found.unreadCampaigns.push({ name, why: campaign.why });
    case 'not-planned':
      return other('it is in belay.yaml, and is planned here only where all clusters are asked for');
    case 'configured':
      if (isThere(campaign.plan)) return other('it is in belay.yaml, and all its clusters are at the target or ahead of it');
      return void found.campaigns.push(plannedBoard(name, campaign.plan, reading, fits));
    case 'open':
      // Whoever may start workflows may have started this one with anything.
      try {
        const board = checkBoard(openBoard(name, campaign.said, reading, fits));
        if (board.rings.some(({ members }) => members.some(({ cluster }) => places.has(placeId(cluster)))))
          return void found.campaigns.push(board);
        return other('it is open, and has none of these clusters');
      } catch (error) {
        return void found.unreadCampaigns.push({ name, why: `what it says is not that of a campaign: ${messageOf(error)}` });
      }
  }
}

const isThere = ({ rings, problems }: CampaignPlan): boolean =>
  problems.length === 0 && rings.every(({ members }) => members.every((member) => hasArrived(firstState(member))));

function openBoard(name: string, said: CampaignSaid, reading: FleetReading, fits: Fits | undefined): CampaignBoard {
  const { plan, state, gates, lookedAt } = said;
  checkPlan(plan);
  const { phase, headline } = campaignView(said);
  const rings = plan.rings.map((ring, index) => ringOf(ring, state.rings[index], membersOf(state, ring)));
  return {
    ...about(name, plan, reading),
    from: 'workflow',
    state: phase,
    headline,
    gates: gates.map(({ id, title, expiresAt }) => ({ id, title, expiresAt })),
    rings,
    problems: [],
    forecast: forecastOf(plan, outlookOf(plan, state, reading.readAt, supportIn(reading), fits), { reading, fits }),
    ...defined({ lookedAt }),
  };
}

function plannedBoard(name: string, plan: CampaignPlan, reading: FleetReading, fits: Fits | undefined): CampaignBoard {
  const isKnown = reading.sources.campaigns.from === 'temporal';
  return {
    ...about(name, plan, reading),
    from: 'configuration',
    state: 'planned',
    headline: `Forecast of what belay.yaml says for ${fleetSize(plan)}; ${isKnown ? 'it is not open' : 'whether it is open is not known'}.`,
    gates: [],
    rings: plan.rings.map((ring) =>
      ringOf(
        ring,
        undefined,
        ring.members.map((member) => ({ member, is: firstState(member) })),
      ),
    ),
    problems: plan.problems,
    forecast: forecastOf(plan, plannedOutlook(plan, reading, fits), { reading, fits }),
  };
}

const about = (name: string, plan: CampaignPlan, { readAt }: FleetReading): Pick<CampaignBoard, 'name' | 'target' | 'at' | 'excluded'> => ({
  name,
  target: plan.target,
  at: readAt,
  excluded: plan.excluded.map(({ cluster, reason, until }) => ({ cluster: placeOf(cluster), reason, ...defined({ until }) })),
  ...defined({ finishBy: plan.finishBy }),
});

function ringOf(ring: PlannedRing, is: RingState | undefined, members: readonly { member: PlannedMember; is: MemberState }[]): BoardRing {
  const soaks = is?.state === 'soaking' ? is.soak : undefined;
  return {
    name: ring.name,
    state: is?.state ?? 'planned',
    members: members.map(
      ({ member, is: of }): BoardMember => ({
        cluster: placeOf(member.cluster),
        state: of.kind,
        needsPeople: needsPeople(of),
        ...defined({ note: memberNote(of) }),
      }),
    ),
    ...defined({ note: is?.why }),
    ...(soaks === undefined
      ? {}
      : {
          soak: { leftMs: soakLeftMs(soaks, ring), watchedMs: soaks.watchedMs, seen: soaks.seen, ...defined({ why: soaks.why }) },
        }),
  };
}

const placeOf = ({ name, account, region }: Place): Place => ({ name, account, region });

function plannedOutlook(plan: CampaignPlan, reading: FleetReading, fits: Fits | undefined): CampaignOutlook {
  const { of, typeOf } = supportIn(reading);
  const now = reading.readAt;
  const rings = forecastRings(plan.rings, now, fits, plan.limits).map((ring) => ({ ...ring, kind: 'forecast' as const }));
  return { rings, costs: costOfWaiting(plan, rings, of, typeOf), ...defined({ best: bestChange(plan.rings, now, plan.limits, fits) }) };
}

/** As EKS says of versions and clusters; without its answer by Belay's table, and by the default of EKS's API. */
function supportIn({ offered, members }: FleetReading): Parameters<typeof outlookOf>[3] {
  const types = new Map(members.map(({ cluster, supportType }) => [placeId(cluster), supportType]));
  return { of: (minor) => supportOf(minor, offered), typeOf: ({ cluster }) => types.get(placeId(cluster)) };
}

/** Waiting to go back costs nothing, and ends the support of no version: that of the version below ends earlier. */
function forecastOf(
  plan: CampaignPlan,
  { rings, costs, best }: CampaignOutlook,
  { reading, fits }: Omit<Read, 'places'>,
): CampaignForecast {
  const dates = { withinWindows: fits !== undefined, rings: rings.map(forecastRing) };
  if (plan.rollbackOf !== undefined) return { ...dates, support: [], costs: [] };
  return {
    ...dates,
    support: supportEnds(plan, reading),
    costs: costs.filter(({ usd, forced }) => usd > 0 || forced.length > 0),
    ...defined({ best }),
  };
}

function forecastRing({ ring, kind, from, arrives, until, runMs, assumed, never }: CampaignOutlook['rings'][number]): ForecastRing {
  return {
    name: ring,
    from,
    until: arrives,
    ...(until === arrives ? {} : { soakUntil: until }),
    basis: basisOf(kind, { runMs, assumed }),
    ...defined({ never }),
  };
}

function basisOf(
  kind: CampaignOutlook['rings'][number]['kind'],
  { runMs, assumed }: Pick<RingForecast, 'runMs' | 'assumed'>,
): ForecastRing['basis'] {
  if (kind === 'passed') return { kind: 'happened' };
  if (kind === 'soaking') return { kind: 'soaking' };
  return runMs === 0 ? { kind: 'nothing-to-upgrade' } : { kind: assumed ? 'assumed' : 'records', runMs };
}

/** Of the versions below the target that clusters were at when it was planned, by EKS's dates. */
function supportEnds({ rings }: CampaignPlan, { offered }: FleetReading): SupportEnd[] {
  const minors = rings.flatMap(({ members }) => members.flatMap(({ from, verdict }) => (verdict.kind === 'upgrade' ? (from ?? []) : [])));
  const ends = [...Map.groupBy(minors, (minor) => minor)].flatMap(([minor, all]): SupportEnd[] => {
    const { endOfStandardSupport, endOfExtendedSupport } = supportOf(minor, offered);
    const dates = [
      { kind: 'standard' as const, on: endOfStandardSupport },
      { kind: 'extended' as const, on: endOfExtendedSupport },
    ];
    return dates.flatMap(({ kind, on }) => (on === undefined ? [] : [{ minor, kind, on, clusterCount: all.length }]));
  });
  return ends.toSorted((a, b) => a.on.localeCompare(b.on) || a.minor.localeCompare(b.minor));
}
