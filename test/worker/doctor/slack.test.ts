/** The doctor and Slack's scopes: those of direct messages are for who wants them. */
import { expect, test } from 'vitest';
import { startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { examineSlack } from '../../../worker/doctor/slack.ts';
import type { Diagnosis } from '../../../worker/doctor/types.ts';

const NOW = new Date('2026-03-03T12:00:00Z');
const CONFIG = parseConfig('clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\n', 'belay.yaml');
const FIX = 'paste slack/manifest.yaml into the app and install it again';

async function diagnose(config: Config, scopes: string[] = WORKSPACE.scopes): Promise<Diagnosis[]> {
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, workspace: { ...WORKSPACE, scopes } });
  try {
    return (await examineSlack(config, { SLACK_BOT_TOKEN: WORKSPACE.botToken, SLACK_API_URL: slack.apiUrl })).diagnoses;
  } finally {
    await slack.close();
  }
}

async function scopesWithout(...missing: string[]): Promise<unknown[]> {
  const diagnoses = await diagnose(
    CONFIG,
    WORKSPACE.scopes.filter((scope) => !missing.includes(scope)),
  );
  return diagnoses.filter(({ message }) => message.includes('scopes'));
}

test('U2: without the scopes of direct messages the doctor warns; without another one it fails', async () => {
  expect(await scopesWithout()).toEqual([{ area: 'Slack', status: 'ok', message: 'all 13 scopes are granted' }]);
  const warning = {
    area: 'Slack',
    status: 'warning',
    message: 'scopes are missing: im:write, reactions:read; without them nobody gets direct messages about gates',
    fix: FIX,
  };
  expect(await scopesWithout('im:write', 'reactions:read')).toEqual([warning]);
  expect(await scopesWithout('im:write', 'reactions:read', 'usergroups:read')).toEqual([
    { area: 'Slack', status: 'failed', message: 'scopes are missing: usergroups:read', fix: FIX },
    warning,
  ]);
});

test.each([
  ['#eks-upgrades', 'ok', 'the app is in #eks-upgrades', undefined],
  ['nowhere', 'failed', 'the app is in no channel nowhere', 'correct slack.channel, and invite the app to it'],
])('a channel by its name is looked up: %s', async (channel, status, message, fix) => {
  const config = parseConfig(
    `clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\nslack: { channel: "${channel}" }\n`,
    'belay.yaml',
  );
  const expected = { area: 'Slack', status, message, ...(fix === undefined ? {} : { fix }) };
  expect((await diagnose(config)).filter((each) => each.message.includes('channel') || each.message.includes('#'))).toEqual([expected]);
});
