/** What a digest says beside runs: the channel's open campaigns, and clusters whose support ends soon or has ended. What is not known says so. */
import { inTime } from '../../client/calls/in-time.ts';
import { rollbackOfName } from '../../domain/plan/campaign/plan-rollback.ts';
import { oldestFirst, supportAt, supportOf } from '../../domain/run/fleet.ts';
import { campaignView } from '../../domain/run/campaign/view.ts';
import { mrkdwn } from '../blocks/kit/text.ts';
import { when } from '../blocks/kit/time.ts';
import { supportLine } from '../blocks/support.ts';
import { isHere } from './channel-guard.ts';
import type { SlackDeps } from './deps.ts';
import { failureSentence } from './failure-text.ts';
import { campaignHere, campaignsUnread, gateDue, supportDue, supportUnread } from '../messages/overview.ts';

/** As `belay fleet` counts what is due. */
const WITHIN_DAYS = 60;
const SHOWN = 20;
const LIMIT_MS = 20_000;

export async function campaignLines(deps: SlackDeps, channelId: string): Promise<string[]> {
  const { campaigns, clusters, log } = deps;
  try {
    const here: string[] = [];
    for (const { name, channel } of clusters.campaigns())
      if (channel !== undefined && (await isHere(deps, channel, { channelId }))) here.push(name);
    const open = (await campaigns.list()).filter((name) => here.includes(rollbackOfName(name)?.campaign ?? name));
    const lines = open.slice(0, SHOWN).map(async (name) => {
      const { gates, ...status } = await campaigns.status(name);
      const { target, headline, arrivedCount, clusterCount } = campaignView(status);
      const about = { target: mrkdwn(target, 20), headline: mrkdwn(headline, 300), arrivedCount, clusterCount };
      return [
        campaignHere(mrkdwn(name, 60), about),
        ...gates.map(({ title, expiresAt }) => gateDue(mrkdwn(name, 60), mrkdwn(title, 200), when(expiresAt))),
      ];
    });
    return (await Promise.all(lines)).flat();
  } catch (error) {
    return [campaignsUnread(mrkdwn(failureSentence(error, log, 'reading campaigns for a digest'), 300))];
  }
}

export async function supportLines({ upgrades, log }: SlackDeps, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  try {
    const read = await inTime(LIMIT_MS, upgrades.versions(names));
    if (read === undefined) return [supportUnread(`no answer within ${LIMIT_MS / 1000} s`)];
    const lines = oldestFirst(read.clusters).flatMap(({ name, version, why }) => {
      if (version === undefined) return [supportUnread(mrkdwn(why ?? 'no reason given', 200), mrkdwn(name, 100))];
      const target = supportOf(version, read.offered);
      const { support, daysLeft = 0 } = supportAt(target, read.readAt);
      if (support === 'standard' && daysLeft > WITHIN_DAYS) return [];
      return [supportDue(mrkdwn(name, 100), mrkdwn(version, 20), supportLine(target, read.readAt))];
    });
    return lines.slice(0, SHOWN);
  } catch (error) {
    return [supportUnread(mrkdwn(failureSentence(error, log, 'reading versions for a digest'), 300))];
  }
}
