/** Commands are taken in the channels that belay.yaml names, each cluster's in its own, and nowhere else. */
import { messageOf } from '../../domain/core/unknown.ts';
import { mrkdwn, mrkdwnLines } from '../blocks/kit/text.ts';
import type { SlackDeps } from './deps.ts';
import { auditForeignChannel, auditOtherChannel, foreignChannel, noChannelConfigured, otherChannel } from '../messages/refusals.ts';

/** Where a command was typed. */
export interface Place {
  channelId: string;
  channelName: string;
}

/** Why the cluster cannot be spoken about here, as mrkdwn: unknown, or it has another channel, which goes into the audit record. */
export async function wrongPlace(deps: SlackDeps, cluster: string, place: Place, user: string): Promise<string | undefined> {
  let configured: string | undefined;
  try {
    configured = deps.clusters.channelOf(cluster);
  } catch (error) {
    return mrkdwnLines(messageOf(error), 1_000);
  }
  if (configured === undefined) return noChannelConfigured();
  if (await isHere(deps, configured, place)) return undefined;
  refuse(deps, auditOtherChannel(cluster, { channel: place.channelId, own: configured }), user);
  return otherChannel(mrkdwn(cluster, 100), where(configured));
}

/** The clusters that belong in this channel; a sentence of mrkdwn where there are none. */
export async function clustersHere(deps: SlackDeps, place: Place, user: string): Promise<string[] | string> {
  const { clusters } = deps;
  const channels = [...new Set(clusters.names().flatMap((name) => clusters.channelOf(name) ?? []))];
  if (channels.length === 0) return noChannelConfigured();
  const here: string[] = [];
  for (const channel of channels) if (await isHere(deps, channel, place)) here.push(channel);
  if (here.length > 0) return clusters.names().filter((name) => here.includes(clusters.channelOf(name) ?? ''));
  refuse(deps, auditForeignChannel(place.channelId), user);
  return foreignChannel(channels.slice(0, 5).map(where));
}

/** A try from a channel that does not count is worth knowing of. */
function refuse({ upgrades, log }: SlackDeps, what: string, user: string): void {
  log.warn(`refused ${user}: ${what}`);
  upgrades.refused({ what, actor: { kind: 'slack', id: user } });
}

/** By id, or by the name that Slack itself gives. */
export async function isHere(
  deps: SlackDeps,
  configured: string,
  { channelId, channelName }: Pick<Place, 'channelId'> & Partial<Place>,
): Promise<boolean> {
  if (configured === channelId || configured.replace(/^#/, '') === channelName) return true;
  return (await deps.channels.idOf(configured).catch(() => undefined)) === channelId;
}

function where(channel: string): string {
  if (/^[CG][A-Z0-9]+$/.test(channel)) return `<#${channel}>`;
  return mrkdwn(channel.startsWith('#') ? channel : `#${channel}`, 100);
}
