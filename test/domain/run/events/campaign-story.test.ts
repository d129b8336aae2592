/** Which of what campaigns and proposals tell become which events, each once, and what these say. */
import { describe, expect, test } from 'vitest';
import { proposalEvent } from '../../../../domain/run/events/proposal-events.ts';
import { open } from '../../../slack/fixtures.ts';
import { proposed } from '../../../slack/proposal-fixture.ts';
import { campaignEventsOf, campaignStory, campaignTold, DISMISSED, everythingOfProposals, view } from './campaign-told.ts';
import { gateTold, note, NOW, type Told } from './told.ts';

const GATE = 'before:control-plane@1.32#1';

test.each<[string, Told[], string[]]>([
  ['the board, however often', [campaignTold(), campaignTold(), campaignTold('paused')], ['campaign.started campaign/started']],
  ['one that was refused', [campaignTold('stopped')], []],
  ['a gate, told twice', [gateTold(open()), gateTold(open())], [`campaign.gate.opened gate/${GATE}/opened`]],
  ['lines of the thread', [note('info', 'a'), note('alarm', 'b'), note('info', 'a')], ['campaign.note.info a', 'campaign.note.alarm b']],
  [
    'what is for Slack alone',
    [['list/dev/1', { kind: 'file', below: 'ring/dev', fileName: 'dev.csv', title: 'Clusters of ring dev', content: 'a' }]],
    [],
  ],
])('%s', (_what, told, events) => {
  expect(campaignEventsOf(told).map(({ type, key }) => `${type} ${key}`)).toEqual(events);
});

test('the next run of a campaign tells neither its start nor a gate that was told again; its end is told', () => {
  const story = campaignStory({ told: ['campaign/started', `gate/${GATE}/opened`] });
  expect(campaignEventsOf([campaignTold(), gateTold(open())], story)).toEqual([]);
  expect([...story.end(view('complete'), NOW), ...story.end(view('complete'), NOW)]).toEqual([
    {
      key: 'campaign/finished',
      type: 'campaign.finished',
      at: NOW,
      data: expect.objectContaining({ campaign: expect.objectContaining({ phase: 'complete' }) }),
    },
  ]);
});

test('an event says which campaign, how far it is, and how its gate is decided', () => {
  const [event] = campaignEventsOf([gateTold(open())]);
  expect(event?.data).toMatchObject({
    campaign: {
      name: 'to-1-34',
      target: '1.34',
      workflowId: 'eks-campaign/to-1-34',
      runId: 'run-1',
      requestedBy: { id: 'U0ALEX', name: 'Alex', kind: 'slack' },
      phase: 'proposed',
      clusterCount: 2,
      arrivedCount: 0,
      rings: [{ name: 'dev', state: 'awaiting-approval', line: '0/2 done' }],
    },
    links: { temporal: 'https://temporal.example/run' },
    gate: { command: 'belay campaign promote to-1-34 --reason "…"', inSlack: true },
  });
  expect(event?.data).not.toHaveProperty('cluster');
});

describe('proposals', () => {
  test('one that is made, dismissed, and made of another version differ by their keys', () => {
    const keys = [proposed(), DISMISSED, proposed({ target: '1.36' })].map((each) => proposalEvent(each).key);
    expect(keys).toEqual([
      'proposal/1.35/2026-11-30T08:00:00.000Z/made',
      'proposal/1.35/2026-11-30T08:00:00.000Z/dismissed',
      'proposal/1.36/2026-11-30T08:00:00.000Z/made',
    ]);
  });

  test('say what is due, what waiting costs, and what could start', () => {
    const [made, dismissed, unread] = everythingOfProposals().map(({ data }) => data);
    expect(made).toEqual({
      proposal: {
        target: '1.35',
        from: '1.34',
        clusterCount: 12,
        environments: [
          { name: 'dev', clusterCount: 4 },
          { name: 'production', clusterCount: 8 },
        ],
        endOfStandardSupport: '2026-12-02',
        endOfExtendedSupport: '2027-12-02',
        withinDays: 90,
        usdWithin: 10_356,
        campaigns: ['to-1-35'],
        proposedAt: '2026-11-30T08:00:00.000Z',
      },
    });
    expect(dismissed?.proposal?.dismissed).toEqual({
      by: { id: 'U0SAM', name: 'Sam', kind: 'slack' },
      at: '2026-12-01T08:00:00.000Z',
      reason: 'later',
    });
    expect(unread).toEqual({ unread: { why: 'Belay could not read what it needs.' } });
  });
});
