/** `/eks-upgrade campaign`, through the real app. */
import { expect, test } from 'vitest';
import { parseCommand } from '../../../slack/requests/commands/parse.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, typeAndConfirm, withApp } from '../support.ts';

test.each([
  ['campaign', { kind: 'campaign', verb: 'list', campaign: '' }],
  ['campaign status to-1-34', { kind: 'campaign', verb: 'status', campaign: 'to-1-34' }],
  ['campaign retry to-1-34', { kind: 'campaign', verb: 'retry', campaign: 'to-1-34', retry: {} }],
  ['campaign retry to-1-34 dev', { kind: 'campaign', verb: 'retry', campaign: 'to-1-34', retry: { ring: 'dev' } }],
  [
    'campaign retry to-1-34 only=failed,held dev —lift=dev-1,1/eu/dev-2',
    {
      kind: 'campaign',
      verb: 'retry',
      campaign: 'to-1-34',
      retry: { ring: 'dev', only: ['failed', 'held'], lift: ['dev-1', '1/eu/dev-2'] },
    },
  ],
  [
    'campaign retry to-1-34 dev —without=dev-1,dev-2 reason=hardware is on order, only=next week',
    {
      kind: 'campaign',
      verb: 'retry',
      campaign: 'to-1-34',
      retry: { ring: 'dev', without: ['dev-1', 'dev-2'] },
      reason: 'hardware is on order, only=next week',
    },
  ],
  [
    'campaign retry to-1-34 without=dev-1',
    { kind: 'usage', problem: 'Why should the ring continue without "dev-1"? End the command with reason=WHY.' },
  ],
  ['campaign retry to-1-34 without=dev-1 reason=', { kind: 'usage', problem: 'reason= needs a value; write reason=WHY.' }],
  [
    'campaign retry to-1-34 only=broken',
    {
      kind: 'usage',
      problem: '"broken" cannot be retried; write failed, held, unknown, removed, stuck, separated by commas.',
    },
  ],
  ['campaign retry to-1-34 only=', { kind: 'usage', problem: 'only= needs a value; write only=failed,held,unknown,removed,stuck.' }],
  ['campaign retry to-1-34 lift=,', { kind: 'usage', problem: 'lift= needs a value; write lift=CLUSTER.' }],
  ['campaign retry to-1-34 olny=failed', { kind: 'usage', problem: 'Unknown option: "olny=failed".' }],
  ['campaign retry to-1-34 --all', { kind: 'usage', problem: 'Unknown option: "--all".' }],
  ['campaign retry to-1-34 dev prod', { kind: 'usage', problem: 'Unexpected argument: "prod".' }],
  ['campaign beside to-1-34 dev-1', { kind: 'campaign', verb: 'beside', campaign: 'to-1-34', beside: 'dev-1' }],
  ['campaign beside to-1-34', { kind: 'usage', problem: 'Which cluster is stuck? Type /eks-upgrade campaign beside to-1-34 CLUSTER.' }],
  ['campaign pause to-1-34 runs', { kind: 'campaign', verb: 'pause', campaign: 'to-1-34', runs: true }],
  ['campaign resume to-1-34 --runs', { kind: 'campaign', verb: 'resume', campaign: 'to-1-34', runs: true }],
  ['campaign stop to-1-34 runs', { kind: 'usage', problem: 'Unexpected argument: "runs".' }],
  ['campaign rollback to-1-34 prod', { kind: 'campaign', verb: 'rollback', campaign: 'to-1-34', ring: 'prod' }],
  [
    'campaign rollback to-1-34',
    { kind: 'usage', problem: 'Which ring do you want to roll back? Type /eks-upgrade campaign rollback to-1-34 RING.' },
  ],
  ['campaign beside to-1-34 dev-1 dev-2', { kind: 'usage', problem: 'Unexpected argument: "dev-2".' }],
  [
    'campaign begin to-1-34',
    {
      kind: 'usage',
      problem:
        'Unknown campaign command: "begin". Write plan, start, status, pause, resume, retry, beside, rollback, stop, or nothing to list the open campaigns.',
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
    expect(shown).toContain('*dev*: 1 of 2 clusters can start, 2 at a time; 2 must succeed, 0 may fail; soak 24 h');
    expect(shown).toContain('dev-2: it is at 1.31, 3 minors below 1.34');
  });
});

test('a start is asked for in the name of whoever typed it, and a repeated delivery starts nothing again', async () => {
  await withApp({}, async (bench) => {
    await typeAndConfirm(bench, 'U0ALEX', 'campaign start to-1-34', 'Start campaign to-1-34 to 1.34?');
    await answerTo(bench, /Started campaign to-1-34, plan/);
    expect(bench.asked.filter(({ what }) => what === 'campaign start')).toEqual([
      { what: 'campaign start', request: { campaign: 'to-1-34', requestedBy: expect.objectContaining({ kind: 'slack', id: 'U0ALEX' }) } },
    ]);
  });
});

test('status shows every ring; pause says what came of it', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign status to-1-34');
    const shown = await answerTo(bench, /Ring dev waits for approval/);
    expect(shown).toContain('*prod* 0/1 done');
    await bench.slack.submitCommand('U0ALEX', '/eks-upgrade campaign pause to-1-34');
    await answerTo(bench, /Paused: no further cluster starts/);
  });
});

test('R13: a pause with its runs says what became of both', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade campaign pause to-1-34 runs');
    const said = await answerTo(bench, /^Paused: no further cluster starts/);
    expect(said).toContain('1 of 1 run is paused: the running step finishes, and no further step starts.');
  });
});

test('F41: a ring goes back in the name of whoever typed it, and is said to wait for approval', async () => {
  await withApp({}, async (bench) => {
    await typeAndConfirm(bench, 'U0SAM', 'campaign rollback to-1-34 prod', 'Roll ring prod of campaign to-1-34 back?');
    await answerTo(bench, /^Rollback of ring prod of campaign to-1-34 is planned/);
    expect(bench.asked.filter(({ what }) => what === 'campaign rollback')).toEqual([
      {
        what: 'campaign rollback',
        request: { campaign: 'to-1-34', ring: 'prod', requestedBy: { kind: 'slack', id: 'U0SAM', name: expect.any(String) } },
      },
    ]);
  });
});

test('beside and retry reach the campaign in the name of whoever typed them, once', async () => {
  await withApp({}, async (bench) => {
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade campaign beside to-1-34 dev-1');
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade campaign retry to-1-34 dev only=failed lift=dev-2');
    await eventually(() => bench.asked.filter(({ what }) => /^campaign (beside|retry)$/.test(what)).length === 2);
    const actor = expect.objectContaining({ kind: 'slack', id: 'U0SAM' });
    const requestId = expect.any(String);
    expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual(
      expect.arrayContaining([
        { what: 'campaign beside', request: { campaign: 'to-1-34', verb: 'beside', actor, requestId, cluster: 'dev-1' } },
        {
          what: 'campaign retry',
          request: { campaign: 'to-1-34', verb: 'retry', actor, requestId, retry: { ring: 'dev', only: ['failed'], lift: ['dev-2'] } },
        },
      ]),
    );
  });
});
