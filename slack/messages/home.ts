/** What the App Home says. Plain text: callers escape it. */

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

export const moreRuns = (moreCount: number): string => `${moreCount} more upgrades are running: /eks-upgrade status lists them.`;

export const groupUnread = (group: string): string => `Could not read user group ${group}, so gates may be missing above.`;

/** `why`: a sentence. */
export const versionsUnread = (why: string): string => `Could not read the versions: ${why}`;

export const readingVersions = (): string => '⏳ Reading the versions…';
