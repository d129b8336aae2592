/** What a person presses on a gate or on the board, and is told. */
import { describe, expect, test } from 'vitest';
import { boardBlocks } from '../../../slack/blocks/board.ts';
import { checkBlocks } from '../../../slack/blocks/check.ts';
import { gateBlocks } from '../../../slack/blocks/gate.ts';
import { paceBlocks } from '../../../slack/blocks/pace.ts';
import { reportBlocks } from '../../../slack/blocks/report.ts';
import { type Answer, UpgradesError } from '../../../client/upgrades-client.ts';
import { CHECK_RUN, CLUSTER, NOW_MS, open, pace, RUN_ID, status, WORKFLOW_ID } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { BASE, CHANNEL, post, withApp } from '../support.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' } as const;

describe('gate buttons', () => {
  test('a press decides at once and is answered to the one who pressed, in the thread', async () => {
    await withApp({}, async (bench) => {
      const root = await post(bench, { text: 'board', blocks: [] });
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }), root);
      expect(await bench.slack.click('U0SAM', ts, 'gate/approve')).toBe('acked');
      await eventually(() => bench.seenBy('U0SAM').includes('Approved by sam.'));
      expect(bench.asked).toEqual([
        {
          what: 'decide',
          request: {
            gateId: 'before:control-plane@1.32#1',
            workflowId: WORKFLOW_ID,
            choice: 'approve',
            revision: 3,
            run: RUN_ID,
            actor: SAM,
          },
        },
      ]);
      expect(bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM')?.thread_ts).toBe(root);
      expect(bench.seenBy('U0ALEX')).toEqual([]);
    });
  });

  test.each<[string, () => Promise<Answer>, string]>([
    [
      'a stale press',
      () => Promise.resolve({ reply: { accepted: false, message: 'Already approved by rin.' }, how: 'answered' }),
      'Already approved by rin.',
    ],
    [
      'no worker',
      () =>
        Promise.resolve({
          reply: { accepted: true, message: 'Recorded; no worker has answered yet, and it is applied as soon as one does.' },
          how: 'kept',
        }),
      'Recorded; no worker has answered yet, and it is applied as soon as one does.',
    ],
    [
      'a gate of a run that has ended',
      () => Promise.reject(new UpgradesError('not-running', 'This gate is closed.')),
      'This gate is closed.',
    ],
    [
      'no Temporal',
      () => Promise.reject(new UpgradesError('unreachable', 'Temporal at x does not answer.')),
      'Temporal at x does not answer. Nothing was recorded: press again later.',
    ],
  ])('%s is answered to the one who pressed', async (_name, decide, expected) => {
    await withApp({ upgrades: { decide } }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      await bench.slack.click('U0SAM', ts, 'gate/approve');
      await eventually(() => bench.seenBy('U0SAM').includes(expected));
    });
  });

  test('S2 T6: a press made while Temporal is away is repeated until it is back', async () => {
    let calls = 0;
    const decide = (): Promise<Answer> => {
      calls += 1;
      if (calls === 1) return Promise.reject(new UpgradesError('unreachable', 'Temporal at x does not answer.'));
      return Promise.resolve({ reply: { accepted: true, message: 'Approved by sam.' }, how: 'answered' });
    };
    await withApp({ upgrades: { decide }, options: { keepTryingMs: 60_000 } }, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      await bench.slack.click('U0SAM', ts, 'gate/approve');
      await eventually(() => bench.seenBy('U0SAM').includes('Approved by sam.'));
      expect(bench.seenBy('U0SAM')[0]).toBe('Temporal at x does not answer. Belay keeps trying for 1 min; you do not need to press again.');
    });
  });

  test('a choice that needs a reason asks for it first, and refuses blanks', async () => {
    await withApp({}, async (bench) => {
      const root = await post(bench, { text: 'board', blocks: [] });
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }), root);
      await bench.slack.click('U0SAM', ts, 'gate/skip');
      const view = await eventually(() => bench.slack.openViews('U0SAM')[0]);
      expect(bench.asked).toEqual([]);
      expect(await bench.slack.submitView('U0SAM', view.id, { reason: '    ' })).toMatchObject({
        closed: false,
        errors: { reason: expect.any(String) },
      });
      expect(await bench.slack.submitView('U0SAM', view.id, { reason: 'the nodes are new already' })).toMatchObject({ closed: true });
      await eventually(() => bench.seenBy('U0SAM').includes('Approved by sam.'));
      expect(bench.asked.map(({ request }) => request)).toEqual([
        {
          gateId: 'before:control-plane@1.32#1',
          workflowId: WORKFLOW_ID,
          choice: 'skip',
          revision: 3,
          run: RUN_ID,
          actor: SAM,
          reason: 'the nodes are new already',
        },
      ]);
      expect(bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM')?.thread_ts).toBe(root);
    });
  });

  test('when the response url is closed the answer comes by another way', async () => {
    await withApp({}, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      // The form's answer has no response url at all.
      await bench.slack.click('U0SAM', ts, 'gate/skip');
      const view = await eventually(() => bench.slack.openViews('U0SAM')[0]);
      bench.slack.failNext('chat.postEphemeral', { error: 'internal_error', times: 1 });
      await bench.slack.submitView('U0SAM', view.id, { reason: 'because' });
      await eventually(() => bench.logged.find((line) => line.includes('answering U0SAM: Slack answered internal_error')));
      expect(bench.asked).toHaveLength(1);
    });
  });
});

