/** What is going on in a channel: its runs, what waits and for whom, and what has ended. mrkdwn, already escaped. */
import { agree, count } from '../../domain/core/text.ts';

export const runsHere = (runCount: number): string =>
  runCount === 0 ? 'No upgrade is running here.' : `${count(runCount, 'upgrade')} running here`;

/** `name`: "staging 1.31 → 1.32". `link`: to its thread. */
export const runHere = (name: string, of: { state: string; headline: string; since: string; link?: string }): string =>
  `▶ *${name}*: ${of.state}, ${of.headline.replace(/[.\s]+$/, '')} · since ${of.since}${of.link === undefined ? '' : ` · ${of.link}`}`;

/** A freeze whose run has ended. `name`, `link`: as above. */
export const freezeHere = (name: string, of: { since: string; link?: string }): string =>
  `❄ *${name}*: the run has ended, drift is frozen until somebody decides · since ${of.since}${of.link === undefined ? '' : ` · ${of.link}`}`;

/** `who`: "1 of @platform". `by`, here and below: a time in the reader's zone. */
export const gateHere = (title: string, of: { who: string; by: string; progress?: string }): string =>
  `      ⏳ ${title} Needs ${of.who} by ${of.by}${of.progress === undefined ? '' : ` (so far ${of.progress})`}`;

export const parkedHere = (title: string, by: string): string => `      🅿 ${title} Continues by itself; open until ${by}`;

export const whoIsNeeded = (quorum: number, who: string): string =>
  `${quorum} ${who === '' ? `${agree(quorum, 'approver', 'approvers')}, but belay.yaml names none: add approvers` : `of ${who}`}`;

export const notListed = (runCount: number): string => `${count(runCount, 'more run')} not shown: "belay status" lists all.`;

export const digestTitle = (since: string): string => `Since ${since}`;

export const endedHere = (name: string, of: { outcome: string; at: string; headline: string }): string =>
  `${of.outcome}: *${name}*, ${of.at}${of.headline === '' ? '' : ` – ${of.headline}`}`;

export const nothingEnded = (): string => 'No upgrade has ended.';

export const recordsUnread = (cluster: string, why: string): string => `❔ Could not read ended upgrades of ${cluster}: ${why}`;

export const dueTitle = (): string => '*Due*';

export const gateDue = (cluster: string, title: string, by: string): string => `• ${by}: decide for ${cluster}: ${title}`;

export const windowDue = (cluster: string, minor: string, until: string): string =>
  `• ${until}: last moment to roll the control plane of ${cluster} back to ${minor}`;

export const supportTitle = (): string => '*Support*';

/** `support`: "🟡 standard support until 2026-03-23, 20 days left". */
export const supportDue = (cluster: string, version: string, support: string): string => `• *${cluster}* ${version}: ${support}`;

/** `cluster`: absent: of all. */
export const supportUnread = (why: string, cluster?: string): string =>
  `❔ Could not read ${cluster === undefined ? 'versions and support dates' : `the version of ${cluster}`}: ${why}`;

export const campaignsTitle = (): string => '*Campaigns*';

export const campaignHere = (name: string, of: { target: string; headline: string; arrivedCount: number; clusterCount: number }): string =>
  `• *${name}* to ${of.target}: ${of.arrivedCount} of ${count(of.clusterCount, 'cluster')} done. ${of.headline}`;

export const campaignsUnread = (why: string): string => `❔ Could not read campaigns: ${why}`;

export const startsAnother = (): string => 'Upgrade a cluster';
