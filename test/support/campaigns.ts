/** Campaigns, their rings and clusters, as tests want them: one that is healthy, of which a test changes one thing. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { DEFAULT_APPROVALS } from '../../domain/policy/config/defaults.ts';
import type { CampaignPolicy, RingPolicy } from '../../domain/policy/campaigns.ts';
import { planCampaign } from '../../domain/plan/campaign/plan-campaign.ts';
import { type CampaignPlan, type FleetMember, memberKey } from '../../domain/plan/campaign/types.ts';
import { applyStart, type StartResult } from '../../domain/run/campaign/starts.ts';
import { beginRing, settle } from '../../domain/run/campaign/rings.ts';
import { type CampaignState, initialState } from '../../domain/run/campaign/state.ts';
import { applyLook, type Look } from '../../domain/run/campaign/looks.ts';
import type { Changed } from '../../domain/run/campaign/commands.ts';

export const NOON = '2026-11-26T12:00:00.000Z';
export const HOUR = 3_600_000;
/** `hours` after noon. */
export const at = (hours: number): string => new Date(Date.parse(NOON) + hours * HOUR).toISOString();

const ACCOUNT = '111122223333';
const REGION = 'eu-west-1';

export const cluster = (name: string, over: Partial<ClusterRef> = {}): ClusterRef => ({ name, account: ACCOUNT, region: REGION, ...over });
export const key = (name: string, over: Partial<ClusterRef> = {}): string => memberKey(cluster(name, over));

/** Of environment dev, one minor below the target. */
export const fleetMember = (name: string, over: Partial<FleetMember> = {}): FleetMember => ({
  cluster: cluster(name),
  environment: 'dev',
  version: '1.33',
  offered: true,
  ...over,
});

export const ringPolicy = (name: string, over: Partial<RingPolicy> = {}): RingPolicy => ({
  name,
  select: { environments: [name] },
  optional: false,
  canary: false,
  parallel: { kind: 'count', value: 10 },
  failures: { kind: 'count', value: 0 },
  soakMs: 24 * HOUR,
  soakOnRed: 'restart',
  promotion: 'ask',
  coversStart: false,
  ...over,
});

export const campaignPolicy = (over: Partial<CampaignPolicy> = {}): CampaignPolicy => ({
  name: 'to-1-34',
  target: '1.34',
  select: {},
  exclude: [],
  rings: [ringPolicy('dev')],
  rest: 'refuse',
  hops: 'refuse',
  stuckAfterMs: 12 * HOUR,
  approvals: DEFAULT_APPROVALS,
  ...over,
});

/** Clusters of environment `dev` by their names. */
export const devFleet = (...names: string[]): FleetMember[] => names.map((name) => fleetMember(name));

/** A plan of clusters `dev-…` in ring dev and, where named, `prod-…` in ring prod. */
export function planOf(
  names: readonly string[],
  { dev = {}, prod, ...policy }: { dev?: Partial<RingPolicy>; prod?: Partial<RingPolicy> } & Partial<CampaignPolicy> = {},
  over: Record<string, Partial<FleetMember>> = {},
): CampaignPlan {
  const rings = [ringPolicy('dev', dev), ...(prod === undefined ? [] : [ringPolicy('prod', prod)])];
  const fleet = names.map((name) => fleetMember(name, { environment: name.startsWith('prod') ? 'prod' : 'dev', ...over[name] }));
  return planCampaign(campaignPolicy({ rings, ...policy }), fleet, NOON);
}

/** Its first ring approved at noon. */
export const begun = (plan: CampaignPlan): CampaignState => beginRing(initialState(plan), plan, NOON);

/** Results of starts by cluster name; `run` stands for a start. */
export function started(state: CampaignState, results: Record<string, StartResult | 'run'>, now: string = NOON): CampaignState {
  return Object.entries(results).reduce(
    (next, [name, result]) => applyStart(next, key(name), result === 'run' ? { kind: 'started', runId: `run-of-${name}` } : result, now),
    state,
  );
}

export const COMPLETED = { kind: 'ended', runId: 'run', outcome: 'completed', why: '' } as const;
export const FAILED = { kind: 'ended', runId: 'run', outcome: 'failed', why: 'node group web did not become ready' } as const;
export const BACK = { kind: 'ended', runId: 'run', outcome: 'rolled-back', why: 'people chose to go back' } as const;

/** Looks by cluster name, and the ring settled after all of them. */
export function seen(state: CampaignState, plan: CampaignPlan, looks: Record<string, Look>, now: string = at(1)): CampaignState {
  const looked = Object.entries(looks).reduce(
    (next, [name, look]) => applyLook(next, key(name), look, now, plan.limits.stuckAfterMs),
    state,
  );
  return settle(looked, plan, now);
}

/** What was asked has to have been done. */
export function done(changed: Changed): CampaignState {
  if ('refused' in changed) throw new Error(changed.refused);
  return changed.state;
}

export const refusal = (changed: Changed): string => ('refused' in changed ? changed.refused : '(nothing was refused)');
