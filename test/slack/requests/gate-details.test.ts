/** Details: a gate's button opens all that the run knows of the gate; a closed gate, or a run of before, is told so. */
import { describe, expect, test } from 'vitest';
import { openGate } from '../../../domain/gates/gate-rules.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import type { CampaignStatus } from '../../../client/campaigns/campaigns.ts';
import { type Upgrades, UpgradesError } from '../../../client/calls/contract.ts';
import { initialState } from '../../../domain/run/campaign/state.ts';
import { CAMPAIGN_PLAN } from '../campaign-fixture.ts';
import { open, status, WORKFLOW_ID } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { BASE, post, withApp } from '../support.ts';

const STATE = open({ evidence: [{ title: 'FAILED', lines: Array.from({ length: 20 }, (_, index) => `node ${index} is NotReady`) }] });
const GATES: UpgradeStatus['gates'] = STATE.kind === 'open' ? [{ ...openGate(STATE), workflowId: WORKFLOW_ID }] : [];
const CLOSED =
  'This gate is no longer open: it was decided or withdrawn, or has expired. Nothing was changed. Its thread shows how it ended.';

const answering = (change: Partial<UpgradeStatus>): Partial<Upgrades> => ({
  status: async () => ({ source: 'workflow', status: status({ gates: GATES, ...change }) }),
});

describe('Details', () => {
  test('opens every line, and changes nothing', async () => {
    await withApp({ upgrades: answering({}) }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: STATE, ...BASE }));
      await bench.slack.click('U0SAM', ts, 'upgrade/details');
      await eventually(
        () => JSON.stringify(bench.slack.openViews('U0SAM').at(-1)?.blocks ?? []).includes('node 19 is NotReady') || undefined,
      );
      expect(bench.asked.filter(({ what }) => what !== 'status')).toEqual([]);
    });
  });

  test('opens within the three seconds that Slack allows, however late the run answers', async () => {
    const { promise: answered, resolve: answerNow } = Promise.withResolvers<void>();
    const late = answering({});
    await withApp(
      { upgrades: { status: async (cluster) => await answered.then(() => late.status?.(cluster) ?? expect.fail()) } },
      async (bench) => {
        const ts = await post(bench, gateBlocks({ state: STATE, ...BASE }));
        await bench.slack.click('U0SAM', ts, 'upgrade/details');
        const text = (): string => JSON.stringify(bench.slack.openViews('U0SAM').at(-1)?.blocks ?? []);
        await eventually(() => text().includes('Reading the gate') || undefined);
        answerNow();
        await eventually(() => text().includes('node 19 is NotReady') || undefined);
      },
    );
  });

  test.each<[string, Partial<Upgrades>, string]>([
    ['that is closed', answering({ gates: [] }), CLOSED],
    ['of an earlier run', answering({ runId: 'another' }), CLOSED],
    [
      'of a run whose worker is away',
      {
        status: async () => ({
          source: 'visibility',
          why: 'No worker answers.',
          status: { workflowId: WORKFLOW_ID, runId: 'r', cluster: 'staging', execution: 'RUNNING', startedAt: '' },
        }),
      },
      'Could not read the details: No worker answers.',
    ],
    [
      'while Temporal is away',
      {
        status: async () => {
          throw new UpgradesError('unreachable', 'Temporal at temporal:7233 does not answer.');
        },
      },
      'Could not read the details: Temporal at temporal:7233 does not answer.',
    ],
  ])('of a gate %s: the modal says so', async (_name, upgrades, words) => {
    await withApp({ upgrades }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: STATE, ...BASE }));
      await bench.slack.click('U0SAM', ts, 'upgrade/details');
      await eventually(() => JSON.stringify(bench.slack.openViews('U0SAM').at(-1)?.blocks ?? []).includes(words) || undefined);
    });
  });

  test('of a campaign’s ring: its campaign is asked, whichever run of it goes on by now', async () => {
    const state = initialState(CAMPAIGN_PLAN);
    const workflowId = 'eks-campaign/to-1-34';
    const ofCampaign = async (campaign: string): Promise<CampaignStatus> => ({
      workflowId: `eks-campaign/${campaign}`,
      runId: 'a-later-run',
      requestedBy: { kind: 'slack', id: 'U0ALEX' },
      startedAt: '2026-11-26T09:00:00.000Z',
      plan: CAMPAIGN_PLAN,
      state,
      gates: GATES,
    });
    await withApp({ campaigns: { status: ofCampaign } }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: STATE, ...BASE, workflowId }));
      await bench.slack.click('U0SAM', ts, 'upgrade/details');
      await eventually(
        () => JSON.stringify(bench.slack.openViews('U0SAM').at(-1)?.blocks ?? []).includes('node 19 is NotReady') || undefined,
      );
    });
  });
});
