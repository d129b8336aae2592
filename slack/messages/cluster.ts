/** What is said of a cluster: its readiness, its plan, what can be undone, what was left behind. mrkdwn: what is given is escaped already. */
import { count } from '../../domain/core/text.ts';

/** `verdict`: "✅ Ready". */
export const checkDone = (verdict: string, run: { cluster: string; from: string; to: string }): string =>
  `${verdict}: ${run.cluster} ${run.from} → ${run.to}`;

export const checkRunning = (cluster: string, target: string): string => `🔎 Checking ${cluster} for ${target}`;

export const checkFailed = (cluster: string, target: string): string => `⚠ ${cluster} could not be checked for ${target}`;

export const onlyReads = (): string => 'Reads the cluster and changes nothing.';

export const unknownsOnly = (): string => 'Ready as far as Belay could see; somebody has to check what is unknown.';

export const moreFindings = (moreCount: number, of: { cluster: string; target: string }): string =>
  `${count(moreCount, 'more finding')}: \`/eks-upgrade check ${of.cluster} ${of.target}\` posts the whole report`;

export const moreFindingsInReport = (moreCount: number): string => `${count(moreCount, 'more finding')} in the report`;

export const nothingChanged = (unchangedCount: number): string => `Nothing has changed: ${unchangedCount} as before`;

export const reportAttached = (): string => 'The whole report is attached in the thread';

/** `command`: as code. */
export const reportNotAttached = (why: string, command: string): string => `Could not attach the report: ${why}. Get it with ${command}`;

export const planAsksFirst = (hash: string): string => `🔒 Asks for approval first, and says what can be undone · plan ${hash}`;

export const durationsNotLearnt = (why: string): string => `⚠ Durations are not based on earlier upgrades here: ${why}`;

export const workWithoutWaits = (work: string): string => `~${work} without the time that decisions take`;

export const cannotUpgrade = (cluster: string, target: string): string => `${cluster} cannot be upgraded to ${target} yet`;

export const cannotGoBack = (cluster: string): string => `${cluster} cannot be rolled back`;

export const nothingStarted = (): string => 'Nothing was started.';

export const noHistory = (cluster: string): string => `${cluster}: no ended upgrade on record`;

export const upgradesEnded = (cluster: string, runCount: number): string => `${cluster}: ${count(runCount, 'upgrade')} ended`;

export const nothingToUndo = (cluster: string): string => `No run of ${cluster} on record has a step that can be undone on its own.`;

export const undoable = (cluster: string): string => `Steps of the last run of ${cluster} that can be undone:`;

export const cannotUndo = (step: string): string => `✗ ${step}: cannot be undone now`;

export const nothingLeft = (cluster: string): string => `Runs have left nothing behind on ${cluster}.`;

export const leftBehindOn = (cluster: string): string => `Left behind on ${cluster} by earlier runs:`;

export const changesInCode = (): string => 'Changes of the last run in your source code (`belay report` has the lines):';

export const restoreOffered = (person: string): string =>
  `Requested by ${person}. Nothing has been changed yet; approvers can restore it here.`;

export const restoredBy = (person: string): string => `Restore requested by ${person}: the result is in the thread.`;

export const restoreTitle = (): string => 'Restore it?';

/** `rolls`: nodes that lag behind may roll then. */
export const restoreMeans = (rolls: boolean): string =>
  `Belay checks again, then restores it while holding the cluster lock.${rolls ? ' This also lifts a freeze: Karpenter then replaces every node that lags behind the control plane, limited only by the budgets of each NodePool.' : ''}`;

/** `date`: an ISO date, here and below. */
export const standardSupport = (date: string): string => `standard support until ${date}`;

export const extendedSupport = (date: string): string => `extended support until ${date}`;

export const outOfSupport = (date: string): string => `out of support since ${date}`;

export const supportUnknown = (): string => 'end of support unknown';
