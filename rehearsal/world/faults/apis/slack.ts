/** Faults of Slack's Web API, for its stand-in. */
import type { Response } from 'express';
import type { FaultBoard } from './board.ts';

export type SlackFates = Pick<FaultBoard, 'meet'>;

/** True: nobody must answer any more. `serve` is the method itself, for answers that are lost after it. */
export async function sufferSlack(
  fates: SlackFates | undefined,
  method: string,
  args: Record<string, unknown>,
  response: Response,
  serve: () => Promise<void>,
): Promise<boolean> {
  const { blocks, channel } = args;
  // Forms carry blocks as JSON.
  const gate = (typeof blocks === 'string' ? blocks : JSON.stringify(blocks ?? '')).includes('"gate/');
  const mutates = /^(chat|views|reactions|files)\./.test(method);
  const fate = fates?.meet({ api: 'slack', operation: method, resource: typeof channel === 'string' ? channel : '', mutates, gate });
  switch (fate?.kind) {
    case 'refuse':
      if (fate.retryAfterSec !== undefined) response.set('Retry-After', String(fate.retryAfterSec));
      response.status(fate.status).json({ ok: false, error: fate.code });
      return true;
    case 'hang':
      return true;
    case 'lose':
      // The socket goes first: what is served afterwards reaches nobody.
      response.socket?.destroy();
      await serve();
      return true;
    default:
      return false;
  }
}
