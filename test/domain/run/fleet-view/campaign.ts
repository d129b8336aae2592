/** A campaign with a cluster in every state, as its workflow says it, and one that is only configured. */
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import type { FleetMember } from '../../../../domain/plan/campaign/types.ts';
import { memberKey } from '../../../../domain/plan/campaign/types.ts';
import { type CampaignState, initialState, type MemberState, type RingState } from '../../../../domain/run/campaign/state.ts';
import type { CampaignBoard } from '../../../../domain/run/fleet-view/board.ts';
import type { CampaignReading, CampaignSaid, FleetReading } from '../../../../domain/run/fleet-view/reading.ts';
import { fleetView } from '../../../../domain/run/fleet-view/view.ts';
import { campaignPolicy, HOUR, ringPolicy } from '../../../support/campaigns.ts';
import { AT, BANK, FLEET, SHOP } from './fixtures.ts';

/** `days` and hours before AT. */
const ago = (days: number, hours = 0): string => new Date(Date.parse(AT) - (days * 24 + hours) * HOUR).toISOString();

const inRing = (ring: string, name: string, over: Partial<FleetMember> = {}): FleetMember => ({
  cluster: { name, account: SHOP, region: 'eu-west-1' },
  environment: ring,
  version: '1.33',
  offered: true,
  supportType: 'EXTENDED',
  ...over,
});
const many = (count: number, ring: string): FleetMember[] => Array.from({ length: count }, (_, at) => inRing(ring, `${ring}-${at + 1}`));

/** Of ring prod: one in every state. */
export const STATES: Record<string, MemberState> = {
  'prod-failed': { kind: 'failed', why: 'node group web did not become ready' },
  'prod-rolled-back': { kind: 'rolled-back', why: 'people chose to go back' },
  'prod-stuck': { kind: 'stuck', runId: 'r', since: ago(0, 20), why: 'no progress for 13 h, at node-groups' },
  'prod-needs-people': { kind: 'needs-people', runId: 'r', since: ago(0, 2), gate: 'before:node-groups@1.34#1' },
  'prod-unknown': { kind: 'unknown', why: 'neither Temporal nor a record knows how its run ended' },
  'prod-held': { kind: 'held', why: 'an open run goes to 1.35' },
  'prod-held-for-now': { kind: 'held', why: 'EKS does not offer 1.34 in its region yet', again: ago(0, -6) },
  'prod-waiting': { kind: 'waiting', why: 'its window opens on 2026-12-01 02:00 UTC', until: '2026-12-01T02:00:00.000Z' },
  'prod-running': { kind: 'running', runId: 'r', since: ago(0, 1), phase: 'control-plane' },
  pays: { kind: 'done', by: 'others' },
  'prod-ahead': { kind: 'ahead' },
  'prod-removed': { kind: 'removed', why: 'EKS knows no such cluster any more' },
};

const PLAN = planCampaign(
  campaignPolicy({
    name: 'to-1-34',
    hops: 'allowed',
    finishBy: '2026-11-30',
    exclude: [{ clusters: ['legacy'], reason: 'moves away', until: '2027-02-01' }],
    rings: [
      ringPolicy('canary', { canary: true }),
      ringPolicy('dev', { failures: { kind: 'count', value: 1 } }),
      ringPolicy('prod', { parallel: { kind: 'count', value: 2 }, failures: { kind: 'count', value: 5 }, soakMs: 72 * HOUR }),
      ringPolicy('late', { optional: true, soakMs: 0 }),
    ],
  }),
  [
    ...many(2, 'canary'),
    ...many(8, 'dev'),
    ...Object.keys(STATES).map((name, index) =>
      inRing(
        'prod',
        name,
        name === 'pays' ? { version: '1.32' } : { cluster: { name, account: index % 2 === 0 ? SHOP : BANK, region: 'us-east-1' } },
      ),
    ),
    ...many(14, 'prod'),
    inRing('prod', 'legacy', { cluster: { name: 'legacy', account: BANK, region: 'us-east-1' } }),
  ],
  ago(4),
);

