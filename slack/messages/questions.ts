/** What a question of Slack has beside the words of client/calls/questions.ts, and how it ends. mrkdwn: what is given is escaped already. */

export const startLabel = (): string => 'Start';

export const rollbackLabel = (): string => 'Plan the rollback';

export const undoLabel = (step: string): string => `Plan to undo ${step}`;

/** What can be undone: of what only opens a thread. */
export const canBeAborted = (cluster: string): string => `To end it at any time: \`/eks-upgrade abort ${cluster}\`.`;

export const abortLabel = (): string => 'Abort';

export const skipLabel = (): string => 'Skip';

/** `campaign`, here and below: of a rollback with its ring, as its commands have it. */
export const canBeStopped = (campaign: string): string =>
  `To end it at any time: \`/eks-upgrade campaign stop ${campaign}\`. Upgrades that have started finish on their own.`;

export const campaignStopIsFinal = (campaign: string): string =>
  `A stop cannot be undone. To pause the campaign instead: \`/eks-upgrade campaign pause ${campaign}\`.`;

export const campaignStopLabel = (): string => 'Stop';

export const ringRollbackUndo = (campaign: string, rollback: string): string =>
  `To end it at any time: \`/eks-upgrade campaign stop ${rollback}\`. To continue the campaign afterwards: \`/eks-upgrade campaign resume ${campaign}\`.`;

/** `command`: as it is typed, without what follows the cluster. */
export const cancelled = (command: string): string => `Cancelled, nothing was done: \`/eks-upgrade ${command}\``;

/** Plain text, as those below. */
export const askedAnother = (): string => 'Nothing was done: this question was for somebody else. Type the command yourself.';

export const answeredBefore = (): string => 'You have already answered this, so nothing more was done.';

export const newerRun = (cluster: string): string =>
  `Another run of ${cluster} has begun since you were asked, so nothing was started. Check "/eks-upgrade status ${cluster}", then type the command again.`;

export const newerCampaign = (campaign: string): string =>
  `Campaign ${campaign} was started since you were asked, so nothing more was started. Check "/eks-upgrade campaign status ${campaign}", then type the command again.`;

export const tooMuchToAsk = (): string => 'Nothing was done: the reason is too long for a button. Write a shorter one.';
