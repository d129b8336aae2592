/** The address of a run's thread, once the worker has posted its root. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/core/unknown.ts';
import type { SlackDeps } from './deps.ts';
import { findBoard, type Sought, Thread } from '../delivery/threads.ts';

/** The root is posted by the worker; it is looked for this long. */
const BOARD_LOOKS = 8;
const BOARD_LOOK_MS = 700;

/** The address of a gate's message, or of its thread where it is not there yet; undefined where Slack does not say. Never throws. */
export async function gateUrl(
  { web, channels, log }: Pick<SlackDeps, 'web' | 'channels' | 'log'>,
  configured: string,
  run: Sought,
  gateId?: string,
): Promise<string | undefined> {
  try {
    const channel = await channels.idOf(configured);
    const board = await findBoard(web, channel, run);
    if (board === undefined) return undefined;
    const thread = new Thread(board, run);
    if (gateId !== undefined) await thread.read(web);
    const ts = (gateId === undefined ? undefined : thread.find(`gate/${gateId}`)?.ts) ?? board.ts;
    return (await web.chat.getPermalink({ channel, message_ts: ts })).permalink;
  } catch (error) {
    log.warn(`looking for a gate's message: ${messageOf(error)}`);
    return undefined;
  }
}

/** `configured`: id or name of the channel. undefined: not there yet, or Slack does not say; never throws. */
export async function threadUrl(deps: SlackDeps, configured: string, run: Sought): Promise<string | undefined> {
  try {
    const channel = await deps.channels.idOf(configured);
    for (let look = 0; look < BOARD_LOOKS && !deps.stopping.aborted; look += 1) {
      const board = await findBoard(deps.web, channel, run);
      if (board !== undefined) return (await deps.web.chat.getPermalink({ channel, message_ts: board.ts })).permalink;
      await sleep(BOARD_LOOK_MS, undefined, { signal: deps.stopping });
    }
  } catch (error) {
    deps.log.warn(`looking for the thread: ${messageOf(error)}`);
  }
  return undefined;
}
