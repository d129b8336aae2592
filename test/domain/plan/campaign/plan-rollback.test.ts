/** Which clusters of a ring go back, and in which order. */
import { expect, test } from 'vitest';
import type { WayBack } from '../../../../domain/facts/rollback-window.ts';
import { hashOfPlan } from '../../../../domain/plan/campaign/plan-campaign.ts';
import { planRingRollback, rollbackName, rollbackOfName, type RingMemberBack } from '../../../../domain/plan/campaign/plan-rollback.ts';
import { at, cluster, NOON } from '../../../support/campaigns.ts';

const OF = { campaign: 'to-1-34', target: '1.34', limits: { stuckAfterMs: 3_600_000, perRegion: 2 } };
const RING = { name: 'prod', parallel: 2 };

const window = (kind: 'open' | 'closed', hours: number, from = '1.34', backTo = '1.33'): WayBack => ({
  kind,
  window: { at: from, backTo, movedAt: at(hours - 7 * 24), closesAt: at(hours) },
});
const seen = (name: string, of: Partial<RingMemberBack>): RingMemberBack => ({ cluster: cluster(name), environment: 'prod', ...of });
const planned = (members: RingMemberBack[], warnings: string[] = []) => planRingRollback(OF, RING, { members, warnings, now: NOON });

test('F41: those within seven days go back, least time left first; the others are listed with their reason', () => {
  const plan = planned([
    seen('slow', { back: window('open', 120) }),
    seen('late-1', { back: window('closed', -1) }),
    seen('soon', { back: window('open', 2) }),
    seen('late-2', { back: window('closed', -30) }),
    seen('middle', { back: window('open', 60) }),
  ]);
  expect(plan).toMatchObject({
    campaign: 'to-1-34.rollback.prod',
    rollbackOf: { campaign: 'to-1-34', ring: 'prod' },
    target: '1.33',
    problems: [],
    limits: OF.limits,
    rings: [{ name: 'prod', parallel: 2, succeed: 3, failures: 5, soakMs: 0, coversStart: true, promotion: 'ask' }],
  });
  expect(plan.rings[0]?.members.map(({ cluster: { name }, verdict, backUntil }) => [name, verdict, backUntil])).toEqual([
    ['soon', { kind: 'upgrade', minors: 1 }, at(2)],
    ['middle', { kind: 'upgrade', minors: 1 }, at(60)],
    ['slow', { kind: 'upgrade', minors: 1 }, at(120)],
    ['late-1', { kind: 'refused', why: 'EKS can no longer roll it back (since 2026-11-26 11:00 UTC)' }, at(-1)],
    ['late-2', { kind: 'refused', why: 'EKS can no longer roll it back (since 2026-11-25 06:00 UTC)' }, at(-30)],
  ]);
});

test.each<[string, Partial<RingMemberBack>, string]>([
  ['the campaign did not move it', { not: 'the campaign has not started it', back: window('open', 5) }, 'the campaign has not started it'],
  ['nothing was read', {}, 'it is not known whether EKS can roll it back: it was not read'],
  ['it could not be read', { unread: 'AccessDenied' }, 'it is not known whether EKS can roll it back: AccessDenied'],
  ['it was never moved', { back: { kind: 'none', why: 'never-moved' } }, 'EKS has no update of its control plane to roll back'],
  ['it went back', { back: { kind: 'none', why: 'rolled-back' } }, 'it was already rolled back'],
  ['somebody took it further', { back: window('open', 5, '1.35', '1.34') }, 'it is at 1.35, although the campaign upgraded it to 1.34'],
  ['its plan is refused', { back: window('open', 5), refused: 'Add-on x needs 1.34.' }, 'Add-on x needs 1.34.'],
])('%s: it stays, and where nobody goes nothing begins', (_, of, why) => {
  const plan = planned([seen('prod-a', of)]);
  expect(plan.rings[0]?.members[0]?.verdict).toEqual({ kind: 'refused', why });
  expect(plan.problems).toEqual(['No cluster of ring prod can be rolled back to 1.33.']);
});

test('what is approved has one hash: another cluster, another ring or another campaign has another', () => {
  const plan = planned([seen('a', { back: window('open', 5) })]);
  expect(hashOfPlan(plan)).toBe(plan.hash);
  expect(hashOfPlan({ ...plan, rollbackOf: { campaign: 'to-1-35', ring: 'prod' } })).not.toBe(plan.hash);
  const { rollbackOf: _none, ...upgrade } = plan;
  expect(hashOfPlan(upgrade)).not.toBe(plan.hash);
  expect(planned([seen('a', { back: window('open', 5) }), seen('b', { back: window('open', 6) })]).hash).not.toBe(plan.hash);
});

test.each([
  ['to-1-34.rollback.prod', { campaign: 'to-1-34', ring: 'prod' }],
  ['to-1-34', undefined],
  ['to-1-34.rollback.', undefined],
  ['.rollback.prod', undefined],
  ['to-1-34.rollback.prod.rollback.prod', undefined],
])('the name %s is that of a rollback only where it has campaign and ring', (name, expected) => {
  expect(rollbackOfName(name)).toEqual(expected);
  if (expected !== undefined) expect(rollbackName(expected.campaign, expected.ring)).toBe(name);
});
