/** Is the app in the channel? Asked before anything is started whose result could not be posted there. */
import { expect, test } from 'vitest';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { createChannels } from '../../../slack/api/channels.ts';
import { createSlackWeb } from '../../../slack/api/web-client.ts';

const now = (): Date => new Date('2026-03-03T12:00:00Z');
const INVITE = /Slack answered not_in_channel\. Invite the app to the channel: \/invite @Belay\.$/;

test.each<[string, { channel?: string; error?: string }, RegExp | undefined]>([
  ['the app is there', {}, undefined],
  ['the same by name', { channel: '#eks-upgrades' }, undefined],
  ['a public channel without it', { channel: 'C0GENERAL' }, INVITE],
  ['the same by name', { channel: '#general' }, INVITE],
  ['a private channel without it', { error: 'channel_not_found' }, INVITE],
  ['what Slack does not say is left to the post', { error: 'missing_scope' }, undefined],
])('%s', async (_what, { channel = 'C0UPGRADES', error }, refusal) => {
  const slack = await startSlackServer({ journal: new Journal(now), now });
  try {
    if (error !== undefined) slack.failNext('conversations.info', { error, times: 1 });
    const asked = createChannels(createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl })).requireApp(channel);
    if (refusal === undefined) await asked;
    else await expect(asked).rejects.toThrow(refusal);
  } finally {
    await slack.close();
  }
});
