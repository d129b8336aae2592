/** Sentences of `belay fleet` and `belay check --all`. */
import { agree, count, someOf } from '../../domain/core/text.ts';

/** `where`: "belay.yaml", or "this account". */
export const noSuchValue = (option: string, value: string, close: string | undefined, values: readonly string[], where: string): string =>
  `No cluster in ${where} matches ${option} ${value}.${close === undefined ? '' : ` Did you mean ${close}?`} There are: ${someOf(values, 20)}.`;

export const noClusterMatches = (where: string): string => `No cluster in ${where} matches all of these filters; leave one out.`;

export const writeDaysWithin = (): string => '--within takes a whole number of days from 1 to 730, such as 60.';

export const serveAlone = (): string => '--serve shows the page over HTTP; leave out --format, --html and --exit-code.';

export const addressNeedsServe = (): string => '--host and --port need --serve, which listens there: add --serve, or leave them out.';

export const servingFleet = (url: string): string => `The fleet is at ${url}`;

export const nothingDue = (clusterCount: number, withinDays: number): string =>
  `Nothing is due within ${withinDays} days on ${count(clusterCount, 'cluster')}.`;

export const somethingDue = (dueCount: number, withinDays: number): string =>
  `${count(dueCount, 'cluster')} ${agree(dueCount, 'needs', 'need')} action within ${withinDays} days.`;

export const notAllRead = (unreadCount: number): string =>
  `${count(unreadCount, 'cluster')} could not be read: nothing is known about ${agree(unreadCount, 'it', 'them')}.`;

/** Without belay.yaml. */
export const regionsNotListed = (regions: readonly string[]): string =>
  `The clusters in ${regions.join(', ')} could not be listed: nothing is known about them.`;

export const regionNotListed = (region: string, why: string): string => `The clusters in ${region} could not be listed: ${why}.`;

export const openRuns = (runCount: number, waitingCount: number): string =>
  `${count(runCount, 'open run')}, ${waitingCount} waiting for a decision`;

export const campaignUnread = (campaign: string, why: string): string => `Could not read campaign ${campaign}: ${why}`;

/** Of the days that are looked at. */
export const costTotal = (withinDays: number, cost: { within: string; perDay: string; unknownCount: number }): string =>
  `Waiting ${withinDays} days costs ${cost.within} of extended support, ${cost.perDay} a day now${cost.unknownCount === 0 ? '' : `; ${count(cost.unknownCount, 'cluster')} whose cost is not known ${agree(cost.unknownCount, 'is', 'are')} not included`}.`;

export const clusterOrAll = (): string => 'Use only one of: a cluster, --snapshot, --all.';

export const noDiffOfAll = (): string => '--diff compares reports of one cluster: name it, and leave out --all.';

/** `verdict`: "not ready for 1.34: 2 required, 1 unknown". */
export const checkedSoFar = (done: { count: number; of: number }, cluster: string, verdict: string): string =>
  `[${done.count}/${done.of}] ${cluster}: ${verdict}`;

/** `counts`: "2 required, 1 unknown". */
export const readyWith = (target: string, counts: string): string => `ready for ${target} (${counts})`;

export const notReadyWith = (target: string, counts: string): string => `not ready for ${target} (${counts})`;

export const unknownWith = (target: string, counts: string): string => `ready for ${target} as far as could be seen (${counts})`;

/** More checks are unknown than passed. */
export const mostlyUnknownWith = (target: string, counts: string): string => `not known whether ready for ${target} (${counts})`;

export const alreadyThere = (version: string, target: string): string =>
  version === target ? `already at ${target}` : `ahead of the target: at ${version}, not ${target}`;

export const nothingNewer = (version: string): string => `at ${version}, and EKS offers nothing newer`;

export const couldNotCheck = (why: string): string => `could not be checked: ${why}`;

export const someNotReady = (notReadyCount: number, clusterCount: number): string =>
  `${notReadyCount} of ${count(clusterCount, 'cluster')} ${agree(notReadyCount, 'is', 'are')} not ready; see the report.`;

export const someUnknown = (unknownCount: number, clusterCount: number): string =>
  `Could not check everything on ${unknownCount} of ${count(clusterCount, 'cluster')}; the report says what is missing.`;
