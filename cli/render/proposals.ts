/** Campaigns that Belay proposes, as text. */
import { actorName } from '../../domain/gates/actor.ts';
import { count } from '../../domain/core/text.ts';
import type { Looked } from '../../domain/run/proposals/proposal.ts';
import { type KnownProposal, listOf } from '../../domain/run/proposals/state.ts';
import type { ProposalsStatus } from '../../client/campaigns/proposals.ts';
import * as words from '../messages/proposals.ts';

export function renderProposals({ state, nextAt, trouble }: ProposalsStatus): string {
  const known = listOf(state);
  return [
    known.length === 0 ? words.nothingProposed() : known.map(knownText).join('\n\n'),
    ...(state.last === undefined ? [words.notLooked()] : [lookText(state.last)]),
    trouble !== undefined ? words.configUnread(trouble) : nextAt === undefined ? words.proposalsAreOff() : words.nextLook(nextAt),
  ].join('\n\n');
}

function knownText({ proposal, proposedAt, now, dismissed }: KnownProposal): string {
  const { target, from, clusterCount, campaigns, snippet, environments } = proposal;
  const where = environments.map(({ name, clusterCount: own }) => `${name} ${own}`).join(', ');
  const head = words.proposedOn({ target, from, clusters: count(clusterCount, 'cluster'), where }, proposedAt.slice(0, 10));
  if (dismissed !== undefined)
    return `${head}\n  ${words.dismissedOn(actorName(dismissed.by), dismissed.at.slice(0, 10), dismissed.reason)}`;
  const lines = [
    ...(now === 'due' ? [] : [words.standing(now)]),
    ...campaigns.map(({ name, plan, why }) =>
      plan === undefined ? words.notPlanned(name, why ?? 'no reason was given') : words.startIt(name, plan.hash),
    ),
    ...(campaigns.length > 0 || snippet === undefined ? [] : [words.addToFile()]),
  ].map((line) => `  ${line}`);
  const code = campaigns.length > 0 || snippet === undefined ? [] : [snippet.trimEnd().replaceAll(/^/gm, '    ')];
  return [head, ...lines, ...code].join('\n');
}

function lookText(looked: Looked): string {
  if (looked.kind === 'unread') return words.readNothing(looked.why.join('; '));
  const { readAt, unread, waiting, campaignsUnread } = looked;
  return [
    words.lookedOn(readAt.slice(0, 10)),
    ...waiting.map(({ target, lacking }) => words.waitsFor(target, lacking.map(({ region }) => region).join(', '))),
    ...(unread.count === 0 ? [] : [words.someUnread(count(unread.count, 'cluster'), unread.why.join('; '))]),
    ...(campaignsUnread === undefined ? [] : [words.openUnread(campaignsUnread)]),
  ].join('\n');
}
