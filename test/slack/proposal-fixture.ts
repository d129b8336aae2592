/** A proposed campaign; a test changes one thing. */
import type { CampaignProposal } from '../../domain/run/proposals/proposal.ts';
import type { KnownProposal } from '../../domain/run/proposals/state.ts';

const PROPOSAL: CampaignProposal = {
  target: '1.35',
  from: '1.34',
  readAt: '2026-11-28T07:00:00.000Z',
  withinDays: 90,
  clusterCount: 12,
  environments: [
    { name: 'dev', clusterCount: 4 },
    { name: 'production', clusterCount: 8 },
  ],
  endOfStandardSupport: '2026-12-02',
  endOfExtendedSupport: '2027-12-02',
  forcedCount: 1,
  accounts: [
    { account: '444455556666', clusterCount: 8, unknownCount: 1, usdPerDay: 0, usdWithin: 7249.5 },
    { account: '111122223333', clusterCount: 4, unknownCount: 0, usdPerDay: 0, usdWithin: 3106.5 },
  ],
  total: { usdPerDay: 0, usdWithin: 10_356 },
  lacking: [{ account: '444455556666', region: 'ap-southeast-7', clusterCount: 1 }],
  offersUnread: [],
  unread: { count: 2, why: ['AWS refuses the role belay'] },
  campaigns: [{ name: 'to-1-35', plan: { hash: 'd9d3b4c77735', ringCount: 2, clusterCount: 12, problems: [] } }],
};

export const proposed = (change: Partial<CampaignProposal> = {}, more: Partial<KnownProposal> = {}): KnownProposal => ({
  proposal: { ...PROPOSAL, ...change },
  proposedAt: '2026-11-30T08:00:00.000Z',
  now: 'due',
  ...more,
});
