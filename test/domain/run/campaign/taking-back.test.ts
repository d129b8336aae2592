/** What of a campaign's ring is to be taken back. */
import { expect, test } from 'vitest';
import type { MemberState } from '../../../../domain/run/campaign/state.ts';
import { whyNotTakenBack } from '../../../../domain/run/campaign/taking-back.ts';
import { beginRing } from '../../../../domain/run/campaign/rings.ts';
import { BACK, begun, COMPLETED, NOON, planOf, seen, started } from '../../../support/campaigns.ts';

const RUN = { runId: 'run-1', since: NOON };

test.each<[MemberState, string | undefined]>([
  [{ kind: 'done', by: 'run' }, undefined],
  [{ kind: 'failed', why: 'its nodes did not come up' }, undefined],
  [{ kind: 'unknown', why: 'nobody knows' }, undefined],
  [{ kind: 'done', by: 'others' }, 'the campaign did not upgrade it: belay rollback prod-a rolls it back by itself'],
  [{ kind: 'done', by: 'before' }, 'the campaign did not upgrade it: belay rollback prod-a rolls it back by itself'],
  [{ kind: 'ahead' }, 'it was already ahead of the target: belay rollback prod-a rolls it back by itself'],
  [{ kind: 'planned' }, 'the campaign has not started it'],
  [{ kind: 'held', why: 'not offered' }, 'the campaign has not started it'],
  [{ kind: 'waiting', why: 'closed' }, 'the campaign has not started it'],
  [{ kind: 'running', ...RUN }, 'its run has not ended: abort it first (belay abort prod-a)'],
  [{ kind: 'needs-people', gate: 'before:nodes@1.34#1', ...RUN }, 'its run has not ended: abort it first (belay abort prod-a)'],
  [{ kind: 'stuck', why: 'no progress', ...RUN }, 'its run has not ended: abort it first (belay abort prod-a)'],
  [{ kind: 'rolled-back', why: 'people chose to' }, 'it was already rolled back'],
  [{ kind: 'removed', why: 'gone' }, 'it was removed: gone'],
])('%j', (is, why) => {
  expect(whyNotTakenBack(is, 'prod-a')).toBe(why);
});

test('a ring behind whose cluster went back keeps the next one from being asked for', () => {
  const plan = planOf(['dev-a', 'prod-a'], { dev: { soakMs: 0 }, prod: {} });
  const passed = seen(started(begun(plan), { 'dev-a': 'run' }), plan, { 'dev-a': COMPLETED });
  expect(passed.rings.map(({ state }) => state)).toEqual(['complete', 'pending']);
  const back = seen(passed, plan, { 'dev-a': BACK });
  expect(back.rings[1]).toMatchObject({
    state: 'stopped',
    why: 'ring dev: 1 failure, and at most 0 allowed: dev-a (rolled-back: people chose to go back)',
  });
  expect(beginRing(back, plan, NOON)).toBe(back);
});
