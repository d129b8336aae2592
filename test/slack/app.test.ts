/** The Slack process in socket mode: what a person in the channel types, presses and is told. */
import { describe, expect, test } from '@jest/globals';
import type { KnownBlock } from '@slack/types';
import { boardBlocks } from '../../slack/blocks/board.ts';
import { gateBlocks } from '../../slack/blocks/gate.ts';
import { createNotifier } from '../../slack/notifier.ts';
import { type Answer, UpgradesError } from '../../slack/upgrades.ts';
import { NOW_MS, open, RUN_ID, status, UPGRADE, WORKFLOW_ID } from './fixtures.ts';
import { type Bench, CHANNEL, eventually, withApp } from './support.ts';

const BASE = { workflowId: WORKFLOW_ID, revision: 3, mention: { users: ['U0SAM'], groups: [] }, run: RUN_ID };
const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };

async function post({ web }: Bench, content: { text: string; blocks: KnownBlock[] }, thread?: string): Promise<string> {
  const { ts } = await web.chat.postMessage({ channel: CHANNEL, ...content, ...(thread === undefined ? {} : { thread_ts: thread }) });
  return ts ?? '';
}

describe('commands', () => {
  test('start: reads, starts, and links the thread once the board is there', async () => {
    await withApp({}, async (bench) => {
      const board = { kind: 'board', status: status() } as const;
      await createNotifier({ web: bench.web }).publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: board });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.32 --strategy every-hop');
      const [first, second] = await eventually(() => (bench.seenBy('U0ALEX').length >= 2 ? bench.seenBy('U0ALEX') : undefined));
      expect(first).toBe('Reading the cluster staging…');
      expect(second).toMatch(/^Started: staging 1\.31 → 1\.32\. <http:\/\/127\.0\.0\.1:\d+\/archives\/C0UPGRADES\/p\d+\|Open its thread>$/);
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      expect(bench.asked).toEqual([{ what: 'start', request: { cluster: 'staging', target: '1.32', strategy: 'every-hop', requestedBy } }]);
    });
  });

  test('a refused plan names the rules; nothing else happens', async () => {
    const violations = [{ rule: 'one-minor-per-hop', message: 'Too far.', remedy: 'Go by 1.32.' }];
    const start = (): Promise<never> => Promise.reject(new UpgradesError('refused', 'staging cannot be upgraded', { violations }));
    await withApp({ upgrades: { start } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.34');
      await eventually(() => bench.seenBy('U0ALEX').includes('staging cannot be upgraded to 1.34 yet. Nothing was started.'));
      const answer = bench.slack.messages().find(({ text }) => text.startsWith('staging cannot'));
      expect(JSON.stringify(answer?.blocks)).toContain('`one-minor-per-hop`: Too far.');
    });
  });

  test.each<[string, string]>([
    ['start elsewhere 1.32', 'Upgrades of elsewhere belong in #general. Type the command there; nothing was done.'],
    ['status nowhere', 'belay.yaml: no cluster "nowhere"; there are: staging, elsewhere'],
    ['plan staging', 'Say to which version: /eks-upgrade plan staging 1.33'],
    ['explode <!channel>', 'There is no command "explode".'],
    ['status', 'No upgrade is running.'],
  ])('%s', async (text, expected) => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      const told = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0ALEX'));
      expect(`${told.text} ${JSON.stringify(told.blocks)}`.replaceAll('\\"', '"')).toContain(expected);
      expect(bench.asked.filter(({ what }) => what !== 'list')).toEqual([]);
    });
  });

  test('status shows the board without its buttons, or what Temporal knows and why only that', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade status staging');
      const told = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0ALEX'));
      expect(told.text).toBe('staging 1.31 → 1.32: Running – The control plane moves to 1.32');
      expect(told.blocks.map(({ type }) => type)).not.toContain('actions');
    });
    const seen = {
      workflowId: WORKFLOW_ID,
      runId: RUN_ID,
      cluster: 'staging',
      target: '1.32',
      execution: 'RUNNING',
      startedAt: '2026-03-03T12:00:00Z',
    };
    const upgrades = { status: () => Promise.resolve({ source: 'visibility' as const, status: seen, why: 'No worker answered.' }) };
    await withApp({ upgrades }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade status staging');
      const told = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0ALEX'));
      expect(told.text).toContain('*staging* → 1.32: running, since <!date^1772539200^');
      expect(JSON.stringify(told.blocks)).toContain('No worker answered.');
    });
  });

  test('pause, resume and abort say what came of it; each command acts under an id of its own', async () => {
    await withApp({}, async (bench) => {
      for (const verb of ['pause', 'resume', 'abort']) await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${verb} staging`);
      await eventually(() => bench.seenBy('U0ALEX').length === 3);
      expect(bench.seenBy('U0ALEX').sort()).toEqual(['Aborting.', 'Goes on.', 'Pauses after this step.']);
      expect(bench.asked.map(({ what }) => what)).toEqual(['pause', 'resume', 'abort']);
      const ids = bench.asked.map(({ request }) =>
        typeof request === 'object' && request !== null && 'requestId' in request ? request.requestId : undefined,
      );
      expect(new Set(ids).size).toBe(3);
    });
  });

  test('an error that nobody foresaw is answered too, without its details', async () => {
    const status = (): Promise<never> => Promise.reject(new Error('xoxb-secret leaked'));
    await withApp({ upgrades: { status } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade status staging');
      const [text] = await eventually(() => (bench.seenBy('U0ALEX').length > 0 ? bench.seenBy('U0ALEX') : undefined));
      expect(text).toBe('Something went wrong here; the log of the Slack process says what.');
    });
  });
});

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
      () => Promise.resolve({ reply: { accepted: true, message: 'Recorded; it will be applied when a worker is back.' }, how: 'kept' }),
      'Recorded; it will be applied when a worker is back.',
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

  test('a press made while Temporal is away is repeated until it is back', async () => {
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
      expect(bench.seenBy('U0SAM')[0]).toBe('Temporal at x does not answer. Belay keeps trying for 1 min; you need not press again.');
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

  test('a button that Belay did not make decides nothing', async () => {
    await withApp({}, async (bench) => {
      const value = JSON.stringify({ gateId: 'g', workflowId: 'w', choice: 'reject', revision: 1 });
      const elements = [
        { type: 'button' as const, action_id: 'gate/approve', text: { type: 'plain_text' as const, text: 'Approve' }, value },
        { type: 'button' as const, action_id: 'gate/skip', text: { type: 'plain_text' as const, text: 'Skip' }, value: 'not JSON' },
      ];
      const ts = await post(bench, { text: 'x', blocks: [{ type: 'actions', elements }] });
      await bench.slack.click('U0EVE', ts, 'gate/approve');
      await bench.slack.click('U0EVE', ts, 'gate/skip');
      await eventually(
        () => bench.seenBy('U0EVE').filter((text) => text.startsWith('This button does not say what it decides')).length === 2,
      );
      expect(bench.asked).toEqual([]);
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

describe('the process', () => {
  test('says which setting is missing or refused', async () => {
    await expect(withApp({ settings: { botToken: undefined } }, () => Promise.resolve())).rejects.toThrow('SLACK_BOT_TOKEN is not set.');
    await expect(withApp({ settings: { appToken: undefined } }, () => Promise.resolve())).rejects.toThrow('Set SLACK_APP_TOKEN');
    await expect(withApp({ settings: { botToken: 'nonsense' } }, () => Promise.resolve())).rejects.toThrow(
      'checking SLACK_BOT_TOKEN: Slack answered invalid_auth. Check the token.',
    );
    await expect(withApp({ settings: { appToken: 'xoxb-wrong-kind' } }, () => Promise.resolve())).rejects.toThrow(
      'opening the socket with SLACK_APP_TOKEN: Slack answered not_allowed_token_type.',
    );
  });

  test('gives up, with a clear message, when the socket stays away', async () => {
    await withApp({ options: { disconnectedLimitMs: 100 } }, async ({ slack, running }) => {
      slack.setDown(true);
      expect(await running.lost).toContain('no connection to Slack for 0 s: ending');
    });
  });

  test('people of another organisation decide nothing', async () => {
    const team = { id: 'T0OTHER', name: 'Other', domain: 'other' };
    await withApp({}, async (bench) => {
      const ts = await post(bench, gateBlocks({ state: open(), ...BASE }));
      Object.assign(bench.slack.workspace, { team });
      try {
        await bench.slack.click('U0EVE', ts, 'gate/approve');
        await eventually(() => bench.seenBy('U0EVE').find((text) => text.startsWith('Only people of the workspace')));
        expect(bench.asked).toEqual([]);
      } finally {
        Object.assign(bench.slack.workspace, { team: { id: 'T0BELAY', name: 'Belay rehearsal', domain: 'belay-rehearsal' } });
      }
    });
  });
});
