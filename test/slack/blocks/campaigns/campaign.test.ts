/** A campaign's board and its rings' messages in the words that people read. */
import { expect, test } from 'vitest';
import type { RingMessage } from '../../../../domain/run/campaign/ring-message.ts';
import { campaignPlanBlocks, ringBlocks } from '../../../../slack/blocks/campaigns/campaign.ts';
import { messageBlockErrors } from '../../../../rehearsal/neighbours/slack/block-kit/block-rules.ts';
import { CAMPAIGN_PLAN } from '../../campaign-fixture.ts';
import { read } from '../../reading.ts';

const RING: RingMessage = {
  name: 'prod',
  state: 'running',
  line: '41/100 done · 3 running · 2 need you',
  doneCount: 41,
  clusterCount: 100,
  needs: ['prod-7: waits for a decision at before:node-groups@1.34#1', 'prod-9: stuck: no progress for 14 h'],
  moreCount: 12,
  campaign: 'to-1-34',
  target: '1.34',
  place: 3,
  ofCount: 4,
  attempt: 1,
  parallel: 5,
  soak: '72 h',
  startedAt: '2026-11-26T12:00:00Z',
  listed: false,
};
const CONTEXT = 'Ring 3 of 4 · up to 5 at a time, soak 72 h · started <!date^1795694400^{time} {date_short_pretty}|2026-11-26 12:00 UTC>';

test('a ring that runs', () => {
  const rendered = ringBlocks(RING);
  expect(rendered.text).toBe('Ring prod of campaign to-1-34 to 1.34: 41/100 done · 3 running · 2 need you');
  expect(read(rendered).text.split('\n')).toEqual([
    '▶ *Ring prod of campaign to-1-34 to 1.34*',
    '▓▓▓▓░░░░░░ 41/100 done · 3 running · 2 need you',
    '      prod-7: waits for a decision at before:node-groups@1.34#1',
    '      prod-9: stuck: no progress for 14 h',
    '      and 12 more: `belay campaign status to-1-34`',
    CONTEXT,
  ]);
});

test('a ring that has stopped, in its second attempt', () => {
  const line = '99/100 done · 1 failed (0 allowed: stopped)';
  const why = '1 failure, and at most 0 allowed: prod-7 (failed: its nodes did not come up)';
  const rendered = ringBlocks({ ...RING, state: 'stopped', line, doneCount: 99, needs: [], moreCount: 0, attempt: 2, why, listed: true });
  expect(read(rendered).text.split('\n')).toEqual([
    '⏹ *Ring prod of campaign to-1-34 to 1.34, attempt 2*',
    '▓▓▓▓▓▓▓▓▓░ 99/100 done · 1 failed (0 allowed: stopped)',
    '1 failure, and at most 0 allowed: prod-7 (failed: its nodes did not come up).',
    `${CONTEXT} · the thread lists every cluster`,
  ]);
});

test('the plan of a campaign shows every ring, names ten clusters of each that cannot start, and says where the others are', () => {
  const why =
    'The readiness check found 3 required findings: K8S018 PodDisruptionBudget shop/cart allows no disruption, KAR004, IST002; run belay check for the whole report';
  const [first] = CAMPAIGN_PLAN.rings;
  const [one] = first?.members ?? [];
  if (first === undefined || one === undefined) throw new Error('a ring with a cluster is expected');
  const ring = (name: string) => ({
    ...first,
    name,
    members: Array.from({ length: 40 }, (_, n) => ({
      ...one,
      cluster: { ...one.cluster, name: `${name}-eu-west-1-payments-and-invoices-${n}` },
      verdict: n < 12 ? { kind: 'refused' as const, why: `${why} ${'<'.repeat(50)}` } : one.verdict,
    })),
  });
  const rings = ['canary', 'dev', 'stage', 'prod'];
  const rendered = campaignPlanBlocks({ ...CAMPAIGN_PLAN, rings: rings.map(ring) });
  expect(messageBlockErrors(rendered.blocks)).toEqual([]);
  const lines = read(rendered).text.split('\n');
  for (const name of rings) {
    expect(lines).toContain(`*${name}*: 28 of 40 clusters can start, 2 at a time; 2 must succeed, 0 may fail; soak 24 h`);
    expect(lines.filter((line) => line.startsWith(`      ${name}-eu-west-1`))).toHaveLength(10);
  }
  expect(lines.filter((line) => line === '      and 2 more: `belay campaign plan to-1-34`')).toHaveLength(4);
  expect(lines).toHaveLength(4 * 12 + 1);
});
