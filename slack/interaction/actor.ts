/** Who pressed, and where to answer. */
import type { BlockAction, RespondFn } from '@slack/bolt';
import type { Listener } from './reply.ts';
import type { SlackDeps } from './deps.ts';
import type { Actor } from '../../domain/gates/actor.ts';

/** By user id, never by display name; the name is for reading only. */
export function actorOf(body: { user: { id: string; name?: string; username?: string } }): Actor {
  return { kind: 'slack', id: body.user.id, name: body.user.name ?? body.user.username };
}

export function listenerOf(deps: SlackDeps, body: BlockAction, respond: RespondFn): Listener {
  const message: unknown = body.message;
  const thread =
    typeof message === 'object' && message !== null && 'thread_ts' in message && typeof message.thread_ts === 'string'
      ? message.thread_ts
      : undefined;
  // A board is not in its own thread: its buttons are answered in the channel.
  const own = thread !== undefined && body.message?.ts === thread;
  return { web: deps.web, log: deps.log, channel: body.channel?.id ?? '', user: body.user.id, thread: own ? undefined : thread, respond };
}
