/** Examples of what is said of campaigns that Belay proposes. */
import * as cli from '../../../../cli/messages/proposals.ts';
import * as slack from '../../../../slack/messages/proposals.ts';
import * as workflow from '../../../../workflows/messages/proposals.ts';
import { NOTHING_PROPOSED } from '../../../../domain/run/proposals/state.ts';
import type { KnownProposal } from '../../../../domain/run/proposals/state.ts';
import { chapter } from '../chapter.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' } as const;
const NO_ROLE = 'AWS refuses the role arn:aws:iam::444455556666:role/belay';

const KNOWN: KnownProposal = {
  proposal: {
    target: '1.35',
    from: '1.34',
    readAt: '2026-11-30T08:00:00.000Z',
    withinDays: 90,
    clusterCount: 12,
    environments: [{ name: 'dev', clusterCount: 12 }],
    forcedCount: 0,
    accounts: [],
    total: { usdPerDay: 0, usdWithin: 0 },
    lacking: [],
    offersUnread: [],
    unread: { count: 0, why: [] },
    campaigns: [],
  },
  proposedAt: '2026-11-30T08:00:05.000Z',
  now: 'due',
};

export const proposalChapter = chapter('Proposed campaigns', 'workflows/messages/proposals.ts', workflow, {
  looking: [[]],
  proposalDismissed: [['1.35']],
  dismissedBy: [[SAM, '1.35']],
  whichTarget: [[]],
  proposalsOff: [[]],
  proposalsUnconfigured: [['belay.yaml:12: proposals.at: "8am" is not valid; write a time such as "08:00"']],
  nothingRead: [[[NO_ROLE]]],
  lookedText: [
    [
      {
        kind: 'read',
        readAt: '2026-11-30T08:00:00.000Z',
        due: [KNOWN.proposal],
        waiting: [{ target: '1.36', clusterCount: 3, lacking: [{ account: '444455556666', region: 'ap-southeast-7', clusterCount: 1 }] }],
        unread: { count: 2, why: [NO_ROLE] },
        underWayCount: 4,
      },
    ],
    [{ kind: 'unread', why: [NO_ROLE] }],
  ],
  knownText: [[KNOWN], [{ ...KNOWN, dismissed: { by: SAM, at: '2026-12-01T09:00:00.000Z', reason: 'after Christmas' } }]],
  proposalsDetails: [[NOTHING_PROPOSED, '2026-12-07T08:00:00.000Z', undefined]],
});

export const slackProposalChapter = chapter('Slack: proposed campaigns', 'slack/messages/proposals.ts', slack, {
  proposalTitle: [['1.35', 12]],
  supportEnds: [
    ['1.34', '2026-12-02', '2027-12-02'],
    ['1.36', undefined, undefined],
  ],
  awsUpgradesThem: [[1, '2026-12-02']],
  inEnvironment: [['production', 8]],
  waitingCosts: [[90, '$10,356']],
  waitingCostsNothing: [[90]],
  accountCosts: [
    ['111122223333', '$3,107', 0],
    ['444455556666', '$7,250', 1],
  ],
  notOfferedIn: [['ap-southeast-7 (444455556666)', 1]],
  offersUnknownIn: [['us-east-1 (444455556666)', 2]],
  clustersUnread: [[2, NO_ROLE]],
  campaignInFile: [['to-1-35', { hash: 'd9d3b4c77735', ringCount: 2, clusterCount: 12 }]],
  campaignUnplanned: [['to-1-35', 'belay.yaml is gone']],
  noCampaignInFile: [['1.35']],
  moreLines: [[7]],
  startsNothing: [[]],
  howToStart: [['1.35']],
  dismissTitle: [['1.35']],
  dismissMeans: [['1.35']],
  proposalDismissedTitle: [['1.35']],
  dismissedBy: [['<@U0SAM>', 'Nov 30, 9:00 AM', 'after Christmas']],
});

export const cliProposalChapter = chapter('Commands: proposed campaigns', 'cli/messages/proposals.ts', cli, {
  proposedOn: [[{ target: '1.35', from: '1.34', clusters: '12 clusters', where: 'dev 4, production 8' }, '2026-11-30']],
  startIt: [['to-1-35', 'd9d3b4c77735']],
  notPlanned: [['to-1-35', 'belay.yaml is gone']],
  addToFile: [[]],
  standing: [['not-due'], ['unknown']],
  dismissedOn: [['sam', '2026-12-01', 'after Christmas']],
  nothingProposed: [[]],
  notLooked: [[]],
  lookedOn: [['2026-11-30']],
  readNothing: [[NO_ROLE]],
  waitsFor: [['1.36', 'ap-southeast-7']],
  someUnread: [['2 clusters', NO_ROLE]],
  openUnread: [['to-1-34 does not answer']],
  nextLook: [['2026-12-07T08:00:00.000Z']],
  proposalsAreOff: [[]],
  configUnread: [['belay.yaml:12: proposals.at: "8am" is not valid']],
});
