/** What Slack's own clients do not send, and its signature lets in: nothing is asked of a run, and who can be told is told. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { boardBlocks } from '../../../slack/blocks/board.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import type { Upgrades } from '../../../client/upgrades-client.ts';
import { NOW_MS, open, status } from '../fixtures.ts';
import { interaction, send, withHttp } from '../signed.ts';
import { eventually } from '../../support/eventually.ts';
import { BASE, type Bench, CLUSTERS, post, withApp } from '../support.ts';

const UNREADABLE = 'Nothing was done: this button does not say what it decides. Use the newest buttons on the board, or "belay decide".';
const LONG = '\u0001'.repeat(1_000);

test.each([
  ['gate/skip', { gateId: 'g', choice: 'skip', workflowId: LONG, revision: 1, ask: { label: 'Skip', does: '' } }],
  ['upgrade/extend', { workflowId: LONG, gate: 'g', title: '', until: '' }],
  ['upgrade/handover', { workflowId: LONG, revision: 1 }],
])('%s: a value that fits into no form opens none', async (actionId, value) => {
  await withHttp(async (bench) => {
    const actions = [{ type: 'button', action_id: actionId, block_id: 'b', value: JSON.stringify(value) }];
    await send(bench, interaction('U0SAM', { type: 'block_actions', actions, container: { type: 'message' } }));
    expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(UNREADABLE);
    expect(bench.asked).toEqual([]);
  });
});

test('what was put back is told to the one who pressed where Slack does not say on which message', async () => {
  await withHttp(async (bench) => {
    const actions = [{ type: 'button', action_id: 'reconcile/apply', block_id: 'b', value: JSON.stringify({ cluster: 'staging' }) }];
    await send(bench, interaction('U0SAM', { type: 'block_actions', actions, container: { type: 'message' } }));
    expect(await eventually(() => bench.seenBy('U0SAM')[1])).toBe('Runs have left nothing behind on staging.');
    expect(bench.slack.messages().filter(({ ephemeralTo }) => ephemeralTo === undefined)).toEqual([]);
  });
});

/** With nothing that Slack's client would insist on. */
function lax(form: View): View {
  for (const block of form.blocks) block['optional'] = true;
  return form;
}

describe('a form of Sam that comes back', () => {
  const formOf = ({ slack }: Bench): Promise<View> => eventually(() => slack.openViews('U0SAM').at(-1));
  const pressed = async (bench: Bench, actionId: string): Promise<View> => {
    const blocks = actionId === 'upgrade/handover' ? boardBlocks({ status: status() }, NOW_MS) : gateBlocks({ state: open(), ...BASE });
    await bench.slack.click('U0SAM', await post(bench, blocks), actionId);
    return await formOf(bench);
  };

  test.each([
    ['upgrade/extend', { time: 'Choose how much longer the gate waits.' }],
    ['upgrade/handover', { to: 'Choose a person.' }],
    ['gate/skip', { reason: 'Write why, in a few words.' }],
  ])('%s: without what it asks for: stays open and says so', async (actionId, errors) => {
    await withApp({}, async (bench) => {
      const form = lax(await pressed(bench, actionId));
      expect(await bench.slack.submitView('U0SAM', form.id, {})).toEqual({ outcome: 'acked', closed: false, errors });
      expect(bench.asked).toEqual([]);
    });
  });

  test.each([
    ['upgrade/extend', { time: '4h' }],
    ['upgrade/handover', { to: 'U0RIN' }],
    ['gate/skip', { reason: 'by hand' }],
  ])('%s: without where it was opened: is logged, and asks nothing of any run', async (actionId, filled) => {
    await withApp({}, async (bench) => {
      const form = await pressed(bench, actionId);
      form['private_metadata'] = '{"workflowId":7}';
      expect(await bench.slack.submitView('U0SAM', form.id, filled)).toMatchObject({ closed: true });
      expect(await eventually(() => bench.logged.find((line) => !line.startsWith('connected')))).toBe(
        'a form came back without what it was opened with',
      );
      expect(bench.asked).toEqual([]);
    });
  });
});

