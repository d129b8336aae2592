/** `/eks-upgrade campaign`, through the real app. */
import { expect, test } from '@jest/globals';
import { parseCommand } from '../../../slack/commands/parse.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, withApp } from '../support.ts';

test.each([
  ['campaign', { kind: 'campaign', verb: 'list', campaign: '' }],
  ['campaign status to-1-34', { kind: 'campaign', verb: 'status', campaign: 'to-1-34' }],
  ['campaign retry to-1-34 dev', { kind: 'campaign', verb: 'retry', campaign: 'to-1-34', ring: 'dev' }],
  [
    'campaign begin to-1-34',
    {
      kind: 'usage',
      problem:
        '"begin" is nothing that campaigns do; write plan, start, status, pause, resume, stop, retry, or nothing for those that are open.',
    },
  ],
  ['campaign start', { kind: 'usage', problem: 'Which campaign? Type /eks-upgrade campaign start NAME.' }],
  ['campaign pause to-1-34 dev', { kind: 'usage', problem: 'Unexpected argument: "dev".' }],
])('/eks-upgrade %s', (text, parsed) => {
  expect(parseCommand(text)).toEqual(parsed);
});

const answerTo = async ({ slack }: Bench, text: RegExp): Promise<string> =>
  await eventually(() =>
    slack
      .messages()
      .map((message) => `${message.text} ${JSON.stringify(message.blocks)}`)
      .find((each) => text.test(each)),
  );

test('a plan says how many of each ring start, and why others do not', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign plan to-1-34');
    const shown = await answerTo(bench, /Campaign to-1-34 to 1\.34: plan [0-9a-f]{12}/);
    expect(shown).toContain('*dev*: 1 of 2 start, 2 at a time; 2 have to arrive, 0 may fail; soak 24 h');
    expect(shown).toContain('dev-2: it is at 1.31, 3 minors below 1.34');
  });
});

test('a start is asked for in the name of whoever typed it, and a repeated delivery starts nothing again', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign start to-1-34');
    await answerTo(bench, /Started campaign to-1-34, plan/);
    expect(bench.asked.filter(({ what }) => what === 'campaign start')).toEqual([
      { what: 'campaign start', request: { campaign: 'to-1-34', requestedBy: expect.objectContaining({ kind: 'slack', id: 'U0ALEX' }) } },
    ]);
  });
});

test('status shows every ring; pause says what came of it', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign status to-1-34');
    const shown = await answerTo(bench, /Waits for the approval of ring dev/);
    expect(shown).toContain('*prod* 0/1 done');
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign pause to-1-34');
    await answerTo(bench, /Paused: no further cluster starts/);
  });
});
