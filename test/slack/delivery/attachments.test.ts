/** Files in a thread: each there once, however long the thread is. */
import { expect, test } from 'vitest';
import type { WebClient } from '@slack/web-api';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { WORKSPACE } from '../../../rehearsal/neighbours/slack/workspace.ts';
import { attach } from '../../../slack/delivery/attachments.ts';
import { createSlackWeb } from '../../../slack/delivery/notifier.ts';
import { CHANNEL } from '../support.ts';

const NOW = new Date('2026-03-03T12:10:00Z');

async function say(web: WebClient, count: number, thread?: string): Promise<string> {
  let first = '';
  for (let n = 0; n < count; n += 1) {
    const { ts = '' } = await web.chat.postMessage({
      channel: CHANNEL,
      text: `Line ${n}`,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    });
    if (n === 0) first = ts;
  }
  return first;
}

test('a file that is there is not attached again, whether it is among the first messages of a thread or behind hundreds', async () => {
  const slack = await startSlackServer({ journal: new Journal(() => NOW), now: () => NOW });
  try {
    const web = createSlackWeb({ token: WORKSPACE.botToken, apiUrl: slack.apiUrl });
    const ts = await say(web, 1);
    const files = ['early.html', 'late.html'].map((fileName) => ({
      thread: { channel: CHANNEL, ts },
      fileName,
      title: fileName,
      content: '<p>',
    }));
    const [early, late] = files;
    if (early === undefined || late === undefined) throw new Error('two files are expected');
    await attach(web, early);
    await say(web, 250, ts);
    await attach(web, late);
    for (const file of files) await attach(web, file);
    const names = slack.messages().flatMap((message) => (message.files ?? []).map(({ name }) => name));
    expect(names).toEqual(['early.html', 'late.html']);
  } finally {
    await slack.close();
  }
});
