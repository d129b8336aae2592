/** What a typed command asks before it acts, and how its question ends. mrkdwn: what is given is escaped already. Each question begins with its title. */

export const startTitle = (cluster: string, target: string): string => `Start the upgrade of ${cluster} to ${target}?`;

export const startMeans = (): string =>
  'Belay plans it, opens a thread in this channel, and waits at the first gate. Nothing is changed before somebody approves that gate.';

export const startLabel = (): string => 'Start';

/** `strategy`: as it was typed. */
export const startStrategy = (strategy: string): string => `Nodes: ${strategy}`;

export const rollbackTitle = (cluster: string): string => `Roll ${cluster} back?`;

/** `step`: of the last run. */
export const undoTitle = (cluster: string, step: string): string => `Undo ${step} of ${cluster}?`;

export const rollbackLabel = (): string => 'Plan the rollback';

export const undoLabel = (step: string): string => `Plan to undo ${step}`;

/** What can be undone: of what only opens a thread. */
export const canBeAborted = (cluster: string): string => `It can be ended at any time: \`/eks-upgrade abort ${cluster}\`.`;

/** `run`: "staging 1.31 → 1.32". `state`: where it is, "" where that is not known. */
export const runNow = (run: string, state: string): string => (state === '' ? `Now: ${run}` : `Now: ${run} – ${state}`);

/** `step`: its title. */
export const runsNow = (step: string): string => `Running: ${step}. What EKS has begun is waited for.`;

export const abortLabel = (): string => 'Abort';

export const abortIsFinal = (): string => 'An abort cannot be undone. A new upgrade plans from the state that the cluster is in then.';

/** `gate`: its title. */
export const skipTitle = (cluster: string, gate: string): string => `Skip this step of ${cluster}? ${gate}`;

/** `reason`: as it was typed. */
export const skipReason = (reason: string): string => `Your reason, which the thread and the record keep: ${reason}`;

export const skipLabel = (): string => 'Skip';

/** `why`: a sentence that says why no more is known. */
export const skipUnseen = (gate: string, why: string): string => `Gate ${gate} cannot be shown: ${why}`;

/** `command`: as it is typed, without what follows the cluster. */
export const cancelled = (command: string): string => `Cancelled, nothing was done: \`/eks-upgrade ${command}\``;

/** Plain text, as those below. */
export const askedAnother = (): string => 'Nothing was done: somebody else was asked this. Type the command yourself.';

export const answeredBefore = (): string => 'You have answered this before, so nothing more was done.';

export const newerRun = (cluster: string): string =>
  `Another run of ${cluster} has begun since you were asked, so nothing was started. Look at "status ${cluster}", then type the command again.`;

export const tooMuchToAsk = (): string => 'Nothing was done: the reason is too long for a button. Write a shorter one.';
