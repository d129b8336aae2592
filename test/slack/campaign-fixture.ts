/** The plan of a campaign, as Slack shows it. */
import { planCampaign } from '../../domain/plan/campaign/plan-campaign.ts';
import type { CampaignPolicy, RingPolicy } from '../../domain/policy/campaigns.ts';

const ring = (name: string, clusters: string[]): RingPolicy => ({
  name,
  select: { clusters },
  optional: false,
  canary: false,
  parallel: { kind: 'count', value: 2 },
  failures: { kind: 'count', value: 0 },
  soakMs: 86_400_000,
  soakOnRed: 'restart',
  promotion: 'ask',
  coversStart: false,
});

export const CAMPAIGN: CampaignPolicy = {
  name: 'to-1-34',
  target: '1.34',
  select: {},
  exclude: [],
  rings: [ring('dev', ['dev-1', 'dev-2']), ring('prod', ['prod-1'])],
  rest: 'refuse',
  hops: 'refuse',
  stuckAfterMs: 3_600_000,
  channel: '#eks-upgrades',
  approvals: { users: ['U0SAM'], groups: [], quorum: 1, allowRequester: false, allowUnverifiedCli: false },
};

const member = (name: string, version: string) => ({
  cluster: { account: '111122223333', region: 'eu-central-1', name },
  environment: 'test',
  version,
  offered: true,
});

export const CAMPAIGN_PLAN = planCampaign(
  CAMPAIGN,
  [member('dev-1', '1.33'), member('dev-2', '1.31'), member('prod-1', '1.33')],
  '2026-11-26T09:00:00.000Z',
);
