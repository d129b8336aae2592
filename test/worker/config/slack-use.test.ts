/** Slack by half is an error that names the missing part; none at all is none, and the doctor says who hears of gates then. */
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../worker/config/config.ts';
import { slackByHalf, unheardGates } from '../../../worker/config/slack-use.ts';
import { examineDecisions } from '../../../worker/doctor/decisions.ts';
import { examineNotifications } from '../../../worker/doctor/notifications.ts';
import { examineSlack } from '../../../worker/doctor/slack.ts';

const PEOPLE = `approvals: { users: [sam] }
people: { sam: { aws: ["arn:aws:sts::123456789012:assumed-role/Admin/sam"] } }
`;
const CLUSTERS = `clusters:
  prod: { region: eu-west-1, account: "123456789012", environment: production }
  dev: { region: eu-west-1, account: "123456789012", environment: development }
`;
const read = (more: string) => parseConfig(`${CLUSTERS}${more}`, 'belay.yaml');
const CHANNEL = 'approvals: { users: [U012AB3CD] }\nslack: { channel: C012AB3CD }\n';

const NO_TOKEN = {
  why: 'belay.yaml names a Slack channel, and SLACK_BOT_TOKEN is not set here',
  fix: 'set SLACK_BOT_TOKEN, or remove slack and every channel from the file to work without Slack',
};
const noChannel = (token: string) => ({
  why: `${token} is set here, and belay.yaml names no Slack channel`,
  fix: `write slack.channel, or unset ${token} to work without Slack`,
});

test.each<[string, string, Record<string, string>, ReturnType<typeof slackByHalf>]>([
  ['both', CHANNEL, { SLACK_BOT_TOKEN: 'xoxb-1' }, undefined],
  ['neither', PEOPLE, {}, undefined],
  ['neither, with empty variables', PEOPLE, { SLACK_BOT_TOKEN: '', SLACK_APP_TOKEN: '' }, undefined],
  ['a channel alone', CHANNEL, {}, NO_TOKEN],
  ['a channel, and what the Slack process alone needs', CHANNEL, { SLACK_APP_TOKEN: 'xapp-1' }, NO_TOKEN],
  ['a bot token alone', PEOPLE, { SLACK_BOT_TOKEN: 'xoxb-1' }, noChannel('SLACK_BOT_TOKEN')],
  ['an app token alone', PEOPLE, { SLACK_APP_TOKEN: 'xapp-1' }, noChannel('SLACK_APP_TOKEN')],
  ['a signing secret alone', PEOPLE, { SLACK_SIGNING_SECRET: 'x' }, noChannel('SLACK_SIGNING_SECRET')],
])('%s', (_what, file, env, half) => {
  expect(slackByHalf(read(file), env)).toEqual(half);
});

describe('the doctor', () => {
  const of = async (file: string, env: Record<string, string> = {}) => (await examineSlack(read(file), env)).diagnoses;

  test('Slack that is not used is no trouble; nor is a key that nothing is signed with', async () => {
    expect(await of(PEOPLE)).toEqual([
      { area: 'Slack', status: 'ok', message: 'not used: "belay decide" decides, and "belay logs" shows what is told' },
    ]);
    expect(examineDecisions(read(PEOPLE), ['prod'], {})).toEqual([
      { area: 'Decisions', status: 'ok', message: 'prod: approvers are named, and known on the command line' },
    ]);
    const campaigns = `${PEOPLE}campaigns: { to-1-34: { target: "1.34", rings: [{ name: all }] } }\n`;
    expect(examineDecisions(read(campaigns), [], {})).toMatchObject([
      { status: 'failed', message: expect.stringContaining('signing.publicKeys') },
    ]);
  });

  test('Slack by half fails, and names the missing part', async () => {
    const { why, fix } = noChannel('SLACK_BOT_TOKEN');
    const env = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_API_URL: 'http://127.0.0.1:9/' };
    expect((await of(PEOPLE, env))[0]).toEqual({ area: 'Slack', status: 'failed', message: why, fix });
    expect(await of(CHANNEL)).toMatchObject([{ status: 'warning', message: 'SLACK_BOT_TOKEN is not set' }]);
  });

  const hook = (more: string): string =>
    `notifications: { webhooks: [{ name: ops, url: "https://127.0.0.1:9/x", secretFrom: OPS${more} }] }\n`;
  test.each<[string, string, string | undefined]>([
    ['nobody', PEOPLE, 'prod, dev'],
    ['a webhook of everything', PEOPLE + hook(''), undefined],
    ['a webhook of production', PEOPLE + hook(', environments: [production]'), 'dev'],
    ['a webhook of ends alone', PEOPLE + hook(', events: [upgrade.finished]'), 'prod, dev'],
    ['Slack', CHANNEL, undefined],
    ['a file for checks alone', '', undefined],
  ])('who hears of gates: %s', async (_what, file, silent) => {
    const why = `nobody is told about the gates of ${silent}: there is no Slack, and nothing receives gate.opened`;
    const fix = 'add notifications.webhooks or notifications.email, or look with "belay status --watch"';
    expect(unheardGates(read(file))).toEqual(silent === undefined ? undefined : { why, fix });
    const said = (await examineNotifications(read(file), {})).filter(({ status }) => status === 'warning');
    expect(said).toEqual(silent === undefined ? [] : [{ area: 'Notifications', status: 'warning', message: why, fix }]);
  });
});
