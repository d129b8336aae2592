/** Which clusters somebody is shown outside of a channel: those whose channel they are in. */
import { messageOf } from '../../domain/core/unknown.ts';
import type { SlackDeps } from './deps.ts';
import { channelMembersUnread } from '../messages/refusals.ts';

/** `asked`: all clusters by default. Never throws. A cluster without a channel is nobody's; one whose channel cannot be read is not shown, and `unread` says so. */
export async function visibleClusters(
  { clusters, channels, log }: SlackDeps,
  user: string,
  asked: readonly string[] = clusters.names(),
): Promise<{ names: string[]; unread: string[] }> {
  const isIn = new Map<string, boolean>();
  const unread: string[] = [];
  const channelOf = (name: string): string | undefined => {
    try {
      return clusters.channelOf(name);
    } catch {
      return undefined;
    }
  };
  for (const channel of new Set(asked.flatMap((name) => channelOf(name) ?? []))) {
    try {
      isIn.set(channel, await channels.isMember(channel, user));
    } catch (error) {
      log.warn(messageOf(error));
      unread.push(channelMembersUnread(channel));
    }
  }
  return { names: asked.filter((name) => isIn.get(channelOf(name) ?? '') === true), unread };
}