const soaked = (at: string): RingState['soak'] => ({ at, seen: 'green', watchedMs: 24 * HOUR });
const RINGS: RingState[] = [
  { name: 'canary', attempt: 1, state: 'complete', startedAt: ago(3, 22), arrivedAt: ago(3, 19), soak: soaked(ago(2, 18)) },
  {
    name: 'dev',
    attempt: 1,
    state: 'complete-with-exceptions',
    startedAt: ago(2, 16),
    arrivedAt: ago(1, 22),
    soak: soaked(ago(0, 21)),
    why: '1 of 8 clusters did not arrive: dev-8 (failed: node group web did not become ready)',
  },
  { name: 'prod', attempt: 1, state: 'running', startedAt: ago(0, 20) },
  { name: 'late', attempt: 1, state: 'pending' },
];

const begun = initialState(PLAN);
const isOf = (name: string): MemberState | undefined => {
  if (name === 'dev-8') return { kind: 'failed', why: 'node group web did not become ready' };
  return /^(canary|dev)-/.test(name) ? { kind: 'done', by: 'run' } : STATES[name];
};
const STATE: CampaignState = {
  ...begun,
  phase: 'running',
  ring: 2,
  rings: RINGS,
  members: Object.fromEntries(
    PLAN.rings.flatMap(({ members }) =>
      members.map(({ cluster }) => [memberKey(cluster), isOf(cluster.name) ?? { kind: 'planned' as const }]),
    ),
  ),
};

export const SAID: CampaignSaid = {
  workflowId: 'eks-campaign/to-1-34',
  requestedBy: { kind: 'slack', id: 'U1', name: 'ada' },
  plan: PLAN,
  state: STATE,
  gates: [],
  lookedAt: '2026-11-26T08:28:00.000Z',
};

export const OPEN: CampaignReading = { kind: 'open', name: 'to-1-34', said: SAID };

/** Red for the moment, and with a gate that nobody would expect there. */
export const SOAKING: CampaignSaid = {
  ...SAID,
  gates: [{ id: 'ring:late#1', title: 'Begin ring late?', choices: [], expiresAt: '2026-11-27T08:30:00.000Z' }],
  state: {
    ...STATE,
    rings: RINGS.map((ring) =>
      ring.name === 'prod'
        ? {
            ...ring,
            state: 'soaking',
            arrivedAt: ago(0, 10),
            soak: { at: ago(0, 0), seen: 'red', watchedMs: 7 * HOUR, why: 'alert HighErrorRate fires on pays' },
          }
        : ring,
    ),
  },
};

export const CONFIGURED: CampaignReading = {
  kind: 'configured',
  name: 'next-year',
  plan: planCampaign(
    campaignPolicy({
      name: 'next-year',
      target: '1.35',
      hops: 'allowed',
      rings: [ringPolicy('dev', { parallel: { kind: 'count', value: 1 } })],
    }),
    FLEET.members.flatMap(({ cluster, version, supportType, why }) =>
      cluster.account === SHOP ? [inRing('dev', cluster.name, { cluster, version, supportType, why })] : [],
    ),
    AT,
  ),
};

export const withCampaigns = (...campaigns: CampaignReading[]): FleetReading => ({ ...FLEET, campaigns });

/** Its board, on the fleet of the fixtures. */
export function boardOf(said: CampaignSaid, reading: Partial<FleetReading> = {}): CampaignBoard {
  const { campaigns, unreadCampaigns } = fleetView({ ...withCampaigns({ kind: 'open', name: 'to-1-34', said }), ...reading }, 60);
  const [board] = campaigns;
  if (board === undefined) throw new Error(unreadCampaigns[0]?.why ?? 'it has no board');
  return board;
}

export const BOARD: CampaignBoard = boardOf(SAID);
