/** What the App Home shows somebody: campaigns first, then what waits for them, then runs. */
import { campaignView } from '../../../domain/run/campaign/view.ts';
import { workLeftMs } from '../../../domain/run/durations/left.ts';
import { duration } from '../../../domain/core/text.ts';
import { HOME_SHOWN, type Home, type HomeRun } from '../../blocks/home.ts';
import type { HomeCampaign } from '../../blocks/campaigns/home-campaigns.ts';
import type { SlackDeps } from '../../interaction/deps.ts';
import { gateUrl } from '../../interaction/message-links.ts';
import { moreRuns, runProgress, seenWithoutWorker } from '../../messages/home.ts';
import { type FoundCampaign, type FoundRun, gatherWaiting, linked, type Place, threadOf } from './waiting.ts';

/** `clusters`: those that the person may see. Without versions: those take longer, and come after. Never throws. */
export async function gatherHome(deps: SlackDeps, user: string, nowMs: number, clusters: readonly string[]): Promise<Home> {
  const waiting = await gatherWaiting(deps, user, nowMs, clusters);
  const { gates, others, troubles, campaigns, runs, runCount, problems } = waiting;
  const standstill = await deps.upgrades.standstill();
  return {
    campaigns: await Promise.all(campaigns.slice(0, HOME_SHOWN.campaigns).map((campaign) => shownCampaign(deps, campaign))),
    moreCampaignCount: Math.max(0, campaigns.length - HOME_SHOWN.campaigns),
    mine: await linkedFirst(deps, gates, HOME_SHOWN.mine),
    others: await linkedFirst(deps, others, HOME_SHOWN.others),
    needCount: gates.length + troubles.length,
    runs: await Promise.all(runs.map((run) => shownRun(deps, run, nowMs))),
    problems: [
      ...(standstill === undefined ? [] : [standstill]),
      ...problems,
      ...(runCount > runs.length ? [moreRuns(runCount - runs.length)] : []),
    ],
    at: new Date(nowMs).toISOString(),
  };
}

/** Links of those that are shown; the others are only counted. */
async function linkedFirst<T extends { place?: Place }>(deps: SlackDeps, items: readonly T[], shown: number): Promise<T[]> {
  return [...(await linked(deps, items.slice(0, shown))), ...items.slice(shown)];
}

async function shownCampaign(deps: SlackDeps, { status, channel }: FoundCampaign): Promise<HomeCampaign> {
  const url = channel === undefined ? undefined : await gateUrl(deps, channel, threadOf(status));
  return { view: campaignView(status), ...(url === undefined ? {} : { url }) };
}

async function shownRun(deps: SlackDeps, { run, status, channel }: FoundRun, nowMs: number): Promise<HomeRun> {
  const { cluster, target, phase, waitingFor, startedAt } = run;
  const url = channel === undefined ? undefined : await gateUrl(deps, channel, { ...run, notBefore: startedAt });
  const known = { cluster, startedAt, ...(url === undefined ? {} : { url }) };
  if (status === undefined) return { ...known, to: target, state: seenWithoutWorker({ waitingFor, phase }) };
  const leftMs = workLeftMs(status, nowMs);
  const done = status.steps.filter((step) => step.state === 'completed' || step.state === 'skipped').length;
  return {
    ...known,
    from: status.from,
    to: status.to,
    state: runProgress({
      doneCount: done,
      count: status.steps.length,
      left: leftMs > 0 ? duration(leftMs) : undefined,
      headline: status.headline,
    }),
  };
}
