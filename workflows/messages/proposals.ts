/** What the check for due campaigns says: to whoever steers it, in Slack where nothing could be read, and in Temporal UI. */
import { actorName, type Actor } from '../../domain/gates/actor.ts';
import { count, someOf, utcMinute } from '../../domain/core/text.ts';
import type { Looked, PlaceCount } from '../../domain/run/proposals/proposal.ts';
import { type KnownProposal, listOf, type ProposalsState } from '../../domain/run/proposals/state.ts';
import { type Note, warning } from './note.ts';

export const proposalsOff = (): string => 'Proposals are off: write proposals in belay.yaml, then restart the worker.';
export const proposalsUnconfigured = (why: string): string => `Could not read belay.yaml, so nothing was changed: ${why}`;
export const looking = (): string =>
  'Belay is checking all clusters now. It posts a new proposal in Slack; "belay campaign proposals" lists all of them.';
export const proposalDismissed = (target: string): string => `Dismissed: Belay proposes no campaign to ${target} again.`;
export const whichTarget = (): string => 'Which proposal? Name the version to dismiss, such as 1.35.';

/** Said once, in the channel. */
export const nothingRead = (why: readonly string[]): Note =>
  warning(
    `Belay could not read what it needs to know whether a campaign is due: ${why.join('; ')}. It checks again at the usual times, but does not repeat this message. "belay doctor" shows what is missing.`,
  );

/** Current details in Temporal UI, as Markdown. */
export function proposalsDetails(state: ProposalsState, nextAt: string | undefined, trouble: string | undefined): string {
  const when = nextAt === undefined ? 'Proposals are off in belay.yaml.' : `Next check: ${utcMinute(nextAt)}.`;
  return [
    trouble === undefined ? when : `Could not read belay.yaml: ${trouble}. Belay retries every hour.`,
    state.last === undefined ? 'Belay has not checked yet.' : lookedText(state.last),
    listOf(state)
      .map((known) => `- ${knownText(known)}`)
      .join('\n'),
  ]
    .filter((each) => each !== '')
    .join('\n\n');
}

/** What the last look came to, in sentences. */
export function lookedText(looked: Looked): string {
  if (looked.kind === 'unread') return `The last check could not read anything: ${looked.why.join('; ')}.`;
  const { due, waiting, unread, underWayCount, campaignsUnread, readAt } = looked;
  return [
    `Checked on ${readAt.slice(0, 10)}: ${due.length === 0 ? 'no campaign is due' : due.map(({ target, clusterCount }) => `${target} is due for ${count(clusterCount, 'cluster')}`).join(', ')}.`,
    ...waiting.map(({ target, lacking }) => `${target} waits: EKS does not offer it in ${placesText(lacking)} yet.`),
    ...(underWayCount === undefined ? [] : [`${count(underWayCount, 'cluster')} ${underWayCount === 1 ? 'is' : 'are'} in open campaigns.`]),
    ...(unread.count === 0
      ? []
      : [`Could not read ${count(unread.count, 'cluster')} (${unread.why.join('; ')}), which may be due as well.`]),
    ...(campaignsUnread === undefined ? [] : [`Could not read which campaigns are open: ${campaignsUnread}.`]),
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
  return `${proposed}${{ due: '', 'not-due': '; no longer due at the last check', unknown: '; not all clusters could be read at the last check' }[now]}`;
}

const placesText = (places: readonly PlaceCount[]): string =>
  someOf(
    places.map(({ account, region }) => `${region} (${account})`),
    3,
  );

export const dismissedBy = (by: Actor, target: string): string => `${actorName(by)} dismissed the campaign to ${target}`;
