/** `/eks-upgrade campaign` alone: what is open, and a form to plan, start or steer. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { commandFrom } from '../../../slack/requests/campaign-form.ts';
import type { FilledCampaign } from '../../../slack/views/campaign.ts';
import { eventually } from '../../support/eventually.ts';
import { CAMPAIGN } from '../campaign-fixture.ts';
import { type Bench, withApp } from '../support.ts';

const errorsOf = (filled: Partial<FilledCampaign>): unknown =>
  commandFrom({ campaign: 'to-1-34', verb: 'pause', only: [], clusters: [], without: [], ...filled }, [CAMPAIGN], undefined);

describe('what is wrong is said below its field', () => {
  test.each<[string, Partial<FilledCampaign>, Record<string, string>]>([
    ['no campaign', { campaign: undefined }, { campaign: 'Choose a campaign.' }],
    ['a campaign that belay.yaml does not name any more', { campaign: 'old' }, { campaign: 'Choose a campaign.' }],
    ['nothing to do', { verb: undefined }, { verb: 'Choose what to do.' }],
    ['a ring that there is not', { verb: 'retry', ring: 'pord' }, { ring: 'to-1-34 has no ring pord; its rings: dev, prod.' }],
    [
      'what only retry takes',
      { verb: 'pause', ring: 'dev', only: ['failed'], clusters: ['dev-1'], without: ['dev-2'] },
      {
        ring: 'Leave this empty with pause: it is only for retry and rollback.',
        only: 'Leave this empty with pause: it is only for retry.',
        clusters: 'Leave this empty with pause: it is only for retry and beside.',
        without: 'Leave this empty with pause: it is only for retry.',
      },
    ],
    ['rollback without a ring', { verb: 'rollback' }, { ring: 'Name the ring to roll back: dev, prod.' }],
    [
      'going on without a cluster, and no reason',
      { verb: 'retry', without: ['dev-1'] },
      { without: 'Say why the ring continues without these clusters.' },
    ],
    ['beside nothing', { verb: 'beside' }, { clusters: 'Name the cluster whose run is stuck.' }],
    ['beside two', { verb: 'beside', clusters: ['dev-1', 'dev-2'] }, { clusters: 'Name one cluster, not 2.' }],
  ])('%s', (_what, filled, errors) => {
    expect(errorsOf(filled)).toEqual({ errors });
  });

  test('a whole retry is the same as the command', () => {
    const filled: FilledCampaign = {
      campaign: 'to-1-34',
      verb: 'retry',
      ring: 'dev',
      only: ['held', 'failed'],
      clusters: ['dev-2'],
      without: ['dev-1'],
    };
    expect(commandFrom(filled, [CAMPAIGN], 'quota raised')).toEqual({
      command: {
        kind: 'campaign',
        verb: 'retry',
        campaign: 'to-1-34',
        retry: { ring: 'dev', only: ['failed', 'held'], lift: ['dev-2'], without: ['dev-1'] },
        reason: 'quota raised',
      },
    });
  });
});

/** The form, by the button below the list of what is open. */
async function opened({ slack }: Bench, user = 'U0SAM'): Promise<View> {
  await slack.submitCommand(user, '/eks-upgrade campaign');
  const message = await eventually('the list', () =>
    slack.messages().find(({ text, ephemeralTo }) => ephemeralTo === user && text.includes('Open campaigns: to-1-34.')),
  );
  await slack.click(user, message.ts, 'campaign/form');
  return await eventually('the form', () => slack.openViews(user).at(-1));
}

const shown = ({ slack }: Bench, user: string, text: string): Promise<string> =>
  eventually(`the form of ${user} shows ${text}`, () => {
    const view = JSON.stringify(slack.openViews(user).at(-1) ?? '');
    return view.includes(text) ? view : undefined;
  });

describe('the form', () => {
  test('reads nothing before it opens, and sends what was filled in once, in the name of whoever sent it', async () => {
    await withApp({}, async (bench) => {
      const view = await opened(bench);
      expect(JSON.stringify(view)).toContain('to-1-34 (to 1.34)');
      const wrong = await bench.slack.submitView('U0SAM', view.id, { campaign: 'to-1-34', verb: 'beside' });
      expect(wrong.errors).toEqual({ clusters: 'Name the cluster whose run is stuck.' });
      await bench.slack.submitView('U0SAM', view.id, { campaign: 'to-1-34', verb: 'pause', reason: 'the freeze of the shop' });
      await shown(bench, 'U0SAM', 'Paused: no further cluster starts.');
      expect(bench.asked.filter(({ what }) => what.startsWith('campaign'))).toEqual([
        {
          what: 'campaign pause',
          request: {
            campaign: 'to-1-34',
            verb: 'pause',
            actor: expect.objectContaining({ kind: 'slack', id: 'U0SAM' }),
            requestId: view.id,
            reason: 'the freeze of the shop',
          },
        },
      ]);
    });
  });

  test('shows a plan in its place, and asks for a start', async () => {
    await withApp({}, async (bench) => {
      const view = await opened(bench);
      await bench.slack.submitView('U0SAM', view.id, { campaign: 'to-1-34', verb: 'plan' });
      await shown(bench, 'U0SAM', '*dev*: 1 of 2 clusters can start');
      const again = await opened(bench, 'U0ALEX');
      await bench.slack.submitView('U0ALEX', again.id, { campaign: 'to-1-34', verb: 'start' });
      await shown(bench, 'U0ALEX', 'Started campaign to-1-34, plan');
    });
  });

  test('without campaigns in belay.yaml there is no button', async () => {
    await withApp({ clusters: { campaigns: () => [] }, campaigns: { list: () => Promise.resolve([]) } }, async ({ slack }) => {
      await slack.submitCommand('U0SAM', '/eks-upgrade campaign');
      const message = await eventually(() => slack.messages().find(({ text }) => text === 'No campaign is open.'));
      expect(JSON.stringify(message.blocks)).not.toContain('campaign/form');
    });
  });

  test('S7: who has become a guest since it was opened sends nothing', async () => {
    const eve = { id: 'U0EVE', name: 'eve', realName: 'Eve Moss', role: '', standing: {} };
    const people = [...WORKSPACE.people.filter(({ id }) => id !== eve.id), eve];
    await withApp({ server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      const view = await opened(bench, 'U0EVE');
      eve.standing = { guest: 'multi-channel' };
      await bench.slack.submitView('U0EVE', view.id, { campaign: 'to-1-34', verb: 'stop' });
      await shown(bench, 'U0EVE', 'Guests of the workspace may not do that');
      expect(bench.asked.map(({ what }) => what)).not.toContain('campaign stop');
    });
  });
});
