/** What `belay campaign approve` says beside what came of it. */
import { agree, count } from '../../domain/core/text.ts';

/** `kind`: the beginning of gates' ids. */
export const noEqualGates = (campaign: string, kind: string | undefined): string =>
  `Campaign ${campaign} has no identical gates${kind === undefined ? '' : ` that begin with ${kind}`} to approve now: gates are offered together once two runs of a ring wait for the same approval. "belay campaign status ${campaign}" shows what each cluster waits for.`;

export const equalGates = (bundle: { step: string; ring: string; clusters: readonly string[]; verdict: string; rules: string }): string =>
  `${bundle.step}: ${count(bundle.clusters.length, 'cluster')} of ring ${bundle.ring} (evidence: ${bundle.verdict}; needs ${bundle.rules} at each gate)`;

export const approveAllOf = (gateCount: number): string => `Approve all ${gateCount} gates? [y/N] `;

export const approveNeedsYes = (gateCount: number): string =>
  `${count(gateCount, 'gate')} would be approved, and there is no terminal to ask. Read the list, then repeat the command with --yes.`;

export const votesSent = (doneCount: number, of: number): string => `${doneCount} of ${of} runs asked`;

export const votesMissing = (votedCount: number, gateCount: number): string =>
  `${votedCount} of ${count(gateCount, 'approval')} ${agree(votedCount, 'is', 'are')} recorded; see above what became of the others.`;

export const undoOf = (undo: string): string => `What can be undone: ${undo}`;
