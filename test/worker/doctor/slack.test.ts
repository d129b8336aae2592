/** The doctor and Slack's scopes: those of direct messages are for who wants them. */
import { expect, test } from 'vitest';
import { startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { examineSlack } from '../../../worker/doctor/slack.ts';

const NOW = new Date('2026-03-03T12:00:00Z');
const CONFIG = parseConfig('clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\n', 'belay.yaml');
const FIX = 'paste slack/manifest.yaml into the app and install it again';

async function scopesWithout(...missing: string[]): Promise<unknown[]> {
  const scopes = WORKSPACE.scopes.filter((scope) => !missing.includes(scope));
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW, workspace: { ...WORKSPACE, scopes } });
  try {
    const { diagnoses } = await examineSlack(CONFIG, { SLACK_BOT_TOKEN: WORKSPACE.botToken, SLACK_API_URL: slack.apiUrl });
    return diagnoses.filter(({ message }) => message.includes('scopes'));
  } finally {
    await slack.close();
  }
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
