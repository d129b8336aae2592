/** What the look for campaigns that are due needs of belay.yaml, and what it comes to. */
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { deliveriesOfSome } from '../../../domain/policy/deliveries.ts';
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { ProposalPolicy } from '../../../domain/policy/proposals.ts';
import { type FleetMember, placeId } from '../../../domain/run/fleet-view/reading.ts';
import { dueIn, type Offer } from '../../../domain/run/proposals/due.ts';
import { environmentOrder } from '../../../domain/run/proposals/order.ts';
import { campaignSnippet } from '../../../domain/run/proposals/snippet.ts';
import type { ProposalActivities, RegionRead } from '../../contract/proposals.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { CampaignRuns } from '../campaign/runs.ts';
import { intervalsOf } from '../windows/intervals.ts';

export interface ProposalDeps {
  /** belay.yaml as it is now; throws where it cannot be read. */
  file: () => { proposals?: ProposalPolicy; campaigns: readonly CampaignPolicy[]; policies: readonly UpgradePolicy[] };
  runs: Pick<CampaignRuns, 'owners'>;
  nowMs?: () => number;
}

const DAY_MS = 24 * 60 * 60_000;
/** Every day of the week is among these, also where one has no such hour because clocks change. */
const HORIZON_MS = 15 * DAY_MS;
const NOT_ANSWERED = 'it is missing from the answer';

export function createProposalActivities({ file, runs, nowMs = Date.now }: ProposalDeps): ProposalActivities {
  const readFile = (): ReturnType<ProposalDeps['file']> => {
    try {
      return file();
    } catch (error) {
      throw failureOf('Configuration', messageOf(error), { cause: error });
    }
  };
  return {
    async loadProposals({ after }) {
      const { proposals, policies } = readFile();
      const [first] = policies;
      if (proposals === undefined || first === undefined) return {};
      const afterMs = Math.max(nowMs(), after === undefined ? 0 : Date.parse(after));
      const { approvals, channel, timing, windows } = proposals;
      const { deliveries: _ofFirst, ...shared } = first;
      const deliveries = deliveriesOfSome(policies);
      return {
        proposals: {
          nextAt: new Date(nextLookMs(proposals.at, afterMs)).toISOString(),
          policy: { ...shared, ...(deliveries.length === 0 ? {} : { deliveries }), approvals, channel, timing, windows },
          clusters: policies.map(({ cluster }) => cluster),
        },
      };
    },

    async judgeProposals({ read }) {
      const { proposals, policies } = readFile();
      if (proposals === undefined) throw failureOf('Configuration', 'belay.yaml has no proposals any more');
      const owners = await runs.owners().catch((error: unknown) => messageOf(error));
      return {
        looked: dueIn({
          readAt:
            read
              .map(({ readAt }) => readAt)
              .toSorted()
              .at(-1) ?? new Date(nowMs()).toISOString(),
          withinDays: proposals.withinDays,
          members: membersOf(policies, read),
          offers: offersOf(read),
          order: environmentOrder(policies),
          ...(typeof owners === 'string' ? { owners: {}, ownersUnread: owners } : { owners }),
        }),
      };
    },

    async describeProposal({ facts }) {
      const { campaigns } = readFile();
      const names = campaigns.filter(({ target }) => target === facts.target).map(({ name }) => name);
      if (names.length > 0) return { campaigns: names };
      const taken = campaigns.map(({ name }) => name);
      return { campaigns: [], snippet: campaignSnippet(facts, taken) };
    },
  };
}

/** The first one after that time. */
export function nextLookMs({ days, start, timeZone }: ProposalPolicy['at'], afterMs: number): number {
  // An hour: so long that one which clocks leave out does not swallow it, so short that two never touch.
  const hour = Number(start.slice(0, 2));
  const end = hour === 23 ? '24:00' : `${String(hour + 1).padStart(2, '0')}${start.slice(2)}`;
  const looks = intervalsOf([{ days, start, end, timeZone }], afterMs, afterMs + HORIZON_MS);
  return looks.find(({ startMs }) => startMs > afterMs)?.startMs ?? afterMs + 7 * DAY_MS;
}

/** Of every cluster of belay.yaml, read or not. */
function membersOf(policies: readonly UpgradePolicy[], read: readonly RegionRead[]): FleetMember[] {
  const found = new Map(
    read.flatMap(({ account, region, clusters }) => clusters.map((each) => [placeId({ account, region, name: each.name }), each] as const)),
  );
  return policies.map(({ cluster, environment }) => {
    const { version, supportType, why } = found.get(placeId(cluster)) ?? { why: NOT_ANSWERED };
    return { cluster, environment, ...defined({ version, supportType, why }) };
  });
}

/** Of one region several answers: the first that says anything. */
function offersOf(read: readonly RegionRead[]): Offer[] {
  return [...Map.groupBy(read, ({ account, region }) => `${account}/${region}`).values()].flatMap((answers) => {
    const best = answers.find(({ offered }) => offered.length > 0) ?? answers[0];
    if (best === undefined) return [];
    const { account, region, offered, whyNotOffered: why } = best;
    return [{ account, region, offered, ...defined({ why }) }];
  });
}
