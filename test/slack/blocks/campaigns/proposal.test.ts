/** A proposed campaign as Slack shows it. */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { messageBlockErrors } from '../../../../rehearsal/neighbours/slack/block-kit/block-rules.ts';
import { proposalBlocks } from '../../../../slack/blocks/campaigns/proposal.ts';
import type { Rendered } from '../../../../slack/blocks/kit/elements.ts';
import { actor, hostile } from '../../hostile.ts';
import { proposed } from '../../proposal-fixture.ts';

const RUN = '0198c0de-0000-7000-8000-00000000000a';

/** Texts in the order in which they stand, and buttons by their labels. */
function shown({ blocks }: Rendered): string[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case 'header':
        return [block.text.text];
      case 'section':
        return block.text?.text.split('\n') ?? [];
      case 'context':
        return block.elements.flatMap((each) => ('text' in each && typeof each.text === 'string' ? [each.text] : []));
      case 'actions':
        return block.elements.map((each) => ('text' in each && each.text !== undefined ? `[${each.text.text}]` : '[?]'));
      default:
        return [block.type];
    }
  });
}

test('F36: clusters by environment, support dates, cost by account, what was not read, and the campaign with its plan', () => {
  expect(shown(proposalBlocks(proposed(), RUN))).toEqual([
    'Proposed campaign: 12 clusters to 1.35',
    'Standard support of 1.34 ends on *2026-12-02*, extended support on 2027-12-02.',
    'AWS upgrades 1 cluster by itself from 2026-12-02 on (upgrade policy STANDARD).',
    '*dev*: 4 clusters',
    '*production*: 8 clusters',
    'Waiting 90 days costs *$10,356*:',
    '• account 444455556666: $7,250, without 1 cluster whose cost is not known',
    '• account 111122223333: $3,107',
    '⚠ Not offered in ap-southeast-7 (444455556666) yet: 1 cluster would wait.',
    '2 clusters could not be read (AWS refuses the role belay) and may be due as well.',
    'Campaign *to-1-35* in belay.yaml: 12 clusters in 2 rings, plan d9d3b4c77735. Start it with `belay campaign start to-1-35`.',
    'Nothing starts before the gate of the first ring is approved. A dismissed version is not proposed again.',
    '[Plan to-1-35]',
    '[Dismiss]',
  ]);
});

test('F36: where belay.yaml has no campaign, one to copy', () => {
  const snippet = 'campaigns:\n  to-1-35:\n    target: "1.35"\n    rings:\n      - { name: dev, select: { environments: [dev] } }\n';
  const lines = shown(proposalBlocks(proposed({ campaigns: [], snippet, accounts: [], unread: { count: 0, why: [] } }), RUN));
  expect(lines).toContain('Waiting 90 days costs nothing.');
  expect(lines.slice(lines.indexOf('No campaign in belay.yaml has target 1.35. Add one, for example:'))).toEqual([
    'No campaign in belay.yaml has target 1.35. Add one, for example:',
    '```',
    'campaigns:',
    '  to-1-35:',
    '    target: "1.35"',
    '    rings:',
    '      - { name: dev, select: { environments: [dev] } }',
    '',
    '```',
    'Nothing starts before the gate of the first ring is approved. A dismissed version is not proposed again.',
    '[How to start]',
    '[Dismiss]',
  ]);
});

test('problems of a plan, and a campaign that cannot be planned', () => {
  const campaigns = [
    { name: 'eu', plan: { hash: 'd9d3b4c77735', ringCount: 1, clusterCount: 3, problems: ['Ring dev has no cluster.'] } },
    { name: 'us', why: 'belay.yaml is gone' },
  ];
  const lines = shown(proposalBlocks(proposed({ campaigns }), RUN));
  expect(lines).toContain('❌ Ring dev has no cluster.');
  expect(lines).toContain('⚠ Campaign *us* in belay.yaml cannot be planned: belay.yaml is gone');
  expect(lines.slice(-3)).toEqual(['[Plan eu]', '[Plan us]', '[Dismiss]']);
});

test('F36: dismissed it says by whom, and has no button', () => {
  const dismissed = { by: { kind: 'slack' as const, id: 'U0SAM' }, at: '2026-11-30T09:00:00.000Z', reason: 'after Christmas' };
  const lines = shown(proposalBlocks(proposed({}, { dismissed }), RUN));
  expect(lines).toEqual([
    'Dismissed: campaign to 1.35',
    'Standard support of 1.34 ends on *2026-12-02*, extended support on 2027-12-02.',
    expect.stringMatching(/^Dismissed by <@U0SAM>, .*: after Christmas\. It is not proposed again\.$/),
  ]);
});

test('whatever things are called, it keeps the limits of Slack and mentions nobody', () => {
  const count = fc.nat(1_000);
  const place = fc.record({ account: hostile, region: hostile, clusterCount: count });
  const known = fc.record({
    proposal: fc.record({
      target: hostile,
      from: hostile,
      readAt: hostile,
      withinDays: count,
      clusterCount: count,
      environments: fc.array(fc.record({ name: hostile, clusterCount: count }), { maxLength: 60 }),
      endOfStandardSupport: hostile,
      endOfExtendedSupport: hostile,
      forcedCount: count,
      accounts: fc.array(
        fc.record({ account: hostile, clusterCount: count, unknownCount: count, usdPerDay: fc.nat(), usdWithin: fc.nat() }),
        { maxLength: 60 },
      ),
      total: fc.record({ usdPerDay: fc.nat(), usdWithin: fc.nat() }),
      lacking: fc.array(place, { maxLength: 60 }),
      offersUnread: fc.array(place, { maxLength: 60 }),
      unread: fc.record({ count, why: fc.array(hostile, { maxLength: 9 }) }),
      campaigns: fc.array(
        fc.record({
          name: hostile,
          plan: fc.record({ hash: hostile, ringCount: count, clusterCount: count, problems: fc.array(hostile, { maxLength: 9 }) }),
        }),
        { maxLength: 9 },
      ),
      snippet: hostile,
    }),
    proposedAt: hostile,
    now: fc.constant('due' as const),
    dismissed: fc.option(fc.record({ by: actor, at: hostile, reason: hostile }), { nil: undefined }),
  });
  fc.assert(
    fc.property(known, ({ dismissed, ...each }) => {
      const rendered = proposalBlocks({ ...each, ...(dismissed === undefined ? {} : { dismissed }) }, RUN);
      expect(messageBlockErrors(rendered.blocks)).toEqual([]);
      expect([rendered.text, ...shown(rendered)].join('\n')).not.toMatch(/<!(channel|here|everyone)/);
    }),
    { numRuns: 100 },
  );
});
