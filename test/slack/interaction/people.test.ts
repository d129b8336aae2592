/** Who counts as somebody of the workspace: read from Slack when it matters, and what cannot be read is a no. */
import { describe, expect, test } from 'vitest';
import type { WebClient } from '@slack/web-api';
import { type Person, type Workspace, WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { createPersonReader } from '../../../slack/api/members.ts';
import { eventually } from '../../support/eventually.ts';
import { CHANNEL, CLUSTERS, post, withApp } from '../support.ts';

const HOME_ONLY = 'Only people of the workspace in which Belay is installed may do that';
const GUEST = 'Guests of the workspace may not do that';

/** In which Alex is somebody else than usual. */
function workspaceWith(standing: Person['standing'], enterpriseId?: string): Workspace {
  const people = WORKSPACE.people.map((person) => (person.id === 'U0ALEX' ? { ...person, standing } : person));
  return { ...WORKSPACE, team: { ...WORKSPACE.team, enterpriseId }, people };
}

describe('who belongs to the workspace', () => {
  test.each<[string, Person['standing'], string | undefined]>([
    ['a member', undefined, undefined],
    ['S7: a guest', { guest: 'multi-channel' }, GUEST],
    ['S7: a guest of one channel', { guest: 'single-channel' }, GUEST],
    ['S7: a bot', { bot: true }, 'Bots and workflows decide nothing'],
    ['S7: somebody who has left', { deleted: true }, 'This Slack account is deactivated'],
    ['S7: somebody of another organisation, through Slack Connect', { team: 'T0OTHER' }, HOME_ONLY],
  ])('%s', async (_who, standing, why) => {
    await withApp({ server: { workspace: workspaceWith(standing) } }, async ({ web }) => {
      expect(await createPersonReader({ web }).whyNotMember('U0ALEX')).toBe(why);
    });
  });

  test('on Enterprise Grid another workspace of the same organisation is home, another organisation is not', async () => {
    await withApp({ server: { workspace: workspaceWith(undefined, 'E0HOME') } }, async ({ web }) => {
      const read = (home: { teamId: string; enterpriseId?: string }): Promise<string | undefined> =>
        createPersonReader({ web, home }).whyNotMember('U0ALEX');
      expect(await read({ teamId: 'T0SISTER', enterpriseId: 'E0HOME' })).toBeUndefined();
      expect(await read({ teamId: 'T0SISTER', enterpriseId: 'E0OTHER' })).toBe(HOME_ONLY);
      // A token that names no workspace makes nobody at home.
      expect(await read({ teamId: '' })).toBe(HOME_ONLY);
    });
  });

  test('S9: what Slack does not say is thrown, for callers to refuse', async () => {
    await withApp({}, async ({ web, slack }) => {
      const reader = createPersonReader({ web });
      await expect(reader.whyNotMember('U0NOBODY')).rejects.toThrow('reading Slack user U0NOBODY: Slack answered user_not_found');
      slack.failNext('users.info', { status: 503, times: 1 });
      await expect(reader.whyNotMember('U0ALEX')).rejects.toThrow('Slack answered HTTP 503');
    });
  });
});

test.each<[string, object]>([
  ['nobody', {}],
  ['somebody else', { user: { id: 'U0OTHER', team_id: 'T0BELAY' } }],
])('S9: of whom Slack answers with %s nothing is known', async (_what, answer) => {
  const web = { users: { info: () => Promise.resolve({ ok: true, ...answer }) } } as unknown as WebClient;
  await expect(createPersonReader({ web, home: { teamId: 'T0BELAY' } }).whyNotMember('U0ALEX')).rejects.toMatchObject({
    code: 'no_user',
    retryable: true,
    message: 'reading Slack user U0ALEX: Slack does not know this user',
  });
});

describe('who is listened to', () => {
  test.each(['start staging 1.32', 'check staging 1.32', 'plan staging 1.32', 'status'])('S7: a guest is refused: %s', async (text) => {
    await withApp({ server: { workspace: workspaceWith({ guest: 'multi-channel' }) } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      await eventually(() => bench.seenBy('U0ALEX').includes(`${GUEST}. Nothing was done.`));
      const refusal = { what: `A request in Slack: ${GUEST}`, actor: { kind: 'slack', id: 'U0ALEX' } };
      expect(bench.asked).toContainEqual({ what: 'refused', request: refusal });
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test('S7: a guest who presses is refused', async () => {
    await withApp({ server: { workspace: workspaceWith({ guest: 'multi-channel' }) } }, async (bench) => {
      const value = JSON.stringify({ cluster: 'staging', target: '1.32', run: 'r' });
      const text = { type: 'plain_text' as const, text: 'Check again' };
      const elements = [{ type: 'button' as const, action_id: 'check/again', text, value }];
      const ts = await post(bench, { text: 'x', blocks: [{ type: 'actions', elements }] });
      await bench.slack.click('U0ALEX', ts, 'check/again');
      await eventually(() => bench.seenBy('U0ALEX').includes(`${GUEST}. Nothing was done.`));
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test('S9: while Slack does not say who somebody is, nothing is started', async () => {
    await withApp({}, async (bench) => {
      bench.slack.failNext('users.info', { status: 500, times: 1 });
      await bench.slack.submitCommand('U0ALEX', '/eks-upgrade start staging 1.32');
      await eventually(() => bench.seenBy('U0ALEX')[0]?.startsWith('Could not look up your Slack account'));
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test('S24: somebody of another workspace is answered, and nothing is asked', async () => {
    await withApp({ server: { workspace: workspaceWith({ team: 'T0OTHER' }) } }, async (bench) => {
      const { ts } = await bench.web.chat.postMessage({
        channel: CHANNEL,
        text: 'x',
        blocks: [
          { type: 'actions', elements: [{ type: 'button', action_id: 'upgrade/abort', text: { type: 'plain_text', text: 'Abort' } }] },
        ],
      });
      await bench.slack.click('U0ALEX', ts ?? '', 'upgrade/abort');
      await eventually(() =>
        bench.seenBy('U0ALEX')[0]?.startsWith('Nothing was done: only members of the workspace in which Belay is installed'),
      );
      expect(bench.asked.filter(({ what }) => what !== 'refused')).toEqual([]);
    });
  });

  test.each<[string, string, string]>([
    [
      'status',
      'Nothing was done: Belay does not use this channel. Type the command in #eks-upgrades or #general.',
      'A command in channel C0KITCHEN, which Belay does not use',
    ],
    [
      'abort staging',
      'Nothing was done: upgrades of staging belong in #eks-upgrades. Type the command there.',
      'A command about staging in channel C0KITCHEN; its own is #eks-upgrades',
    ],
  ])('S24: in a channel that belay.yaml does not name: %s: refused, and in the audit', async (text, refusal, what) => {
    const channels = [{ id: 'C0KITCHEN', name: 'kitchen', topic: '', botIsMember: true }, ...WORKSPACE.channels];
    await withApp({ server: { workspace: { ...WORKSPACE, channels } } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      await eventually(() => bench.seenBy('U0ALEX').includes(refusal));
      expect(bench.asked).toEqual([{ what: 'refused', request: { what, actor: { kind: 'slack', id: 'U0ALEX' } } }]);
    });
  });

  test.each(['abort staging', 'status'])('S24: where belay.yaml names no channel at all, nothing is taken: %s', async (text) => {
    const clusters = { ...CLUSTERS, channelOf: () => undefined };
    await withApp({ options: { clusters } }, async (bench) => {
      await bench.slack.submitCommand('U0ALEX', `/eks-upgrade ${text}`);
      await eventually(() => bench.seenBy('U0ALEX')[0]?.includes('belay.yaml names no channel (slack.channel)'));
      expect(bench.asked).toEqual([]);
    });
  });
});
