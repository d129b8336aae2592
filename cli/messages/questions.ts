/** What a question on a terminal has beside the words of client/calls/questions.ts. */

/** Below the help of each command that asks. */
export const asksOnce = (): string =>
  'On a terminal it shows what it is about to do and asks for confirmation; --yes skips the question. Without a terminal, as in a script, it acts at once.';

/** Of option --yes. */
export const withoutAsking = (): string => 'do not ask for confirmation';

export const yesOrNo = (question: string): string => `${question} [y/N] `;

export const canBeAborted = (cluster: string): string => `To end it at any time: belay abort ${cluster}`;

/** `campaign`, here and below: of a rollback with its ring, as its commands have it. */
export const canBeStopped = (campaign: string): string =>
  `To end it at any time: belay campaign stop ${campaign}. Upgrades that have started finish on their own.`;

export const campaignStopIsFinal = (campaign: string): string =>
  `A stop cannot be undone. To pause the campaign instead: belay campaign pause ${campaign}`;

export const ringRollbackUndo = (campaign: string, rollback: string): string =>
  `To end it at any time: belay campaign stop ${rollback}. To continue the campaign afterwards: belay campaign resume ${campaign}`;

export const skipIt = (cluster: string): string => `Skip this step of ${cluster}?`;

export const canBeUndone = (undo: string): string => `What can be undone: ${undo}`;
