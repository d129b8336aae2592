/** `belay campaign proposals` as text. */
import { expect, test } from 'vitest';
import { renderProposals } from '../../../cli/render/proposals.ts';
import type { ProposalsState } from '../../../domain/run/proposals/state.ts';
import { proposed } from '../../slack/proposal-fixture.ts';

const dismissed = { by: { kind: 'slack' as const, id: 'U0SAM', name: 'sam' }, at: '2026-12-01T09:00:00.000Z', reason: 'after Christmas' };

const STATE: ProposalsState = {
  known: {
    '1.36': proposed(
      { target: '1.36', from: '1.35', campaigns: [], snippet: 'campaigns:\n  to-1-36:\n    target: "1.36"\n' },
      { now: 'unknown' },
    ),
    '1.35': proposed(),
    '1.34': proposed({ target: '1.34', from: '1.33' }, { dismissed }),
  },
  lookedAt: '2026-11-30T08:00:00.000Z',
  last: {
    kind: 'read',
    readAt: '2026-11-30T08:00:00.000Z',
    due: [],
    waiting: [{ target: '1.37', clusterCount: 3, lacking: [{ account: '444455556666', region: 'ap-southeast-7', clusterCount: 1 }] }],
    unread: { count: 2, why: ['AWS refuses the role'] },
    campaignsUnread: 'to-1-34 does not answer',
  },
};

test('F36: proposed and dismissed, when and by whom, how to start, and what the last check could not read', () => {
  expect(
    renderProposals({ state: STATE, nextAt: '2026-12-07T08:00:00.000Z' }),
  ).toBe(`1.34: proposed on 2026-11-30 for 12 clusters at 1.33 (dev 4, production 8)
  dismissed by sam on 2026-12-01: after Christmas

1.35: proposed on 2026-11-30 for 12 clusters at 1.34 (dev 4, production 8)
  to start it: belay campaign start to-1-35 (plan d9d3b4c77735 when it was proposed)

1.36: proposed on 2026-11-30 for 12 clusters at 1.35 (dev 4, production 8)
  not all clusters could be read at the last check
  no campaign in belay.yaml has this target; one could be:
    campaigns:
      to-1-36:
        target: "1.36"

Last check: 2026-11-30.
1.37 is not proposed yet: EKS does not offer it in ap-southeast-7.
Could not read 2 clusters (AWS refuses the role); they may be due as well.
Could not read which campaigns are open: to-1-34 does not answer

Next check: 2026-12-07 08:00 UTC.`);
});

test.each([
  [{ state: { known: {} } }, 'Proposals are off in belay.yaml, so Belay does not check whether a campaign is due.'],
  [
    { state: { known: {} }, trouble: 'belay.yaml is gone' },
    'The worker cannot read belay.yaml, and retries every hour: belay.yaml is gone',
  ],
  [
    { state: { known: {}, last: { kind: 'unread' as const, why: ['AWS refuses the role'] } } },
    'The last check could not read anything, so it is not known whether a campaign is due: AWS refuses the role',
  ],
])('%j', (status, said) => {
  expect(renderProposals(status)).toContain(said);
});
