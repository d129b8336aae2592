/** What campaigns and proposals tell, for tests of what comes of it elsewhere than in Slack. */
import { campaignView } from '../../../../domain/run/campaign/view.ts';
import { initialState } from '../../../../domain/run/campaign/state.ts';
import { CampaignStory } from '../../../../domain/run/events/campaign-story.ts';
import type { RunEvent } from '../../../../domain/run/events/event.ts';
import { proposalEvent, unreadEvent } from '../../../../domain/run/events/proposal-events.ts';
import { decided, open } from '../../../slack/fixtures.ts';
import { proposed } from '../../../slack/proposal-fixture.ts';
import { planOf } from '../../../support/campaigns.ts';
import { expired, gateTold, note, NOW, type Told, withdrawn } from './told.ts';

export const CAMPAIGN = { workflowId: 'eks-campaign/to-1-34', runId: 'run-1' };
const plan = planOf(['dev-1', 'dev-2']);
const status = {
  plan,
  state: initialState(plan),
  workflowId: CAMPAIGN.workflowId,
  requestedBy: { kind: 'slack' as const, id: 'U0ALEX', name: 'Alex' },
};

export const campaignStory = (change: Partial<ConstructorParameters<typeof CampaignStory>[1]> = {}): CampaignStory =>
  new CampaignStory(status, { runId: CAMPAIGN.runId, inSlack: true, told: [], temporalUrl: 'https://temporal.example/run', ...change });

export const view = (phase: 'running' | 'paused' | 'stopped' | 'complete' = 'running') => ({ ...campaignView(status), phase });
export const campaignTold = (phase?: Parameters<typeof view>[0]): Told => ['board', { kind: 'campaign', view: view(phase) }];

export const campaignEventsOf = (told: readonly Told[], of = campaignStory()): RunEvent[] =>
  told.flatMap(([key, notification]) => of.hear({ key, notification }, NOW));

/** One of each type of event of campaigns. */
export function everythingOfCampaigns(): RunEvent[] {
  const story = campaignStory();
  const told = [
    campaignTold(),
    gateTold(open()),
    gateTold(open(), { reminder: true }),
    gateTold(open({ expiresAt: '2026-03-05T12:05:00Z' })),
    gateTold(decided()),
    gateTold(expired('second')),
    gateTold(withdrawn('third')),
    note('info'),
    note('warning'),
    note('alarm'),
  ];
  return [...campaignEventsOf(told, story), ...story.end(view('complete'), NOW)];
}

export const DISMISSED = proposed(
  {},
  { dismissed: { by: { kind: 'slack', id: 'U0SAM', name: 'Sam' }, at: '2026-12-01T08:00:00.000Z', reason: 'later' } },
);

/** Likewise of proposals. */
export const everythingOfProposals = (): RunEvent[] => [
  proposalEvent(proposed()),
  proposalEvent(DISMISSED),
  unreadEvent('Belay could not read what it needs.', NOW),
];