describe('the buttons of a check', () => {
  const check = {
    cluster: CLUSTER,
    target: '1.32',
    requestedBy: { kind: 'slack' as const, id: 'U0ALEX' },
    startedAt: '2026-03-03T12:00:00Z',
  };
  const blocks = checkBlocks({ ...check, progress: { kind: 'failed', why: 'no' } }, CHECK_RUN.runId);

  test('Check again compares with the check that has the button; Plan the upgrade shows the plan to the one who pressed', async () => {
    await withApp({}, async (bench) => {
      const ts = await post(bench, blocks);
      await bench.slack.click('U0SAM', ts, 'check/again');
      await eventually(() => bench.asked.length === 1);
      await bench.slack.click('U0SAM', ts, 'check/plan');
      await eventually(() => bench.seenBy('U0SAM').some((text) => text.startsWith('Plan: staging 1.31 → 1.32: 1 hop')));
      expect(bench.asked).toEqual([
        {
          what: 'check',
          request: { cluster: 'staging', target: '1.32', requestedBy: SAM, channel: CHANNEL, since: CHECK_RUN.runId },
        },
        { what: 'plan', request: { cluster: 'staging', target: '1.32', requestedBy: SAM } },
      ]);
    });
  });

  test('the report of a run that was ended to go back starts the way back; another one has no such button', async () => {
    const report = (change: Parameters<typeof status>[0]) =>
      reportBlocks({ status: status(change), outcome: 'aborted', decisions: [], leftBehind: [] });
    expect(JSON.stringify(report({}))).not.toContain('back/plan');
    await withApp({}, async (bench) => {
      const ts = await post(bench, report({ goBack: SAM }));
      await bench.slack.click('U0SAM', ts, 'back/plan');
      await eventually(() => bench.seenBy('U0SAM').some((text) => text.startsWith('Started: staging')));
      expect(bench.asked).toEqual([{ what: 'startBack', request: { cluster: 'staging', requestedBy: SAM } }]);
    });
  });

  test('a press that cannot be followed is answered', async () => {
    const refuse = () => Promise.reject(new UpgradesError('no-worker', 'No worker answers.'));
    await withApp({ upgrades: { check: refuse, plan: () => Promise.reject(new Error('xoxb-secret')) } }, async (bench) => {
      const ts = await post(bench, blocks);
      await bench.slack.click('U0SAM', ts, 'check/again');
      await eventually(() => bench.asked.length === 1);
      await bench.slack.click('U0SAM', ts, 'check/plan');
      const log = 'Something went wrong. The log of the Slack process has the details.';
      await eventually(() => ['No worker answers.', log].every((text) => bench.seenBy('U0SAM').includes(text)));
    });
  });
});

