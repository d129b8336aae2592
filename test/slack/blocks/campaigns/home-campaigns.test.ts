/** Campaigns on the App Home, and what waits for somebody, in the words that people read. */
import { expect, test } from 'vitest';
import { campaignView } from '../../../../domain/run/campaign/view.ts';
import type { CampaignState } from '../../../../domain/run/campaign/state.ts';
import { initialState } from '../../../../domain/run/campaign/state.ts';
import { planCampaign } from '../../../../domain/plan/campaign/plan-campaign.ts';
import { campaignsOnHome, type HomeCampaign } from '../../../../slack/blocks/campaigns/home-campaigns.ts';
import { needsView } from '../../../../slack/views/needs.ts';
import {
  begun,
  campaignPolicy,
  fleetMember,
  NOON,
  planOf,
  ringPolicy,
  seen,
  started,
  COMPLETED,
  FAILED,
} from '../../../support/campaigns.ts';
import { read } from '../../reading.ts';

const ALEX = { kind: 'slack', id: 'U0ALEX' } as const;
const THREAD = 'https://example.slack.com/archives/C0UPGRADES/p1';

const words = (blocks: ReturnType<typeof campaignsOnHome>): string =>
  read({ text: '', blocks })
    .text.replace(/<!date\^\d+\^[^|]*\|([^>]+)>/g, '$1')
    .replace(/<https:[^|]*\|([^>]+)>/g, '[$1]');

const PLAN = planOf(['dev-1', 'dev-2', 'dev-3', 'prod-1'], { dev: { failures: { kind: 'count', value: 1 } }, prod: {} });

function shown(state: CampaignState, plan = PLAN): HomeCampaign {
  return { view: campaignView({ plan, state, workflowId: 'eks-campaign/to-1-34', requestedBy: ALEX }), url: THREAD };
}

test('a campaign is one line, and each of its rings another', () => {
  const running = started(begun(PLAN), { 'dev-1': 'run', 'dev-2': 'run', 'dev-3': 'run' });
  const state = seen(running, PLAN, { 'dev-1': COMPLETED, 'dev-2': FAILED });
  expect(words(campaignsOnHome([shown(state)], 2)).split('\n')).toEqual([
    '# Campaigns (3)',
    '*to-1-34* to 1.34: Ring dev is running. 1 of 4 clusters done. · [Open the thread]',
    '▶ *dev* 1/3 done · 1 running · 1 failed (1 allowed)',
    '○ *prod* 0/1 done',
    'and 2 more: /eks-upgrade campaign',
  ]);
});

test('of many rings those around the one that is worked on are shown; clusters never are', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
  const rings = Array.from({ length: 20 }, (_, index) =>
    ringPolicy(`r${index}`, { select: { clusters: names.filter((_name, at) => at % 20 === index) } }),
  );
  const plan = planCampaign(
    campaignPolicy({ rings }),
    names.map((name) => fleetMember(name)),
    NOON,
  );
  const first = initialState(plan);
  const at = (ring: number): CampaignState => ({
    ...first,
    ring,
    rings: first.rings.map((is, index) => ({ ...is, state: index < ring ? 'complete' : index === ring ? 'running' : 'pending' })),
  });
  const lines = words(campaignsOnHome([shown(at(9), plan)], 0)).split('\n');
  expect(lines.slice(2)).toEqual([
    '8 rings before',
    '✅ *r8* 0/50 done',
    '▶ *r9* 0/50 done',
    '○ *r10* 0/50 done',
    '○ *r11* 0/50 done',
    '○ *r12* 0/50 done',
    '○ *r13* 0/50 done',
    '6 rings after',
  ]);
  expect(
    words(campaignsOnHome([shown(at(0), plan)], 0))
      .split('\n')
      .slice(2),
  ).toHaveLength(7);
  expect(
    words(campaignsOnHome([shown(at(19), plan)], 0))
      .split('\n')
      .at(-1),
  ).toBe('▶ *r19* 0/50 done');
});

test('without campaigns the Home says nothing of them', () => {
  expect(campaignsOnHome([], 0)).toEqual([]);
});

test('the second page of what waits', () => {
  const view = needsView({
    gates: [{ cluster: 'prod', title: 'Control plane 1.33 → 1.34', expiresAt: '2026-03-04T12:00:00Z', url: THREAD }],
    troubles: [{ cluster: 'dev-2', campaign: 'to-1-34', ring: 'dev', what: 'failed: its nodes did not come up', url: THREAD }],
    page: 1,
    count: 13,
    problems: ['Could not read user group S0PLATFORM, so gates may be missing above.'],
  });
  expect(view.title.text).toBe('Needs you (13)');
  const blocks = view.blocks as ReturnType<typeof campaignsOnHome>;
  expect(words(blocks).split('\n')).toEqual([
    '⏳ *prod*: Control plane 1.33 → 1.34',
    'Decide by 2026-03-04 12:00 UTC · [Decide in the thread]',
    '🚨 *dev-2*: failed: its nodes did not come up',
    'Campaign to-1-34, ring dev · [Open the thread]',
    '⚠ Could not read user group S0PLATFORM, so gates may be missing above.',
    '11 to 12 of 13',
    '',
  ]);
  expect(read({ text: '', blocks }).buttons).toEqual(['needs/earlier Earlier', 'needs/later Later']);
});