describe('the form of an upgrade', () => {
  const offered = ['1.33', '1.32'].map((version) => ({ version, status: 'STANDARD_SUPPORT' as const }));
  const versions: Upgrades['versions'] = (names) =>
    Promise.resolve({ readAt: '2026-03-03T12:00:00Z', clusters: names.map((name) => ({ name, version: '1.31' })), offered });
  const clusters = { ...CLUSTERS, names: () => ['staging', 'prod'], channelOf: () => '#eks-upgrades' };
  const opened = async (bench: Bench, user: string): Promise<View> => {
    await bench.slack.submitCommand(user, '/eks-upgrade');
    return await eventually(() => bench.slack.openViews(user).at(-1));
  };
  const shown = ({ slack }: Bench, user: string): string => JSON.stringify(slack.openViews(user).at(-1));

  test('without a cluster asks for one; without where it was opened does nothing', async () => {
    await withApp({ options: { clusters }, upgrades: { versions } }, async (bench) => {
      const form = lax(await opened(bench, 'U0ALEX'));
      expect((await bench.slack.submitView('U0ALEX', form.id, {})).errors).toEqual({ cluster: 'Choose a cluster.' });
      await bench.slack.pressInView('U0ALEX', form.id, 'form/cluster', { selected: 'prod' });
      await eventually(() => shown(bench, 'U0ALEX').includes('*✅ Ready*'));
      const filled = bench.slack.openViews('U0ALEX').at(-1);
      Object.assign(filled ?? {}, { private_metadata: 'none' });
      await bench.slack.submitView('U0ALEX', form.id, { cluster: 'prod', 'target/prod': '1.32' });
      await eventually(() => shown(bench, 'U0ALEX').includes('Nothing was done: this form does not say where it was opened.'));
      expect(bench.asked.map(({ what }) => what)).toEqual(['list', 'versions', 'readiness']);
    });
  });

  test.each<[string, string, (form: View) => void]>([
    ['a cluster is chosen', 'form/cluster', (form) => void (form['private_metadata'] = 'none')],
    ['a target is chosen', 'form/target', (form) => void (form['private_metadata'] = JSON.stringify({ cluster: 'prod' }))],
  ])('%s where it does not say what it has shown: nothing is read', async (_what, actionId, change) => {
    await withApp({ options: { clusters }, upgrades: { versions } }, async (bench) => {
      const form = await opened(bench, 'U0ALEX');
      await bench.slack.pressInView('U0ALEX', form.id, 'form/cluster', { selected: 'prod' });
      await eventually(() => shown(bench, 'U0ALEX').includes('*✅ Ready*'));
      const asked = bench.asked.length;
      for (const view of bench.slack.openViews('U0ALEX')) change(view);
      const selected = actionId === 'form/cluster' ? 'staging' : '1.33';
      await bench.slack.pressInView('U0ALEX', form.id, actionId, { selected, filled: { cluster: 'prod' } });
      // What another person does meanwhile is read, and nothing else.
      const other = await opened(bench, 'U0SAM');
      await bench.slack.pressInView('U0SAM', other.id, 'form/cluster', { selected: 'staging' });
      await eventually(() => shown(bench, 'U0SAM').includes('*✅ Ready*'));
      expect(bench.asked.slice(asked).flatMap(({ what, request }) => (what === 'list' ? [] : [request]))).toEqual([
        ['staging'],
        { cluster: 'staging', target: '1.32', requestedBy: { kind: 'slack', id: 'U0SAM', name: 'sam' } },
      ]);
      expect(bench.logged.filter((line) => line.startsWith('handling a request'))).toEqual([]);
    });
  });

  test.each<[string, { moved: boolean; gone: boolean }]>([
    ['the channel belongs to no cluster any more', { moved: true, gone: false }],
    ['Slack does not know the one who chooses any more', { moved: false, gone: true }],
  ])('%s: nothing is read', async (_why, change) => {
    let now = { moved: false, gone: false };
    const moving = { ...clusters, channelOf: () => (now.moved ? 'C0ELSEWHERE' : '#eks-upgrades') };
    await withApp({ options: { clusters: moving }, upgrades: { versions } }, async (bench) => {
      const form = await opened(bench, 'U0ALEX');
      now = change;
      if (now.gone) bench.slack.failNext('users.info', { error: 'user_not_found', times: 1 });
      await bench.slack.pressInView('U0ALEX', form.id, 'form/cluster', { selected: 'prod' });
      await eventually(() => bench.logged.find((line) => line.startsWith('refused U0ALEX')));
      expect(bench.asked.filter(({ what }) => what !== 'refused' && what !== 'list')).toEqual([]);
      expect(bench.logged.filter((line) => line.startsWith('handling a request'))).toEqual([]);
    });
  });
});
