/** What was proposed and dismissed, by target: a target is proposed once, and stays dismissed. */
import { actorName, type Actor } from '../../gates/actor.ts';
import { compareKubernetesVersions, tryKubernetesVersion } from '../../core/version.ts';
import type { CampaignProposal, Looked, ProposalFacts } from './proposal.ts';

export interface KnownProposal {
  proposal: CampaignProposal;
  /** ISO 8601 */
  proposedAt: string;
  /** By the last look: clusters wait for it, none does, or it is not known. */
  now: 'due' | 'not-due' | 'unknown';
  dismissed?: { by: Actor; at: string; reason?: string };
}

export interface ProposalsState {
  /** By target, "1.35". */
  known: Record<string, KnownProposal>;
  /** ISO 8601: the last look that read anything. */
  lookedAt?: string;
  last?: Looked;
  /** That nothing could be read was said, and is not said again until something is. */
  unreadSaid?: true;
}

export const NOTHING_PROPOSED: ProposalsState = { known: {} };

/** EKS offers three minors a year: what is older than these is forgotten. */
const MOST_KNOWN = 20;

/** What is due and was never proposed. */
export const newlyDue = ({ known }: ProposalsState, looked: Looked): ProposalFacts[] =>
  looked.kind === 'unread' ? [] : looked.due.filter(({ target }) => known[target] === undefined);

/** `proposals`: of what is newly due. `saysUnread`: nobody has been told yet that nothing can be read. */
export function afterLook(
  state: ProposalsState,
  looked: Looked,
  proposals: readonly CampaignProposal[],
  now: string,
): { state: ProposalsState; saysUnread: boolean } {
  if (looked.kind === 'unread') {
    const known = mapKnown(state.known, (each) => ({ ...each, now: 'unknown' }));
    return { state: { ...state, known, last: looked, unreadSaid: true }, saysUnread: state.unreadSaid !== true };
  }
  const facts = new Map(looked.due.map((each) => [each.target, each]));
  const isPartial = looked.unread.count > 0;
  const seen = mapKnown(state.known, (each) => {
    const found = facts.get(each.proposal.target);
    if (found !== undefined) return { ...each, proposal: { ...each.proposal, ...found }, now: 'due' };
    return { ...each, now: isPartial ? 'unknown' : 'not-due' };
  });
  const added = proposals.map((proposal): [string, KnownProposal] => [proposal.target, { proposal, proposedAt: now, now: 'due' }]);
  const { unreadSaid: _said, ...rest } = state;
  return { state: { ...rest, known: newest({ ...seen, ...Object.fromEntries(added) }), lookedAt: now, last: looked }, saysUnread: false };
}

export type Dismissal = { state: ProposalsState; known: KnownProposal } | { refused: string };

export function dismiss(state: ProposalsState, target: string, by: Actor, at: string, reason?: string): Dismissal {
  const found = Object.hasOwn(state.known, target) ? state.known[target] : undefined;
  if (found === undefined) {
    const names = listOf(state).map(({ proposal }) => proposal.target);
    return {
      refused: `No campaign to ${target.slice(0, 20)} is proposed. ${names.length === 0 ? 'None is.' : `Proposed: ${names.join(', ')}.`}`,
    };
  }
  if (found.dismissed !== undefined)
    return {
      refused: `The campaign to ${target} was dismissed by ${actorName(found.dismissed.by)} on ${found.dismissed.at.slice(0, 10)}.`,
    };
  const known = { ...found, dismissed: { by, at, ...(reason === undefined ? {} : { reason }) } };
  return { state: { ...state, known: { ...state.known, [target]: known } }, known };
}

/** Oldest target first. */
export const listOf = ({ known }: ProposalsState): KnownProposal[] => Object.values(known).toSorted(byTarget);

function byTarget(a: KnownProposal, b: KnownProposal): number {
  const [one, other] = [tryKubernetesVersion(a.proposal.target), tryKubernetesVersion(b.proposal.target)];
  return one === undefined || other === undefined ? 0 : compareKubernetesVersions(one, other);
}

function newest(known: ProposalsState['known']): ProposalsState['known'] {
  const kept = Object.values(known).toSorted(byTarget).slice(-MOST_KNOWN);
  return Object.fromEntries(kept.map((each) => [each.proposal.target, each]));
}

const mapKnown = (known: ProposalsState['known'], change: (each: KnownProposal) => KnownProposal): ProposalsState['known'] =>
  Object.fromEntries(Object.entries(known).map(([target, each]) => [target, change(each)]));
