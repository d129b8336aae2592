/** What a question on a terminal has beside the words of client/calls/questions.ts. */

/** Below the help of each command that asks. */
export const asksOnce = (): string =>
  'On a terminal it says what it is about to do and asks once; --yes answers. Without a terminal, as in a script, it acts at once.';

/** Of option --yes. */
export const withoutAsking = (): string => 'do not ask for confirmation';

export const yesOrNo = (question: string): string => `${question} [y/N] `;

export const canBeAborted = (cluster: string): string => `It can be ended at any time: belay abort ${cluster}`;

/** `campaign`, here and below: of a rollback with its ring, as its commands have it. */
export const canBeStopped = (campaign: string): string =>
  `It can be ended at any time: belay campaign stop ${campaign}. Upgrades that it has started finish on their own.`;

export const campaignStopIsFinal = (campaign: string): string =>
  `A stop cannot be undone. To hold the campaign for a time instead: belay campaign pause ${campaign}`;

export const ringRollbackUndo = (campaign: string, rollback: string): string =>
  `It can be ended at any time: belay campaign stop ${rollback}. The campaign continues with: belay campaign resume ${campaign}`;

export const skipIt = (cluster: string): string => `Skip this step of ${cluster}?`;

export const canBeUndone = (undo: string): string => `What can be undone: ${undo}`;
