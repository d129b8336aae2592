/** Examples of what a campaign says, and of rolling one of its rings back. */
import type { CampaignPlan, PlannedMember, PlannedRing } from '../../../../domain/plan/campaign/types.ts';
import * as rollback from '../../../../workflows/messages/campaign-rollback.ts';
import * as campaigns from '../../../../workflows/messages/campaigns.ts';
import { chapter } from '../chapter.ts';
import { SAM } from '../samples.ts';

const WHERE = { account: '111122223333', region: 'eu-west-1' };
const member = (name: string, rest: Partial<PlannedMember>): PlannedMember => ({
  cluster: { ...WHERE, name },
  environment: 'production',
  from: '1.33',
  verdict: { kind: 'upgrade', minors: 1 },
  ...rest,
});

const RING: PlannedRing = {
  name: 'production',
  canary: false,
  soakMs: 86_400_000,
  soakOnRed: 'restart',
  promotion: 'ask',
  coversStart: true,
  parallel: 2,
  failures: 1,
  succeed: 3,
  members: [
    member('prod-1', { readiness: { verdict: 'ready' } }),
    member('prod-2', { readiness: { verdict: 'not-ready', why: 'K8S018: Deployment shop/cart cannot be evicted' } }),
    member('prod-3', { readiness: { verdict: 'ready' } }),
    member('prod-4', { from: '1.31', verdict: { kind: 'held', why: 'EKS does not offer 1.34 in its region yet' } }),
  ],
  untested: ['node group bottlerocket'],
};
const ONE: PlannedRing = { ...RING, name: 'canary', canary: true, coversStart: false, parallel: 1, failures: 0, succeed: 1, untested: [] };
const PLAN: CampaignPlan = {
  campaign: 'to-1-34',
  target: '1.34',
  madeAt: '2026-11-30T08:00:00.000Z',
  rings: [RING],
  excluded: [],
  warnings: [],
  problems: [],
  limits: { stuckAfterMs: 21_600_000 },
  hash: 'd9d3b4c77735',
};

export const campaignChapter = chapter('Campaigns', 'workflows/messages/campaigns.ts', campaigns, {
  ringGate: [
    [
      PLAN,
      RING,
      {
        attempt: 2,
        going: 2,
        haveToArrive: 3,
        mayFail: 1,
        leftOut: ['prod-2 is failed: node group web failed; left out by sam: its owners are away until Monday'],
        behind: {
          name: 'staging',
          attempt: 1,
          state: 'complete',
          soak: {
            at: '2026-11-30T08:00:00.000Z',
            seen: 'green',
            watchedMs: 90_000_000,
            restarted: { at: '2026-11-29T06:00:00.000Z', why: 'health check checkout-errors failed on staging-1' },
          },
        },
        drift: { added: ['111122223333/eu-west-1/prod-5'], removed: [], changed: ['ring production: parallel 1 → 2'] },
        lines: [],
      },
    ],
    [
      PLAN,
      { ...ONE, members: RING.members.slice(0, 1) },
      { attempt: 1, going: 1, haveToArrive: 1, mayFail: 0, leftOut: [], lines: [campaigns.driftUnread('the file is gone')] },
    ],
  ],
  leftOutEvidence: [[['prod-2 is failed: node group web failed; left out by sam: its owners are away until Monday']]],
  ringListTitle: [
    ['production', 1],
    ['production', 2],
  ],
  campaignRefused: [[campaigns.planAltered()]],
  ringBegun: [
    [RING, SAM, ['prod-1', 'prod-3']],
    [RING, undefined, []],
  ],
  ringStopped: [['production', 'only 2 of 4 clusters succeeded, and 3 must: prod-1 (failed), prod-3 (stuck)', 'to-1-34']],
  ringSoaking: [
    [RING, undefined],
    [RING, '1 of 4 clusters is not at the target: prod-2 (failed)'],
  ],
  soakRestarted: [['staging', 'health check checkout-errors failed on staging-1']],
  ringHeldUp: [
    [{ ring: 'production', begun: true, why: 'prod-4 (held: reading prod-4: the security token is expired)' }, 'to-1-34'],
    [{ ring: 'production', begun: false, why: 'prod-4 (held: EKS does not offer 1.34 in eu-west-1 yet)' }, 'to-1-34'],
  ],
  soakHeldUp: [
    ['production', 'unread', 'prod-1: the API server does not answer'],
    ['production', 'red', 'prod-1: alert TargetDown is firing'],
  ],
  settingsUnread: [['to-1-34', 'belay.yaml: there is no campaign "to-1-34"']],
  campaignEnded: [['to-1-34', 'is complete']],
  finishByPassed: [['to-1-34', '2026-12-01']],
  promotionWaits: [['production']],
  commandSaid: [[SAM, 'Paused: no further cluster starts. Running upgrades finish on their own.']],
  campaignRejected: [['production', SAM]],
  planAltered: [[]],
  planNotOfFile: [['111122223333/eu-west-1/prod-1 is not in ring dev there']],
  planHasProblems: [[['Ring production has no cluster. Correct what it selects, or write optional: true.']]],
  campaignOver: [[]],
  driftUnread: [['belay.yaml is gone']],
  planUnusable: [[['111122223333/eu-west-1/prod-2 is in rings staging and production. A cluster can be in only one ring.']]],
  targetMoved: [['1.35', '1.34']],
  approvedWithRing: [['Pre-checks for 1.34', { name: 'to-1-34', ring: 'production' }]],
});

const BACK: CampaignPlan = {
  ...PLAN,
  campaign: 'to-1-34.rollback.production',
  rollbackOf: { campaign: 'to-1-34', ring: 'production' },
  target: '1.33',
  warnings: [rollback.membersByFile('to-1-34', 'production')],
};
const GOING_BACK: PlannedRing = {
  ...RING,
  members: [
    member('prod-1', { from: '1.34', backUntil: '2026-12-04T09:12:00.000Z' }),
    member('prod-3', { from: '1.34', backUntil: '2026-12-05T14:40:00.000Z' }),
    member('prod-4', { verdict: { kind: 'refused', why: 'the campaign has not started it' } }),
  ],
};

export const ringRollbackChapter = chapter('Rollback of a ring', 'workflows/messages/campaign-rollback.ts', rollback, {
  rollbackGate: [[BACK, GOING_BACK, { attempt: 1, leftOut: [] }]],
  rollbackBegun: [[GOING_BACK, SAM]],
  membersByFile: [['to-1-34', 'production']],
  noSuchRing: [['to-1-34', 'pord', ['staging', 'production']]],
});
