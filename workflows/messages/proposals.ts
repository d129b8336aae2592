/** What the look for campaigns that are due says: to whoever steers it, in Slack where nothing could be read, and in Temporal UI. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import { count, someOf, utcMinute } from '../../domain/core/text.ts';
import type { Looked, PlaceCount } from '../../domain/run/proposals/proposal.ts';
import { type KnownProposal, listOf, type ProposalsState } from '../../domain/run/proposals/state.ts';
import { type Note, warning } from './note.ts';

export const proposalsOff = (): string => 'Proposals are off: write proposals in belay.yaml, then restart the worker.';
export const proposalsUnconfigured = (why: string): string => `belay.yaml cannot be read, so nothing was changed: ${why}`;
export const looking = (): string =>
  'Belay looks at all clusters now. A new proposal is posted in Slack; "belay campaign proposals" lists all.';
export const proposalDismissed = (target: string): string => `Dismissed: Belay proposes no campaign to ${target} again.`;
export const whichTarget = (): string => 'Name the version whose proposal is dismissed, such as 1.35.';

/** Said once, in the channel. */
export const nothingRead = (why: readonly string[]): Note =>
  warning(
    `Belay could not read what it needs to know whether a campaign is due: ${why.join('; ')}. It looks again as planned, and says this once. "belay doctor" shows what is missing.`,
  );

/** Current details in Temporal UI, as Markdown. */
export function proposalsDetails(state: ProposalsState, nextAt: string | undefined, trouble: string | undefined): string {
  const when = nextAt === undefined ? 'Proposals are off in belay.yaml.' : `The next look is at ${utcMinute(nextAt)}.`;
  return [
    trouble === undefined ? when : `belay.yaml cannot be read: ${trouble}. It is tried again every hour.`,
    state.last === undefined ? 'Nothing was looked at yet.' : lookedText(state.last),
    listOf(state)
      .map((known) => `- ${knownText(known)}`)
      .join('\n'),
  ]
    .filter((each) => each !== '')
    .join('\n\n');
}

/** What the last look came to, in sentences. */
export function lookedText(looked: Looked): string {
  if (looked.kind === 'unread') return `The last look could read nothing: ${looked.why.join('; ')}.`;
  const { due, waiting, unread, underWayCount, campaignsUnread, readAt } = looked;
  return [
    `Looked on ${readAt.slice(0, 10)}: ${due.length === 0 ? 'no campaign is due' : due.map(({ target, clusterCount }) => `${target} is due for ${count(clusterCount, 'cluster')}`).join(', ')}.`,
    ...waiting.map(({ target, lacking }) => `${target} waits: EKS does not offer it in ${placesText(lacking)} yet.`),
    ...(underWayCount === undefined ? [] : [`${count(underWayCount, 'cluster')} ${underWayCount === 1 ? 'is' : 'are'} in open campaigns.`]),
    ...(unread.count === 0 ? [] : [`Not read: ${count(unread.count, 'cluster')} (${unread.why.join('; ')}). They may be due as well.`]),
    ...(campaignsUnread === undefined ? [] : [`Which campaigns are open is not known: ${campaignsUnread}.`]),
  ].join(' ');
}

/** "1.35: proposed on 2026-11-30 for 12 clusters at 1.34; dismissed by sam on 2026-12-01 (after Christmas)" */
export function knownText({ proposal, proposedAt, now, dismissed }: KnownProposal): string {
  const { target, from, clusterCount } = proposal;
  const proposed = `${target}: proposed on ${proposedAt.slice(0, 10)} for ${count(clusterCount, 'cluster')} at ${from}`;
  if (dismissed !== undefined) {
    const why = dismissed.reason === undefined ? '' : ` (${dismissed.reason})`;
    return `${proposed}; dismissed by ${actorName(dismissed.by)} on ${dismissed.at.slice(0, 10)}${why}`;
  }
  return `${proposed}${{ due: '', 'not-due': '; by the last look nothing waits for it', unknown: '; not all clusters could be read at the last look' }[now]}`;
}

const placesText = (places: readonly PlaceCount[]): string =>
  someOf(
    places.map(({ account, region }) => `${region} (${account})`),
    3,
  );

export const dismissedBy = (by: Actor, target: string): string => `${actorName(by)} dismissed the campaign to ${target}`;
