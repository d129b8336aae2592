/** What a question of Slack has beside the words of client/calls/questions.ts, and how it ends. mrkdwn: what is given is escaped already. */

export const startLabel = (): string => 'Start';

export const rollbackLabel = (): string => 'Plan the rollback';

export const undoLabel = (step: string): string => `Plan to undo ${step}`;

/** What can be undone: of what only opens a thread. */
export const canBeAborted = (cluster: string): string => `It can be ended at any time: \`/eks-upgrade abort ${cluster}\`.`;

export const abortLabel = (): string => 'Abort';

export const skipLabel = (): string => 'Skip';

/** `campaign`, here and below: of a rollback with its ring, as its commands have it. */
export const canBeStopped = (campaign: string): string =>
  `It can be ended at any time: \`/eks-upgrade campaign stop ${campaign}\`. Upgrades that it has started finish on their own.`;

export const campaignStopIsFinal = (campaign: string): string =>
  `A stop cannot be undone. To hold the campaign for a time instead: \`/eks-upgrade campaign pause ${campaign}\`.`;

export const campaignStopLabel = (): string => 'Stop';

export const ringRollbackUndo = (campaign: string, rollback: string): string =>
  `It can be ended at any time: \`/eks-upgrade campaign stop ${rollback}\`. \`/eks-upgrade campaign resume ${campaign}\` continues the campaign.`;

/** `command`: as it is typed, without what follows the cluster. */
export const cancelled = (command: string): string => `Cancelled, nothing was done: \`/eks-upgrade ${command}\``;

/** Plain text, as those below. */
export const askedAnother = (): string => 'Nothing was done: somebody else was asked this. Type the command yourself.';

export const answeredBefore = (): string => 'You have answered this before, so nothing more was done.';

export const newerRun = (cluster: string): string =>
  `Another run of ${cluster} has begun since you were asked, so nothing was started. Look at "status ${cluster}", then type the command again.`;

export const newerCampaign = (campaign: string): string =>
  `Campaign ${campaign} has been started since you were asked, so nothing was started. Look at "campaign status ${campaign}", then type the command again.`;

export const tooMuchToAsk = (): string => 'Nothing was done: the reason is too long for a button. Write a shorter one.';
