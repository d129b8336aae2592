/** What the App Home says. Plain text: callers escape it. */
import { agree, count } from '../../domain/core/text.ts';

export const waitingForYou = (): string => 'Waiting for you';
export const nothingForYou = (): string => 'Nothing is waiting for you.';
export const waitingForOthers = (): string => 'Waiting for others';
export const runningUpgrades = (): string => 'Running upgrades';

/** A run without a worker: what Temporal knows of it. */
export const seenWithoutWorker = ({ waitingFor, phase }: { waitingFor?: string; phase?: string }): string =>
  `${waitingFor === undefined ? (phase ?? 'running') : `waiting for ${waitingFor}`} (no worker answers)`;

/** `left`: how much work is left, "40 min". */
export const runProgress = (steps: { doneCount: number; count: number; left?: string; headline: string }): string =>
  `${steps.doneCount} of ${steps.count} steps done${steps.left === undefined ? '' : `, about ${steps.left} of work left`}: ${steps.headline}`;

export const moreRuns = (moreCount: number): string =>
  `${moreCount} more ${agree(moreCount, 'upgrade is', 'upgrades are')} running: /eks-upgrade status lists them.`;

export const groupUnread = (group: string): string => `Could not read user group ${group}, so gates may be missing above.`;

/** `why`: a sentence. */
export const versionsUnread = (why: string): string => `Could not read the versions: ${why}`;

export const readingVersions = (): string => '⏳ Reading the versions…';

export const openCampaigns = (): string => 'Campaigns';

/** `headline`: "Ring dev runs." mrkdwn, as the link that may follow. */
export const campaignOnHome = (
  campaign: string,
  of: { target: string; headline: string; arrivedCount: number; clusterCount: number },
): string => `*${campaign}* to ${of.target}: ${of.headline} ${of.arrivedCount} of ${count(of.clusterCount, 'cluster')} done.`;

export const moreCampaigns = (moreCount: number): string => `and ${moreCount} more: /eks-upgrade campaign`;

/** In the place of rings that are done, or that come later. */
export const earlierRings = (ringCount: number): string => `${count(ringCount, 'ring')} before`;
export const laterRings = (ringCount: number): string => `${count(ringCount, 'ring')} after`;

/** `why`: a sentence. */
export const campaignUnread = (campaign: string, why: string): string => `Could not read campaign ${campaign}: ${why}`;

export const campaignsNotRead = (moreCount: number): string =>
  `${moreCount} more open ${agree(moreCount, 'campaign was', 'campaigns were')} not read: belay campaign status lists ${agree(moreCount, 'it', 'them')}.`;

export const campaignsNotInFile = (campaignCount: number): string =>
  campaignCount === 1
    ? 'An open campaign is not in belay.yaml, so it is not shown: belay campaign status lists it.'
    : `${campaignCount} open campaigns are not in belay.yaml, so they are not shown: belay campaign status lists them.`;

export const waitsUnread = (runCount: number): string =>
  `${count(runCount, 'campaign run')} ${agree(runCount, 'waits', 'wait')} for a decision. Could not read whose, because no worker answers.`;

export const runsNotRead = (runCount: number): string =>
  `${runCount} more ${agree(runCount, 'run waits', 'runs wait')} for a decision, and ${agree(runCount, 'was', 'were')} not read: /eks-upgrade status lists ${agree(runCount, 'it', 'them')}.`;

/** A button, and the title of what it opens. */
export const needsYou = (needCount: number): string => (needCount === 0 ? 'Needs you' : `Needs you (${needCount})`);

export const moreNeedYou = (moreCount: number): string => `${moreCount} more: press Needs you.`;

export const readingNeeds = (): string => '⏳ Reading what waits for you…';

/** `from`, `to`: places in the list. */
export const needsShown = (from: number, to: number, ofCount: number): string => `${from} to ${to} of ${ofCount}`;

/** mrkdwn. */
export const troubleIn = (campaign: string, ring: string): string => `Campaign ${campaign}, ring ${ring}`;
