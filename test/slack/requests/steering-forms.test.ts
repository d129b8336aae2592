/** Hand over and More time: a button or a command opens a form; what is sent goes to the run, which judges who may. */
import { describe, expect, test } from 'vitest';
import type { View } from '../../../rehearsal/neighbours/slack/views.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { boardBlocks } from '../../../slack/blocks/board.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { NOW_MS, open, RUN_ID, status, WORKFLOW_ID } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { BASE, type Bench, post, withApp } from '../support.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };
const formOf = ({ slack }: Bench): Promise<View> => eventually(() => slack.openViews('U0SAM').at(-1));

describe('hand over', () => {
  test('the board asks to whom; the person chosen, the reason and the run that the board shows go to the run', async () => {
    await withApp({}, async (bench) => {
      const board = await post(bench, boardBlocks({ status: status() }, NOW_MS));
      await bench.slack.click('U0SAM', board, 'upgrade/handover');
      const form = await formOf(bench);
      expect(bench.asked).toEqual([]);
      expect(await bench.slack.submitView('U0SAM', form.id, { to: 'U0RIN', reason: 'my shift ends' })).toMatchObject({ closed: true });
      await eventually(() => bench.seenBy('U0SAM').includes('Handed over.'));
      const to = { kind: 'slack', id: 'U0RIN' };
      const request = { workflowId: WORKFLOW_ID, run: RUN_ID, to, reason: 'my shift ends', actor: SAM, requestId: form.id };
      expect(bench.asked).toEqual([{ what: 'handOver', request }]);
    });
  });

  test('the command without a person opens the same form; nobody chosen, nothing sent', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade handover staging');
      const form = await formOf(bench);
      expect(await bench.slack.submitView('U0SAM', form.id, {})).toMatchObject({ closed: false, errors: { to: expect.any(String) } });
      expect(bench.asked).toEqual([]);
      await bench.slack.submitView('U0SAM', form.id, { to: 'U0RIN' });
      await eventually(() => bench.asked.length > 0);
      expect(bench.asked[0]).toMatchObject({ what: 'handOver', request: { cluster: 'staging', to: { id: 'U0RIN' }, actor: SAM } });
    });
  });

  test.each([
    ['a guest', { guest: 'multi-channel' as const }, 'Not handed over to <@U0GUEST>: Guests of the workspace may not do that.'],
    ['a bot', { bot: true }, 'Not handed over to <@U0GUEST>: Bots and workflows decide nothing.'],
    ['somebody who has left', { deleted: true }, 'Not handed over to <@U0GUEST>: This Slack account is deactivated.'],
  ])('to %s: refused, by form and by command', async (_name, standing, expected) => {
    const people = [...WORKSPACE.people, { id: 'U0GUEST', name: 'kim', realName: 'Kim', role: 'elsewhere', standing }];
    await withApp({ server: { workspace: { ...WORKSPACE, people } } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade handover staging');
      await bench.slack.submitView('U0SAM', (await formOf(bench)).id, { to: 'U0GUEST' });
      await eventually(() => bench.seenBy('U0SAM').includes(expected));
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade handover staging U0GUEST');
      await eventually(() => bench.seenBy('U0SAM').filter((text) => text === expected).length === 2);
      expect(bench.asked).toEqual([]);
    });
  });

  test('while Slack does not say who somebody is, nothing is handed over', async () => {
    await withApp({}, async (bench) => {
      const board = await post(bench, boardBlocks({ status: status() }, NOW_MS));
      await bench.slack.click('U0SAM', board, 'upgrade/handover');
      const form = await formOf(bench);
      bench.slack.failNext('users.info', { error: 'internal_error', times: 20 });
      await bench.slack.submitView('U0SAM', form.id, { to: 'U0RIN' });
      await eventually(() =>
        bench.seenBy('U0SAM').find((text) => text.startsWith('Not handed over: could not look up <@U0RIN> in Slack.')),
      );
      expect(bench.asked).toEqual([]);
    });
  });
});

describe('more time', () => {
  test('a gate asks how much; time, reason, gate and run go to the workflow that waits, and the answer comes in the thread', async () => {
    await withApp({}, async (bench) => {
      const root = await post(bench, { text: 'board', blocks: [] });
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }), root);
      await bench.slack.click('U0SAM', ts, 'upgrade/extend');
      const form = await formOf(bench);
      expect(JSON.stringify(form.blocks)).toContain('It expires <!date^1772625900^');
      expect(await bench.slack.submitView('U0SAM', form.id, {})).toMatchObject({ closed: false, errors: { time: expect.any(String) } });
      await bench.slack.submitView('U0SAM', form.id, { time: '4h', reason: 'waiting for Rin' });
      await eventually(() => bench.seenBy('U0SAM').includes('It waits longer.'));
      const gateId = 'before:control-plane@1.32#1';
      const request = { gateId, workflowId: WORKFLOW_ID, run: RUN_ID, byMs: 14_400_000, actor: SAM };
      expect(bench.asked).toEqual([{ what: 'extend', request: { ...request, reason: 'waiting for Rin', requestId: form.id } }]);
      expect(bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM')?.thread_ts).toBe(root);
    });
  });

  test('a gate that was closed meanwhile is told so', async () => {
    const extend = () => Promise.reject(new UpgradesError('not-running', 'This gate is closed.'));
    await withApp({ upgrades: { extend } }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      await bench.slack.click('U0SAM', ts, 'upgrade/extend');
      await bench.slack.submitView('U0SAM', (await formOf(bench)).id, { time: '1d' });
      await eventually(() => bench.seenBy('U0SAM').includes('This gate is closed.'));
    });
  });
});

test.each(['upgrade/handover', 'upgrade/extend', 'upgrade/details'])(
  '%s: a button that Belay did not make opens nothing',
  async (actionId) => {
    await withApp({}, async (bench) => {
      const text = { type: 'plain_text' as const, text: 'Press' };
      const elements = [{ type: 'button' as const, action_id: actionId, text, value: '{"gate":7}' }];
      const ts = await post(bench, { text: 'x', blocks: [{ type: 'actions', elements }] });
      await bench.slack.click('U0EVE', ts, actionId);
      await eventually(() =>
        bench.seenBy('U0EVE').find((line) => line.startsWith('Nothing was done: this button does not say what it decides')),
      );
      expect(bench.slack.openViews('U0EVE')).toEqual([]);
    });
  },
);

test('a form that Slack does not open in time: the one who pressed is told to press again', async () => {
  await withApp({}, async (bench) => {
    const ts = await post(bench, boardBlocks({ status: status() }, NOW_MS));
    bench.slack.failNext('views.open', { error: 'expired_trigger_id', times: 1 });
    await bench.slack.click('U0SAM', ts, 'upgrade/handover');
    await eventually(() =>
      bench.seenBy('U0SAM').includes('The form for the handover could not be opened in time. Press the button again.'),
    );
  });
});
