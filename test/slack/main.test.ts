/** The process before it is connected: its settings, and when it stops waiting for Slack. */
import { afterEach, beforeEach, describe, expect, vi, test } from 'vitest';
import { Journal } from '../../rehearsal/world/journal.ts';
import { type SlackStandIn, startSlackServer } from '../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../rehearsal/neighbours/slack/workspace.ts';
import type { Upgrades } from '../../client/upgrades-client.ts';
import { runSlack, slackSettings } from '../../slack/main.ts';
import { eventually } from '../support/eventually.ts';
import { CLUSTERS, fakeCampaigns } from './support.ts';

test.each([
  [{}, {}],
  [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: '', SLACK_API_URL: '', PORT: '' }, { botToken: 'xoxb-1' }],
  [
    { SLACK_SIGNING_SECRET: 's', PORT: '8080' },
    { signingSecret: 's', port: 8080 },
  ],
  [{ PORT: 'http' }, { port: Number.NaN }],
])('settings of %j: what is empty is not set', (env, expected) => {
  expect(slackSettings(env)).toEqual(expected);
});

describe('waiting for Slack', () => {
  const EVENTS = ['SIGTERM', 'SIGINT', 'unhandledRejection'] as const;
  const before = EVENTS.flatMap((event) => process.listeners(event as 'SIGTERM'));
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  let slack: SlackStandIn;
  let logged: string[];

  beforeEach(async () => {
    const now = (): Date => new Date();
    slack = await startSlackServer({ journal: new Journal(now), now });
    logged = [];
    exit.mockClear();
  });
  afterEach(async () => {
    for (const event of EVENTS)
      for (const listener of process.listeners(event as 'SIGTERM')) if (!before.includes(listener)) process.removeListener(event, listener);
    await slack.close();
  });

  const run = (): Promise<void> => {
    const log = (message: string): void => void logged.push(message);
    const { botToken, appToken } = WORKSPACE;
    return runSlack({
      campaigns: fakeCampaigns([]),
      upgrades: {} as Upgrades,
      clusters: CLUSTERS,
      settings: { botToken, appToken, apiUrl: slack.apiUrl },
      log: { info: log, warn: log, error: log },
    });
  };

  test('what waiting does not cure ends it', async () => {
    slack.failNext('auth.test', { error: 'token_revoked', times: 1 });
    await expect(run()).rejects.toThrow(
      'checking SLACK_BOT_TOKEN: Slack answered token_revoked. The token was revoked; install the app again.',
    );
  });

  test('asked to stop meanwhile, it returns, and the command ends with 0', async () => {
    let tries = 0;
    const refusals = [
      { status: 429, code: 'ratelimited', retryAfterSec: 1 },
      { status: 200, code: 'token_revoked' },
    ] as const;
    slack.setFates({ meet: () => ({ kind: 'refuse', message: '', ...refusals[tries++ === 0 ? 0 : 1] }) });
    const running = run();
    await eventually(() => logged.includes('checking SLACK_BOT_TOKEN: Slack asks to wait 1 s; trying again'));
    process.emit('SIGTERM', 'SIGTERM');
    await running;
    expect(exit).not.toHaveBeenCalled();
    // The process of the test goes on: until Slack refuses for good.
    await eventually(() => tries > 1);
  });
});
