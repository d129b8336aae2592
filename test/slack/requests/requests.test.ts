/** What a person types in the channel, and is told. */
import { describe, expect, test } from 'vitest';
import { createNotifier } from '../../../slack/delivery/notifier.ts';
import { type Upgrades, UpgradesError } from '../../../client/upgrades-client.ts';
import { CHECK_RUN, CLUSTER, FORECAST_RUN, RUN_ID, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { eventually } from '../../support/eventually.ts';
import { type Bench, CHANNEL, typeAndConfirm, withApp } from '../support.ts';

const RUNNING = {
  kind: 'check',
  check: {
    cluster: CLUSTER,
    target: '1.33',
    requestedBy: { kind: 'slack', id: 'U0RIN', name: 'rin' },
    startedAt: '2026-03-03T12:00:00Z',
    progress: { kind: 'running' },
  },
} as const;

const MAKING = { kind: 'forecast', forecast: RUNNING.check } as const;

/** `rollback` asks first. */
async function type(bench: Bench, text: string): Promise<void> {
  if (text === 'rollback staging') await typeAndConfirm(bench, 'U0ALEX', text, 'Roll staging back?');
  else await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
}

describe('commands', () => {
  test('start: reads, starts, and links the thread once the board is there', async () => {
    await withApp({}, async (bench) => {
      const board = { kind: 'board', status: status() } as const;
      await createNotifier({ web: bench.web }).publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification: board });
      const said: string[] = [];
      bench.slack.onChange(({ kind, message }) => void (kind === 'edited' && said.push(message.text)));
      await typeAndConfirm(bench, 'U0ALEX', 'start staging 1.32 --strategy every-hop', 'Start the upgrade of staging to 1.32?');
      await eventually(() => said.length === 2);
      expect(said[0]).toBe('Reading cluster staging…');
      // In the place of the question.
      expect(bench.seenBy('U0ALEX')).toEqual([said[1]]);
      expect(said[1]).toMatch(
        /^Started: staging 1\.31 → 1\.32\. <http:\/\/127\.0\.0\.1:\d+\/archives\/C0UPGRADES\/p\d+\|Open its thread>$/,
      );
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      expect(bench.asked).toEqual([{ what: 'start', request: { cluster: 'staging', target: '1.32', strategy: 'every-hop', requestedBy } }]);
    });
  });

  test('a refused plan names the rules; nothing else happens', async () => {
    const violations = [{ rule: 'one-minor-per-hop', message: 'Too far.', remedy: 'Go by 1.32.' }];
    const start = (): Promise<never> => Promise.reject(new UpgradesError('refused', 'staging cannot be upgraded', { violations }));
    await withApp({ upgrades: { start } }, async (bench) => {
      await typeAndConfirm(bench, 'U0ALEX', 'start staging 1.34', 'Start the upgrade of staging to 1.34?');
      await eventually(() => bench.seenBy('U0ALEX').includes('staging cannot be upgraded to 1.34 yet. Nothing was started.'));
      const answer = bench.slack.messages().find(({ text }) => text.startsWith('staging cannot'));
      expect(JSON.stringify(answer?.blocks)).toContain('`one-minor-per-hop`: Too far.');
    });
  });

  test.each<[string, string]>([
    ['start elsewhere 1.32', 'Nothing was done: upgrades of elsewhere belong in #general. Type the command there.'],
    ['status nowhere', 'belay.yaml: no cluster "nowhere"; there are: staging, elsewhere'],
    ['check elsewhere 1.32', 'Nothing was done: upgrades of elsewhere belong in #general. Type the command there.'],
    ['forecast elsewhere 1.32', 'Nothing was done: upgrades of elsewhere belong in #general. Type the command there.'],
    ['forecast staging', 'Which version? Type /eks-upgrade forecast staging 1.33'],
    ['check staging', 'Which version? Type /eks-upgrade check staging 1.33'],
    ['plan staging', 'Which version? Type /eks-upgrade plan staging 1.33'],
    ['explode <!channel>', 'Unknown command: "explode".'],
    ['status', 'No upgrade is running here.'],
    ['help', '`/eks-upgrade start CLUSTER'],
  ])('%s', async (text, expected) => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      const told = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0ALEX'));
      expect(`${told.text} ${JSON.stringify(told.blocks)}`.replaceAll('\\"', '"')).toContain(expected);
      expect(bench.asked.filter(({ what }) => what !== 'list' && what !== 'refused')).toEqual([]);
    });
  });

  test.each(['check staging 1.32', 'forecast staging 1.32', 'start staging 1.32'])(
    '%s in a channel without the app: nothing is started, and whoever asks is told to invite it',
    async (text) => {
      await withApp({}, async (bench) => {
        // As of a private channel.
        bench.slack.failNext('conversations.info', { error: 'channel_not_found', times: 1 });
        if (text.startsWith('start')) await typeAndConfirm(bench, 'U0ALEX', text, 'Start the upgrade of staging to 1.32?');
        else await type(bench, text);
        await eventually(() =>
          bench.seenBy('U0ALEX').includes('Slack answered not_in_channel. Invite the app to the channel: /invite @Belay.'),
        );
        expect(bench.asked.filter(({ what }) => what !== 'list')).toEqual([]);
      });
    },
  );

  test('rollback: starts the way back; --dry-run only shows it; a refusal says what to do', async () => {
    const violations = [{ rule: 'RBK001', message: 'The seven days were over on Monday.', remedy: 'Build a cluster beside it.' }];
    const planRollback = (): Promise<never> => Promise.reject(new UpgradesError('refused', 'staging cannot go back', { violations }));
    await withApp({ upgrades: { planRollback } }, async (bench) => {
      await typeAndConfirm(bench, 'U0ALEX', 'rollback staging', 'Roll staging back?');
      await eventually(() => bench.seenBy('U0ALEX').some((text) => text.startsWith('Started: staging')));
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      expect(bench.asked).toEqual([{ what: 'startBack', request: { cluster: 'staging', requestedBy } }]);
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade rollback staging --dry-run');
      const answer = await eventually(() => bench.slack.messages().find(({ text }) => text.startsWith('staging cannot be rolled back')));
      expect(JSON.stringify(answer.blocks)).toContain('Build a cluster beside it.');
      expect(bench.asked.map(({ what }) => what)).toEqual(['startBack', 'planRollback']);
      await typeAndConfirm(bench, 'U0ALEX', 'rollback staging add-ons', 'Undo add-ons of staging?');
      await eventually(() => bench.asked.length > 2);
      expect(bench.asked[2]).toEqual({ what: 'startBack', request: { cluster: 'staging', requestedBy, undo: 'add-ons' } });
    });
  });

  test('check: the result comes to the channel; a check that runs already is pointed to', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade check staging 1.32');
      await eventually(() => bench.asked.length > 0);
      expect(bench.seenBy('U0ALEX')).toEqual(['Checking staging for 1.32. The result appears in this channel.']);
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      expect(bench.asked).toEqual([{ what: 'check', request: { cluster: 'staging', target: '1.32', requestedBy, channel: CHANNEL } }]);
    });
    const running = { kind: 'running', ...CHECK_RUN, target: '1.33', requestedBy: 'rin' } as const;
    await withApp({ upgrades: { check: () => Promise.resolve(running) } }, async (bench) => {
      await createNotifier({ web: bench.web }).publish({ upgrade: CHECK_RUN, channel: CHANNEL, key: 'board', notification: RUNNING });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade check staging 1.32');
      const [, told] = await eventually(() => (bench.seenBy('U0ALEX').length > 1 ? bench.seenBy('U0ALEX') : undefined));
      expect(told).toMatch(
        /^A check of staging for 1\.33 is already running, requested by rin\. <http:\/\/127\.0\.0\.1:\d+\/archives\/C0UPGRADES\/p\d+\|See it>$/,
      );
    });
  });

  test('forecast: it comes to the channel; one that is being made is pointed to; what it fails at is answered', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade forecast staging 1.32 --strategy every-hop');
      await eventually(() => bench.asked.length > 0);
      expect(bench.seenBy('U0ALEX')).toEqual([
        'Taking a snapshot of staging and simulating the upgrade to 1.32 on it. The forecast appears in this channel in a few minutes.',
      ]);
      const requestedBy = { kind: 'slack', id: 'U0ALEX', name: 'alex' };
      const request = { cluster: 'staging', target: '1.32', strategy: 'every-hop', requestedBy, channel: CHANNEL };
      expect(bench.asked).toEqual([{ what: 'forecast', request }]);
    });
    const running = { kind: 'running', ...FORECAST_RUN, target: '1.33', requestedBy: 'rin' } as const;
    await withApp({ upgrades: { forecast: () => Promise.resolve(running) } }, async (bench) => {
      await createNotifier({ web: bench.web }).publish({ upgrade: FORECAST_RUN, channel: CHANNEL, key: 'board', notification: MAKING });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade forecast staging 1.32');
      const [, told] = await eventually(() => (bench.seenBy('U0ALEX').length > 1 ? bench.seenBy('U0ALEX') : undefined));
      expect(told).toMatch(
        /^A forecast of staging for 1\.33 is already being made, requested by rin\. <http:\/\/127\.0\.0\.1:\d+\/archives\/C0UPGRADES\/p\d+\|See it>$/,
      );
    });
    const forecast = (): Promise<never> => Promise.reject(new UpgradesError('no-worker', 'No worker answers.'));
    await withApp({ upgrades: { forecast } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade forecast staging 1.32');
      await eventually(() => bench.seenBy('U0ALEX').includes('No worker answers.'));
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

  test('pause and resume say what came of it, unasked; each command acts under an id of its own', async () => {
    await withApp({}, async (bench) => {
      for (const verb of ['pause', 'resume', 'pause']) await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${verb} staging`);
      await eventually(() => bench.seenBy('U0ALEX').length === 3);
      expect(bench.seenBy('U0ALEX').sort()).toEqual(['Goes on.', 'Pauses after this step.', 'Pauses after this step.']);
      expect(bench.asked.map(({ what }) => what)).toEqual(['pause', 'resume', 'pause']);
      const ids = bench.asked.map(({ request }) =>
        typeof request === 'object' && request !== null && 'requestId' in request ? request.requestId : undefined,
      );
      expect(new Set(ids).size).toBe(3);
    });
  });

  test('pace says what came of it', async () => {
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade pace staging 20%');
      await eventually(() => bench.seenBy('U0SAM').includes('The pace is 20%.'));
      const actor = { kind: 'slack', id: 'U0SAM', name: 'sam' };
      expect(bench.asked).toMatchObject([{ what: 'pace', request: { cluster: 'staging', pace: '20%', actor } }]);
    });
  });

  test.each<[string, keyof Upgrades]>([
    ['status staging', 'status'],
    ['check staging 1.32', 'check'],
    ['reconcile staging', 'reconcile'],
    ['rollback staging', 'startBack'],
    ['rollback staging --dry-run', 'planRollback'],
    ['rollback staging list', 'undoOptions'],
  ])('%s: an error that nobody foresaw is answered too, without its details', async (text, what) => {
    const fails = (): Promise<never> => Promise.reject(new Error('xoxb-secret leaked'));
    await withApp({ upgrades: { [what]: fails } }, async (bench) => {
      await type(bench, text);
      await eventually(() => bench.seenBy('U0ALEX').includes('Something went wrong. The log of the Slack process has the details.'));
      expect(bench.seenBy('U0ALEX').join()).not.toContain('xoxb-secret');
    });
  });

  test.each<[string, keyof Upgrades]>([
    ['check staging 1.32', 'check'],
    ['reconcile staging', 'reconcile'],
    ['rollback staging', 'startBack'],
  ])('%s: an error that was foreseen is answered in its own words', async (text, what) => {
    const fails = (): Promise<never> => Promise.reject(new UpgradesError('no-worker', 'No worker answers.'));
    await withApp({ upgrades: { [what]: fails } }, async (bench) => {
      await type(bench, text);
      await eventually(() => bench.seenBy('U0ALEX').includes('No worker answers.'));
    });
  });

  test('rollback --dry-run shows the plan, or the rules that stand against it', async () => {
    const violations = [{ rule: 'RBK001', message: 'The seven days are over.', remedy: 'Build a cluster beside it.' }];
    const told = async (upgrades: Partial<Upgrades>): Promise<string> => {
      let shown = '';
      await withApp({ upgrades }, async (bench) => {
        await bench.slack.submitCommand('U0ALEX', '/eks-upgrade rollback staging --dry-run');
        await eventually(() => bench.seenBy('U0ALEX').length > 1);
        shown = JSON.stringify(bench.slack.messages().at(-1)?.blocks);
      });
      return shown;
    };
    expect(await told({})).toContain('*Control plane to 1.32*');
    expect(await told({ planRollback: () => Promise.resolve({ kind: 'refused', violations }) })).toContain(
      '`RBK001`: The seven days are over.',
    );
  });
});

describe('steering by command', () => {
  const FAILED = 'failed:control-plane@1.32#2';
  const failedGate = {
    workflowId: WORKFLOW_ID,
    id: FAILED,
    title: 'Control plane failed',
    choices: ['retry', 'abort'],
    expiresAt: '2026-03-04T12:00:00Z',
    revision: 3,
    planHash: 'p',
  };
  const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };
  const answering = (gates: (typeof failedGate)[]) => ({
    status: () => Promise.resolve({ source: 'workflow' as const, status: status({ gates }) }),
  });

  test.each<[string, (typeof failedGate)[], string]>([
    ['retry staging', [], 'No step of staging has failed, so there is nothing to retry. Open gates: none.'],
    ['skip staging by hand', [failedGate], `${FAILED} cannot be answered with skip. It has: retry, abort.`],
    [
      'retry staging',
      [failedGate, { ...failedGate, id: 'failed:bake@1.32#1' }],
      `Several steps of staging have failed: ${FAILED}, failed:bake@1.32#1. Decide at the gate that you mean.`,
    ],
    ['extend staging before: 1h', [failedGate], `No open gate is called before:. Open gates: ${FAILED}.`],
  ])('%s: refused, with what there is', async (text, gates, expected) => {
    await withApp({ upgrades: answering(gates) }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe(expected);
      expect(bench.asked.filter(({ what }) => what !== 'status')).toEqual([]);
    });
  });

  test('retry decides at the gate of what has failed; extend and handover say whom and how long', async () => {
    await withApp({ upgrades: answering([failedGate]) }, async (bench) => {
      for (const text of ['retry staging again', 'extend staging failed: 2h for Rin', 'handover staging U0RIN'])
        await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${text}`);
      await eventually(() => bench.seenBy('U0SAM').length === 3);
      const requests = bench.asked.filter(({ what }) => what !== 'status');
      const of = (what: string): unknown => requests.find((one) => one.what === what)?.request;
      const run = RUN_ID;
      expect(of('decide')).toEqual({
        cluster: 'staging',
        workflowId: WORKFLOW_ID,
        gateId: FAILED,
        revision: 3,
        planHash: 'p',
        run,
        choice: 'retry',
        actor: SAM,
        reason: 'again',
      });
      expect(of('extend')).toMatchObject({
        cluster: 'staging',
        gateId: FAILED,
        byMs: 7_200_000,
        run,
        actor: SAM,
        reason: 'for Rin',
        requestId: expect.any(String),
      });
      expect(of('handOver')).toMatchObject({ cluster: 'staging', to: { kind: 'slack', id: 'U0RIN' }, actor: SAM });
    });
  });

  test('history lists what has ended to the one who asks; report posts the last record to the channel', async () => {
    const ended = status({ endedAt: '2026-03-03T12:40:00Z', headline: 'staging is at 1.32', gates: [] });
    const reports = [{ status: ended, outcome: 'completed' as const, decisions: [], leftBehind: [] }];
    await withApp({ clusters: { recordsOf: () => Promise.resolve(reports) } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade history staging');
      const told = await eventually(() => bench.slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM'));
      expect(JSON.stringify(told.blocks)).toMatch(/1\.31 → 1\.32.+completed.+requested by <@U0ALEX>.+staging is at 1\.32/);
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade report staging');
      const posted = await eventually(() => bench.slack.messages().find(({ text }) => /Completed: .*staging/.test(text)));
      expect(posted.ephemeralTo).toBeUndefined();
      await eventually(() => bench.seenBy('U0SAM').includes('The record is in the channel.'));
      expect(filesIn(bench, posted.ts)).toEqual([RECORD, PICTURE]);
    });
    await withApp({}, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade report staging');
      expect(await eventually(() => bench.seenBy('U0SAM')[0])).toBe('No ended upgrade of staging is on record.');
    });
  });

  const ended = { status: status({ endedAt: '2026-03-03T12:40:00Z', headline: 'staging is at 1.32' }), decisions: [], leftBehind: [] };
  const recordsOf = () => Promise.resolve([{ ...ended, outcome: 'completed' as const }]);
  const [RECORD, PICTURE] = ['staging-1.32-00000001.html', 'staging-1.32-00000001.png'];
  const filesIn = ({ slack }: Bench, thread: string): unknown[] =>
    slack.messages().flatMap(({ thread_ts, files }) => (thread_ts === thread ? (files ?? []).map(({ name }) => name) : []));
  const boardIn = async ({ web }: Bench): Promise<string> => {
    const notification = { kind: 'board' as const, status: ended.status };
    return (await createNotifier({ web }).publish({ upgrade: UPGRADE, channel: CHANNEL, key: 'board', notification })).ts;
  };

  test('report puts the whole record and its picture into the thread of the run, once, and says where', async () => {
    await withApp({ clusters: { recordsOf } }, async (bench) => {
      const thread = await boardIn(bench);
      for (const times of [1, 2]) {
        await bench.slack.submitCommand('U0SAM', '/eks-upgrade report staging');
        await eventually(() => bench.seenBy('U0SAM').length === times);
      }
      expect(filesIn(bench, thread)).toEqual([RECORD, PICTURE]);
      expect(bench.seenBy('U0SAM')[1]).toMatch(/^✅ Completed: staging 1\.31 → 1\.32\. The record is in <http.*\|its thread>\.$/);
      const inChannel = bench.slack
        .messages()
        .filter(({ ts, thread_ts, ephemeralTo }) => ephemeralTo === undefined && (thread_ts ?? ts) === ts);
      expect(inChannel.map(({ ts }) => ts)).toEqual([thread]);
    });
  });

  test('report without the right to send files says so, and where else the record is', async () => {
    await withApp({ clusters: { recordsOf } }, async (bench) => {
      await boardIn(bench);
      bench.slack.failNext('files.getUploadURLExternal', { error: 'missing_scope', times: 5 });
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade report staging');
      const told = await eventually(() => bench.seenBy('U0SAM')[0]);
      expect(told).toContain('Could not attach the whole record: "belay report" shows it.');
      expect(bench.logged.join()).toContain('attaching the record of staging: attaching staging-1.32-00000001.html');
    });
  });
});
