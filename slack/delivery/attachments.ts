/** Files in a thread, each there once whoever put it there and whether or not the answer arrived. */
import type { WebClient } from '@slack/web-api';
import type { Attachment, MessageRef } from '../../domain/run/notifications.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { slackError } from '../api/errors.ts';
import { ownUser } from '../api/own-user.ts';
import { threadMessages } from './threads.ts';

/** One name per run and kind: what is there already is found by it. */
export function runFileName({ cluster, to, runId }: Pick<UpgradeStatus, 'cluster' | 'to' | 'runId'>, ending: 'html' | 'png'): string {
  return `${cluster.name}-${to}-${runId.slice(-8)}.${ending}`;
}

/** One picture per gate in a run's thread. */
export function gateFileName(gate: string): string {
  return `${gate.replaceAll(/[^\w.]+/g, '-')}.png`;
}

/** Needs the scope files:write. Throws SlackDeliveryError. */
export async function attach(web: WebClient, { thread, fileName, title, content }: Attachment): Promise<void> {
  try {
    if (await isAttached(web, thread, fileName, await ownUser(web))) return;
    const body = typeof content === 'string' ? { content } : { file: Buffer.from(content) };
    await web.files.uploadV2({ channel_id: thread.channel, thread_ts: thread.ts, filename: fileName, title, ...body });
  } catch (error) {
    throw slackError(error, `attaching ${fileName} in ${thread.channel}`);
  }
}

/** Anybody in the thread may send a file of this name: only Belay's own counts (`user` of a file object: docs.slack.dev/reference/objects/file-object). Slack shares a file a moment after it was completed: a second attempt within that moment would not see it. */
async function isAttached(web: WebClient, thread: MessageRef, fileName: string, own: string): Promise<boolean> {
  for await (const { files } of threadMessages(web, thread)) {
    if (files?.some(({ name, user }) => name === fileName && user === own) === true) return true;
  }
  return false;
}
