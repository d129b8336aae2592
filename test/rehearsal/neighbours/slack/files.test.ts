/** @slack/web-api uploads files to the stand-in as it does to Slack. */
import { describe, expect, test } from 'vitest';
import { WORKSPACE } from '../../../../rehearsal/neighbours/slack/workspace.ts';
import { CHANNEL, refusal, withSlack } from './support.ts';

const REPORT = '<!doctype html><p>1.32 → 1.33';

describe('an upload', () => {
  test('is a message in the thread, and people load exactly what was sent', () =>
    withSlack(async ({ client, slack, journal }) => {
      const { ts = '' } = await client.chat.postMessage({ channel: CHANNEL, text: 'check' });
      const file = { filename: 'prod.html', title: 'Ready?', content: REPORT };
      await client.files.uploadV2({ ...file, channel_id: CHANNEL, thread_ts: ts });
      const { messages } = await client.conversations.replies({ channel: CHANNEL, ts });
      const [shared] = messages?.[1]?.files ?? [];
      expect(messages?.[1]).toMatchObject({ thread_ts: ts, user: 'U0BELAY', text: '' });
      expect(shared).toMatchObject({ name: 'prod.html', title: 'Ready?', mimetype: 'text/html', filetype: 'html', size: 31 });
      const loaded = await fetch(shared?.url_private_download ?? '');
      expect(loaded.headers.get('content-disposition')).toBe('attachment; filename=prod.html');
      expect(await loaded.text()).toBe(REPORT);
      expect(slack.messages()).toHaveLength(2);
      expect(journal.mutations.at(-1)).toMatchObject({
        operation: 'files.completeUploadExternal',
        resource: 'eks-upgrades',
        accepted: true,
      });
    }));

  test('step by step with raw bytes: nobody sees it before it is completed, and it is completed once', () =>
    withSlack(async ({ client, slack }) => {
      const { upload_url: url = '', file_id: id = '' } = await client.files.getUploadURLExternal({ filename: 'notes', length: 5 });
      const complete = () => client.files.completeUploadExternal({ files: [{ id }], channel_id: CHANNEL, initial_comment: 'see' });
      expect((await refusal(complete())).error).toBe('file_not_found');
      expect(await (await fetch(url, { method: 'POST', body: 'hello' })).text()).toBe('OK - 5');
      expect(slack.messages()).toEqual([]);
      expect((await complete()).files).toEqual([{ id, title: 'notes' }]);
      expect(slack.messages()).toMatchObject([{ text: 'see', files: [{ id, name: 'notes', mimetype: 'application/octet-stream' }] }]);
      expect((await refusal(complete())).error).toBe('file_not_found');
      expect((await fetch(url, { method: 'POST', body: 'again' })).status).toBe(404);
    }));

  test('is private without a channel', () =>
    withSlack(async ({ client, slack }) => {
      expect((await client.files.uploadV2({ filename: 'a.txt', content: 'a' })).ok).toBe(true);
      expect(slack.messages()).toEqual([]);
    }));

  test.each([
    ['a channel that is not there', { channel_id: 'C0NOWHERE' }, 'channel_not_found'],
    ['a channel without the bot', { channel_id: 'C0GENERAL' }, 'not_in_channel'],
    ['a thread that is not there', { channel_id: CHANNEL, thread_ts: '1.000000' }, 'thread_not_found'],
  ])('%s is refused', (_name, place, error) =>
    withSlack(async ({ client, slack }) => {
      expect((await refusal(client.files.uploadV2({ filename: 'a.txt', content: 'a', ...place }))).error).toBe(error);
      expect(slack.messages()).toEqual([]);
    }),
  );

  test('without the scope it is refused before anything is sent', () =>
    withSlack(
      async ({ client }) => {
        const { error } = await refusal(client.files.uploadV2({ filename: 'a.txt', content: 'a', channel_id: CHANNEL }));
        expect(error).toBe('missing_scope');
      },
      { workspace: { ...WORKSPACE, scopes: ['chat:write'] } },
    ));
});
