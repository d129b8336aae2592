/** Why somebody's request is not carried out. Plain text unless a constructor says mrkdwn. */

export const otherWorkspace = (): string => 'Nothing was done: only members of the workspace in which Belay is installed can use it.';

/** `why`: what speaks against this person, as a clause with a capital. */
export const personRefused = (why: string): string => `${why}. Nothing was done.`;

export const personUnknown = (): string => 'Could not look up your Slack account, so nothing was done. Try again, or use the CLI.';

export const tooManyTitle = (): string => 'Too many requests';

export const tooManyRequests = (seconds: number): string =>
  `Too many requests in a short time, so nothing was done. Try again in ${seconds} s.`;

export const noChannelConfigured = (): string =>
  'Nothing was done: belay.yaml names no channel (slack.channel), so commands are accepted in none. Add one, or use the CLI.';

/** mrkdwn. */
export const otherChannel = (cluster: string, channel: string): string =>
  `Nothing was done: upgrades of ${cluster} belong in ${channel}. Type the command there.`;

/** mrkdwn. */
export const foreignChannel = (channels: readonly string[]): string =>
  `Nothing was done: Belay does not use this channel. Type the command in ${channels.join(' or ')}.`;

export const inNoChannel = (): string =>
  "You are not in any channel of Belay's clusters. Join the channel of the cluster that you want to upgrade.";

/** mrkdwn. */
export const notInChannelOf = (cluster: string): string => `Nothing was done: you are not in the channel of ${cluster}.`;

export const channelMembersUnread = (channel: string): string =>
  `Could not read who is in channel ${channel}, so clusters may be missing here.`;

export const buttonUnreadable = (): string =>
  'Nothing was done: this button does not say what it decides. Use the newest buttons on the board, or "belay decide".';

/** `why`: a sentence. */
export const gateUnseen = (cluster: string, why: string): string =>
  `Could not read what ${cluster} waits for, so nothing was decided: ${why}`;

/** `why`: a sentence. */
export const detailsUnread = (why: string): string => `Could not read the details: ${why}`;

/** `form`: "for the reason". `again`: what opens it once more. */
export const formNotOpened = (form: string, again: string): string => `The form ${form} could not be opened in time. ${again}`;

export const formUnreadable = (): string => 'Nothing was done: this form does not say where it was opened. Type /eks-upgrade again.';

/** `remedy`: a sentence. */
export const slackRefused = (code: string, remedy: string): string => `Slack answered ${code}. ${remedy}`;

export const somethingFailed = (): string => 'Something went wrong. The log of the Slack process has the details.';

/** `why`: a sentence that says that Temporal cannot be reached. */
export const notSent = (why: string): string => `${why} Nothing was recorded: press again later.`;

export const sendingAgain = (why: string, minutes: number): string =>
  `${why} Belay keeps trying for ${minutes} min; you do not need to press again.`;

/** mrkdwn, after a refusal. `who`: mentions of those who may instead. */
export const askThem = (who: string): string => `Ask ${who}.`;

/** mrkdwn, as the next. `to`: a mention. */
export const notHandedOver = (to: string, why: string): string => `Not handed over to ${to}: ${why}.`;

export const handOverPersonUnknown = (to: string): string =>
  `Not handed over: could not look up ${to} in Slack. Try again, or use "belay handover".`;

/** For the audit record, as those below. */
export const auditOtherChannel = (cluster: string, at: { channel: string; own: string }): string =>
  `A command about ${cluster} in channel ${at.channel}; its own is ${at.own}`;

export const auditForeignChannel = (channel: string): string => `A command in channel ${channel}, which Belay does not use`;

export const auditPerson = (why: string): string => `A request in Slack: ${why}`;

export const auditOtherWorkspace = (team: string): string => `A request from another organisation, team ${team}`;

export const auditReplay = (): string => 'A request that was delivered before: a replay, or Slack sending it again';

/** `from`: addresses with their counts. */
export const auditUnsigned = (requestCount: number, seconds: number, from: string): string =>
  `${requestCount === 1 ? '1 request' : `${requestCount} requests`} within ${seconds} s whose signature or time is not Slack's, from ${from}`;
