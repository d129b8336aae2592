/** What commands and buttons are answered with. Plain text unless a constructor says mrkdwn. */

export const readingCluster = (cluster: string): string => `Reading cluster ${cluster}…`;

export const checking = (cluster: string, target: string): string =>
  `Checking ${cluster} for ${target}. The result appears in this channel.`;

/** mrkdwn. `link`: to its message, once there is one. */
export const checkRunsAlready = (check: { cluster: string; target: string; requestedBy: string; link?: string }): string =>
  `A check of ${check.cluster} for ${check.target} is already running, requested by ${check.requestedBy}. ${check.link ?? 'No other was started.'}`;

/** mrkdwn. `name`: "staging 1.31 → 1.32". `queued`: why it waits first. `link`: to its thread, once there is one. */
export const started = (name: string, { queued, link }: { queued?: string; link?: string }): string =>
  `Started: ${name}.${queued === undefined ? '' : ` ${queued}`} ${link ?? 'Its thread appears in the channel in a moment.'}`;

export const lookingForLeftovers = (cluster: string): string => `Looking for anything that earlier runs left behind on ${cluster}…`;

export const restoringLeftovers = (cluster: string): string => `Restoring what earlier runs left behind on ${cluster}…`;

export const noRecord = (cluster: string): string => `No ended upgrade of ${cluster} is on record.`;

export const recordInChannel = (): string => 'The record is in the channel.';

/** mrkdwn. `run`: its outcome and title. `thread`: "its thread", or a link to it. */
export const recordInThread = (run: string, thread: string): string => `${run}. The record is in ${thread}.`;

/** After either of the two. */
export const recordNotAttached = (): string => 'Could not attach the whole record: "belay report" shows it.';

/** In the place of what one Slack message cannot hold. */
export const moreThanFits = (): string =>
  'More than one message can hold: the rest is left out. `belay` on the command line shows all of it.';

/** Title of a file. */
export const recordTitle = (cluster: string, from: string, to: string): string => `Change record of ${cluster}, ${from} to ${to}`;

/** Title of a picture. */
export const timelineTitle = (cluster: string, to: string): string => `Timeline of the upgrade of ${cluster} to ${to}`;

/** Title of a picture. */
export const curvesTitle = (checks: readonly string[]): string => `${checks.join(', ')} over time`;

export const noUpgradeRunning = (): string => 'No upgrade is running.';

/** mrkdwn, in the place of blocks that Slack refuses. `text`: the message without its layout. */
export const withoutLayout = (text: string): string =>
  `${text}\n(Slack rejected this message's layout: use "belay status" to see it and "belay decide" to decide.)`;

export const campaignPlanning = (campaign: string): string => `Planning campaign ${campaign}…`;

export const campaignBegun = (campaign: string, planHash: string): string =>
  `Started campaign ${campaign}, plan ${planHash}. Its first ring waits for approval in the campaign's thread.`;

export const ringPlanningBack = (campaign: string, ring: string): string =>
  `⏳ Reading which clusters of ring ${ring} of campaign ${campaign} EKS can still roll back…`;

export const ringGoesBack = (campaign: string, ring: string, planHash: string): string =>
  `Rollback of ring ${ring} of campaign ${campaign} is planned, plan ${planHash}. It waits for approval in its own thread, with the list of clusters; the campaign is paused.`;

export const campaignsOpen = (names: readonly string[]): string =>
  names.length === 0 ? 'No campaign is open.' : `Open campaigns: ${names.join(', ')}.`;
