/** Typed stand-ins for the activities of campaigns: a fleet that a test writes down, whose runs are played by the test. */
import type { CampaignActivities, CampaignOf, KnownRing } from '../../activities/contract/campaign.ts';
import type { ProposalActivities } from '../../activities/contract/proposals.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { limitsOf, planCampaign } from '../../domain/plan/campaign/plan-campaign.ts';
import { exclusionOf, ringsFor } from '../../domain/plan/campaign/select.ts';
import { type FleetMember, memberKey } from '../../domain/plan/campaign/types.ts';
import type { WayBack } from '../../domain/facts/rollback-window.ts';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { Look } from '../../domain/run/campaign/looks.ts';
import type { HealthReading } from '../../domain/run/campaign/soak.ts';
import type { StartResult } from '../../domain/run/campaign/starts.ts';

const nothing = async (): Promise<never> => {
  throw new Error('this test has no campaign');
};

/** Of tests without a campaign. */
export function fakeCampaignActivities(_policy: UpgradePolicy): CampaignActivities & ProposalActivities {
  return {
    loadCampaign: nothing,
    readFleet: nothing,
    planCampaign: nothing,
    examineMember: nothing,
    findOpenRun: nothing,
    startMember: nothing,
    lookAtMembers: nothing,
    lookAtArrived: nothing,
    readSoakHealth: nothing,
    findRing: nothing,
    readWaysBack: nothing,
    examineWayBack: nothing,
    loadProposals: nothing,
    judgeProposals: nothing,
    describeProposal: nothing,
  };
}

/** The world of a campaign: what a test changes, and what it has asked. */
export class FakeFleet {
  campaign: CampaignPolicy;
  members: FleetMember[];
  /** What becomes of a cluster when it is looked at before its start; absent: it is ready. */
  readonly examined = new Map<string, { kind: 'ready' } | StartResult>();
  /** What a start comes to; absent: a run begins. */
  readonly refusals = new Map<string, StartResult>();
  /** The ring as its campaign knows it; absent: it is forgotten. */
  ring: KnownRing | undefined;
  /** Until when EKS takes clusters back; absent: it could not be read. */
  readonly ways = new Map<string, WayBack>();
  /** Runs that have begun, by cluster; ended ones say how. */
  readonly runs = new Map<string, Look & { runId?: string }>();
  readonly started: { name: string; of: CampaignOf; requestedBy: Actor; back?: true }[] = [];
  /** When the newest run of each began, by cluster, ISO 8601. */
  readonly #began = new Map<string, string>();
  health: HealthReading = { seen: 'green' };
  /** How often a cluster was looked at before its start. */
  examinedCount = 0;
  /** Most runs that were open at a time. */
  mostOpen = 0;

  constructor(campaign: CampaignPolicy, members: FleetMember[]) {
    this.campaign = campaign;
    this.members = members;
  }

  /** A run ends. */
  end(name: string, outcome: 'completed' | 'failed' | 'rolled-back' = 'completed', why: string = outcome): void {
    this.runs.set(name, { kind: 'ended', runId: `run-${name}`, outcome, why });
    const member = this.members.find(({ cluster }) => cluster.name === name);
    if (member !== undefined && outcome === 'completed') member.version = this.campaign.target;
  }

  get open(): string[] {
    return [...this.runs].flatMap(([name, { kind }]) => (kind === 'open' ? [name] : []));
  }

  /** Names of what was started, sorted: starts of one look are asked for at once, and arrive in any order. */
  get startedNames(): string[] {
    return this.started.map(({ name }) => name).toSorted();
  }

  activities(policy: UpgradePolicy): CampaignActivities {
    return {
      loadCampaign: async () => ({
        target: this.campaign.target,
        policy: { ...policy, approvals: this.campaign.approvals },
        clusters: this.members.map(({ cluster, environment }) => ({
          cluster,
          environment,
          rings: ringsFor(this.campaign, { cluster, environment }),
          ...(exclusionOf(this.campaign, cluster, '2026-11-26') === undefined ? {} : { excluded: true as const }),
        })),
        rings: this.campaign.rings,
        limits: limitsOf(this.campaign),
        covering: this.campaign.rings.flatMap(({ name, coversStart }) => (coversStart ? [name] : [])),
      }),
      readFleet: async ({ clusters }) => ({
        members: clusters.flatMap((cluster) => this.members.filter((member) => memberKey(member.cluster) === memberKey(cluster))),
      }),
      planCampaign: async ({ fleet }) => planCampaign(this.campaign, fleet, '2026-11-26T09:00:00.000Z'),
      examineMember: async ({ cluster }) => {
        this.examinedCount += 1;
        return this.examined.get(cluster.name) ?? this.#byVersion(cluster);
      },
      findOpenRun: async ({ cluster: { name } }) => ({ isOpen: this.runs.get(name)?.kind === 'open' }),
      startMember: async ({ cluster, of, requestedBy, askedAt, back }) => {
        const refused = this.refusals.get(cluster.name);
        if (refused !== undefined) return refused;
        const { name } = cluster;
        const running = this.runs.get(name);
        if (running?.kind === 'open') return { kind: 'started', runId: running.runId, adopted: true };
        // As the activity itself: an earlier try has started it.
        if (running?.kind === 'ended' && (this.#began.get(name) ?? '') >= askedAt)
          return { kind: 'started', runId: running.runId, adopted: true };
        this.#began.set(name, new Date().toISOString());
        this.started.push({ name, of, requestedBy, ...(back === undefined ? {} : { back }) });
        this.runs.set(name, { kind: 'open', runId: `run-${name}`, progressAt: new Date().toISOString() });
        this.mostOpen = Math.max(this.mostOpen, this.open.length);
        return { kind: 'started', runId: `run-${name}` };
      },
      lookAtMembers: async ({ members }) => ({
        looks: Object.fromEntries(members.map(({ cluster }) => [memberKey(cluster), this.#look(cluster)])),
      }),
      lookAtArrived: async ({ clusters }) => ({
        looks: Object.fromEntries(clusters.map((cluster) => [memberKey(cluster), this.#lookAtArrived(cluster)])),
      }),
      readSoakHealth: async () => this.health,
      findRing: async () => (this.ring === undefined ? {} : { known: this.ring }),
      readWaysBack: async ({ clusters }) => ({
        ways: Object.fromEntries(
          clusters.map((cluster) => {
            const back = this.ways.get(cluster.name);
            return [memberKey(cluster), back === undefined ? { unread: 'EKS did not answer' } : { back }];
          }),
        ),
      }),
      examineWayBack: async ({ cluster }) => this.examined.get(cluster.name) ?? { kind: 'ready' },
    };
  }

  #byVersion(cluster: ClusterRef): { kind: 'ready' } | StartResult {
    const member = this.members.find((each) => memberKey(each.cluster) === memberKey(cluster));
    if (member === undefined) return { kind: 'removed', why: 'EKS knows no such cluster any more' };
    return member.version === this.campaign.target ? { kind: 'arrived', by: 'others' } : { kind: 'ready' };
  }

  #look({ name }: ClusterRef): Look {
    return this.runs.get(name) ?? { kind: 'forgotten', why: 'nobody knows' };
  }

  #lookAtArrived({ name }: ClusterRef): Look {
    const known = this.runs.get(name);
    return known?.kind === 'ended' ? known : { kind: 'ended', runId: '', outcome: 'completed', why: 'at target' };
  }
}
