/** A target is proposed once, and stays dismissed. */
import { describe, expect, test } from 'vitest';
import type { CampaignProposal, Looked } from '../../../../domain/run/proposals/proposal.ts';
import { dueIn, type Offer } from '../../../../domain/run/proposals/due.ts';
import { afterLook, dismiss, newlyDue, NOTHING_PROPOSED, type ProposalsState } from '../../../../domain/run/proposals/state.ts';
import { look, member } from './fixtures.ts';

const SAM = { kind: 'slack' as const, id: 'U0SAM', name: 'sam' };
const MONDAY = '2026-11-30T08:00:00.000Z';
const BEHIND = dueIn(look([member('a', '1.34')]));

/** A look, as the workflow takes it. */
function looks(state: ProposalsState, looked: Looked, at = MONDAY): { state: ProposalsState; proposed: string[]; saysUnread: boolean } {
  const proposals = newlyDue(state, looked).map((facts): CampaignProposal => ({ ...facts, campaigns: [] }));
  return { ...afterLook(state, looked, proposals, at), proposed: proposals.map(({ target }) => target) };
}

describe('F36', () => {
  test('proposed once: the same is not proposed a week later, a new version is', () => {
    const first = looks(NOTHING_PROPOSED, BEHIND);
    expect(first.proposed).toEqual(['1.35']);
    const second = looks(first.state, BEHIND, '2026-12-07T08:00:00.000Z');
    expect(second.proposed).toEqual([]);
    expect(second.state.known['1.35']?.proposedAt).toBe(MONDAY);
    const both = dueIn(look([member('a', '1.34'), member('b', '1.33')]));
    expect(looks(second.state, both).proposed).toEqual(['1.34']);
  });

  test('dismissed stays dismissed for that version, whoever looks', () => {
    const { state } = looks(NOTHING_PROPOSED, BEHIND);
    const done = dismiss(state, '1.35', SAM, MONDAY, 'after Christmas');
    if ('refused' in done) throw new Error(done.refused);
    expect(done.known.dismissed).toEqual({ by: SAM, at: MONDAY, reason: 'after Christmas' });
    const next = looks(done.state, BEHIND, '2026-12-07T08:00:00.000Z');
    expect(next.proposed).toEqual([]);
    expect(next.state.known['1.35']?.dismissed?.by).toEqual(SAM);
  });

  test.each([
    [NOTHING_PROPOSED, '1.35', 'No campaign to 1.35 is proposed. None is.'],
    [looks(NOTHING_PROPOSED, BEHIND).state, '1.36', 'No campaign to 1.36 is proposed. Proposed: 1.35.'],
    [looks(NOTHING_PROPOSED, BEHIND).state, '__proto__', 'No campaign to __proto__ is proposed. Proposed: 1.35.'],
  ])('what is not proposed is not dismissed', (state, target, refused) => {
    expect(dismiss(state, target, SAM, MONDAY)).toEqual({ refused });
  });

  test('a second dismissal says whose the first one is', () => {
    const done = dismiss(looks(NOTHING_PROPOSED, BEHIND).state, '1.35', SAM, MONDAY);
    const again = 'state' in done ? dismiss(done.state, '1.35', { kind: 'slack', id: 'U0RIN' }, MONDAY) : done;
    expect(again).toEqual({ refused: 'The campaign to 1.35 was dismissed by sam on 2026-11-30.' });
  });
});

describe('what the last look says of a proposal', () => {
  const { state } = looks(NOTHING_PROPOSED, BEHIND);

  test.each<[string, Looked, string]>([
    ['its clusters have moved on', dueIn(look([member('a', '1.35')])), 'not-due'],
    ['one of them could not be read', dueIn(look([member('a', undefined), member('b', '1.35')])), 'unknown'],
    ['nothing could be read', dueIn(look([member('a', undefined)])), 'unknown'],
    ['it is still due', BEHIND, 'due'],
  ])('%s', (_, looked, now) => {
    expect(looks(state, looked).state.known['1.35']?.now).toBe(now);
  });

  test('its numbers are those of the last look', () => {
    const more = dueIn(look([member('a', '1.34'), member('b', '1.34')]));
    expect(looks(state, more).state.known['1.35']?.proposal.clusterCount).toBe(2);
  });
});

test('F36: that nothing could be read is said once, and again only after something was', () => {
  const nothing = dueIn(look([member('a', undefined)]));
  const first = looks(NOTHING_PROPOSED, nothing);
  const second = looks(first.state, nothing);
  const seen = looks(second.state, BEHIND);
  const third = looks(seen.state, nothing);
  expect([first, second, seen, third].map(({ saysUnread }) => saysUnread)).toEqual([true, false, false, true]);
  expect(first.proposed).toEqual([]);
  expect(second.state.last).toEqual({ kind: 'unread', why: ['AWS refuses the role'] });
});

test('the newest twenty targets are remembered', () => {
  const states = Array.from({ length: 25 }, (_, index) => dueIn(look([member('a', `1.${index + 10}`)], { offers: [everything] })));
  const { state } = states.reduce((before, looked) => looks(before.state, looked), {
    state: NOTHING_PROPOSED,
    proposed: [''],
    saysUnread: false,
  });
  expect(Object.keys(state.known)).toHaveLength(20);
  expect(state.known['1.35']).toBeDefined();
  expect(state.known['1.11']).toBeUndefined();
});

const everything: Offer = {
  account: '111122223333',
  region: 'eu-west-1',
  offered: Array.from({ length: 40 }, (_, index) => ({ version: `1.${index + 10}`, status: 'STANDARD_SUPPORT' as const })),
};
