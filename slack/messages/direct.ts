/** Direct messages to approvers who asked for them. mrkdwn: what is given is escaped already. Times are Slack's date tokens. */

/** Buttons. */
export const messageMeLabel = (): string => 'Message me when a gate waits for me';
export const stopMessagingLabel = (): string => 'Stop messaging me';

/** The message by which it is known who asked: its button stops it. */
export const subscribed = (person: string): string =>
  `🔔 ${person}: you get a direct message when a gate waits for you. Belay recognizes you by this message and its reaction, so keep both.`;

export const unsubscribed = (): string => '🔕 You no longer get direct messages about gates. You can turn them on again on the App Home.';

/** What the command answers. */
export const messagesOn = (): string =>
  'You get a direct message when a gate waits for you. This can take up to two minutes to take effect.';
export const messagesOff = (): string => 'You get no direct messages about gates. This can take up to two minutes to take effect.';
export const messagesNotChanged = (why: string): string => `Could not change your direct messages: ${why}`;

/** `scopes`: at least one. */
export const directScopesMissing = (scopes: readonly string[]): string =>
  `Direct messages about gates are off: the Slack app lacks ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(', ')}. Install it again from slack/manifest.yaml.`;

/** `why`: a sentence. */
export const directStateUnread = (why: string): string => `Could not read whether you get direct messages: ${why}`;

export const gateWaitsForYou = (cluster: string, title: string): string => `⏳ *${cluster}*: ${title}`;

/** `people`: mentions. */
export const whoMayDecide = (people: string): string => `May decide: ${people}`;

/** Of the log. `failedCount`: since it was logged last. */
export const directNotSent = (why: string, failedCount: number): string =>
  `direct messages about gates: ${failedCount} not sent or edited; ${why.replace(/\.$/, '')}. The gates' own messages are not affected`;
