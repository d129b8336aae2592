/** What is said of campaigns that Belay proposes. mrkdwn: what is given is escaped already. */
import { count } from '../../domain/core/text.ts';

export const proposalTitle = (target: string, clusterCount: number): string =>
  `Proposed campaign: ${count(clusterCount, 'cluster')} to ${target}`;

export const proposalDismissedTitle = (target: string): string => `Dismissed: campaign to ${target}`;

/** `standard`, `extended`: ISO dates until which EKS supports the minor. */
export const supportEnds = (from: string, standard: string | undefined, extended: string | undefined): string =>
  standard === undefined
    ? `The support dates of ${from} are not known.`
    : `Standard support of ${from} ends on *${standard}*${extended === undefined ? '' : `, extended support on ${extended}`}.`;

export const awsUpgradesThem = (forcedCount: number, standard: string | undefined): string =>
  `AWS upgrades ${count(forcedCount, 'cluster')} by itself ${standard === undefined ? 'at the end of standard support' : `from ${standard} on`} (upgrade policy STANDARD).`;

export const inEnvironment = (name: string, clusterCount: number): string => `*${name}*: ${count(clusterCount, 'cluster')}`;

/** `usd`: over all accounts. */
export const waitingCosts = (days: number, usd: string): string => `Waiting ${days} days costs *${usd}*:`;

export const waitingCostsNothing = (days: number): string => `Waiting ${days} days costs nothing.`;

/** `unknownCount`: their cost is not known, and in no sum. */
export const accountCosts = (account: string, usd: string, unknownCount: number): string =>
  `account ${account}: ${usd}${unknownCount === 0 ? '' : `, without ${count(unknownCount, 'cluster')} whose cost is not known`}`;

export const notOfferedIn = (place: string, clusterCount: number): string =>
  `Not offered in ${place} yet: ${count(clusterCount, 'cluster')} would wait.`;

export const offersUnknownIn = (place: string, clusterCount: number): string =>
  `Could not read whether EKS offers it in ${place}: ${count(clusterCount, 'cluster')} not counted.`;

/** `why`: the first few reasons. */
export const clustersUnread = (unreadCount: number, why: string): string =>
  `${count(unreadCount, 'cluster')} could not be read (${why}) and may be due as well.`;

/** A campaign of belay.yaml, as it is planned now. */
export const campaignInFile = (name: string, plan: { hash: string; ringCount: number; clusterCount: number }): string =>
  `Campaign *${name}* in belay.yaml: ${count(plan.clusterCount, 'cluster')} in ${count(plan.ringCount, 'ring')}, plan ${plan.hash}. Start it with \`belay campaign start ${name}\`.`;

export const campaignUnplanned = (name: string, why: string): string => `Campaign *${name}* in belay.yaml cannot be planned: ${why}`;

export const noCampaignInFile = (target: string): string => `No campaign in belay.yaml has target ${target}. Add one, for example:`;

export const startsNothing = (): string =>
  'Nothing starts before the gate of the first ring is approved. A dismissed version is not proposed again.';

export const dismissTitle = (target: string): string => `Dismiss ${target}?`;

export const dismissMeans = (target: string): string => `Belay does not propose ${target} again. A campaign to it can still be started.`;

export const dismissedBy = (person: string, at: string, reason: string | undefined): string =>
  `Dismissed by ${person}, ${at}${reason === undefined ? '' : `: ${reason}`}. It is not proposed again.`;

export const howToStart = (target: string): string =>
  `To start a campaign to ${target}: add it to the worker's belay.yaml (no restart needed), check it with \`/eks-upgrade campaign plan NAME\`, then \`/eks-upgrade campaign start NAME\`. It waits at the gate of its first ring.`;

export const moreLines = (moreCount: number): string => `and ${moreCount} more`;
