/** Events of proposed campaigns: that one is due, that it was dismissed, and that nothing could be read. */
import { defined } from '../../core/defined.ts';
import type { KnownProposal } from '../proposals/state.ts';
import { clip, personOf } from './data.ts';
import type { ProposalData, RunEvent } from './event.ts';

const [MOST, TEXT] = [20, 2_000];

/** Of the first event of a proposal. */
export const madeKey = ({ target, proposedAt }: Pick<ProposalData, 'target' | 'proposedAt'>): string =>
  `proposal/${target}/${proposedAt}/made`;

/** Made or, where it was dismissed, that. */
export function proposalEvent(known: KnownProposal): RunEvent {
  const { proposal, proposedAt, dismissed } = known;
  const { target } = proposal;
  const data = { proposal: proposalData(known) };
  return dismissed === undefined
    ? { key: madeKey({ target, proposedAt }), type: 'proposal.made', at: proposedAt, subject: target, data }
    : { key: `proposal/${target}/${proposedAt}/dismissed`, type: 'proposal.dismissed', at: dismissed.at, subject: target, data };
}

/** `text`: why, in one line. */
export const unreadEvent = (text: string, nowIso: string): RunEvent => ({
  key: `proposal/unread/${nowIso}`,
  type: 'proposal.unread',
  at: nowIso,
  data: { unread: { why: clip(text, TEXT) } },
});

function proposalData({ proposal, proposedAt, dismissed }: KnownProposal): ProposalData {
  const { target, from, clusterCount, environments, endOfStandardSupport, endOfExtendedSupport, withinDays, total, campaigns, snippet } =
    proposal;
  return {
    target,
    from,
    clusterCount,
    environments: environments.slice(0, MOST).map(({ name, clusterCount: of }) => ({ name: clip(name), clusterCount: of })),
    ...defined({ endOfStandardSupport, endOfExtendedSupport }),
    withinDays,
    usdWithin: total.usdWithin,
    campaigns: campaigns.slice(0, MOST).map(({ name }) => name),
    ...(snippet === undefined ? {} : { snippet: clip(snippet, TEXT) }),
    proposedAt,
    ...(dismissed === undefined
      ? {}
      : {
          dismissed: {
            by: personOf(dismissed.by),
            at: dismissed.at,
            ...(dismissed.reason === undefined ? {} : { reason: clip(dismissed.reason, TEXT) }),
          },
        }),
  };
}