describe('board buttons', () => {
  test('Pause and Abort go to the run that the board shows', async () => {
    await withApp({}, async (bench) => {
      const ts = await post(bench, boardBlocks({ status: status() }, NOW_MS));
      await bench.slack.click('U0SAM', ts, 'upgrade/pause');
      await bench.slack.click('U0SAM', ts, 'upgrade/abort');
      await eventually(() => bench.seenBy('U0SAM').length === 2);
      const request = { workflowId: WORKFLOW_ID, run: RUN_ID, actor: SAM, requestId: expect.stringMatching(/^7:/) };
      expect(bench.asked).toEqual([
        { what: 'pause', request },
        { what: 'abort', request },
      ]);
    });
  });
});

describe('pace buttons', () => {
  test('say the pace of the roll, as the message shows it, to the run', async () => {
    await withApp({}, async (bench) => {
      const ts = await post(bench, paceBlocks(pace(), RUN_ID));
      await bench.slack.click('U0SAM', ts, 'pace/20%');
      await bench.slack.click('U0SAM', ts, 'pace/freeze');
      await eventually(() => bench.seenBy('U0SAM').length === 2);
      const request = { workflowId: WORKFLOW_ID, run: RUN_ID, actor: SAM, requestId: expect.stringMatching(/^4:/) };
      expect(bench.asked).toEqual([
        { what: 'pace', request: { ...request, pace: '20%' } },
        { what: 'pace', request: { ...request, pace: 'freeze' } },
      ]);
      expect(bench.seenBy('U0SAM')).toEqual(['The pace is 20%.', 'The pace is freeze.']);
    });
  });
});

describe('a button that does not say what it is for', () => {
  const UNREADABLE = 'Nothing was done: this button does not say what it decides. Use the newest buttons on the board, or "belay decide".';
  const decision = { gateId: 'before:control-plane@1.32#1', workflowId: WORKFLOW_ID, choice: 'reject', revision: 3 };

  test.each<[string, string]>([
    ['upgrade/pause', 'older than JSON'],
    ['upgrade/resume', '{}'],
    ['upgrade/abort', JSON.stringify({ workflowId: WORKFLOW_ID, revision: -1 })],
    ['upgrade/handover', JSON.stringify({ workflowId: '', revision: 7 })],
    ['upgrade/extend', JSON.stringify({ workflowId: WORKFLOW_ID })],
    ['upgrade/details', '[]'],
    ['gate/approve', JSON.stringify(decision)],
    ['gate/reject', JSON.stringify({ ...decision, gateId: undefined })],
    ['pace/20%', JSON.stringify({ workflowId: WORKFLOW_ID, revision: 4, pace: 'freeze' })],
    ['check/again', JSON.stringify({ cluster: 'staging', target: 'newest', run: CHECK_RUN.runId })],
    ['back/plan', '{}'],
    ['undo/plan', JSON.stringify({ cluster: 'staging', step: 'two words' })],
    ['reconcile/apply', JSON.stringify({ cluster: '' })],
  ])('%s with %s: nothing is asked of the run, and the one who pressed is told', async (actionId, value) => {
    await withApp({}, async (bench) => {
      const element = { type: 'button' as const, action_id: actionId, value, text: { type: 'plain_text' as const, text: 'Go' } };
      const ts = await post(bench, { text: 'buttons', blocks: [{ type: 'actions', elements: [element] }] });
      expect(await bench.slack.click('U0SAM', ts, actionId)).toBe('acked');
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(UNREADABLE);
      expect(bench.asked).toEqual([]);
    });
  });
});
