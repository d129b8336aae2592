/** What the message and the list of equal gates say. mrkdwn: what is given is escaped already. */
import { agree, count } from '../../domain/core/text.ts';

/** `step`: "Node groups → 1.34". */
export const bundleTitle = (step: string, clusterCount: number): string => `${step}: ${count(clusterCount, 'identical gate')}`;

/** Of the message whose gates are no longer decided together. */
export const bundleClosed = (step: string): string => `${step}: no identical gates left`;

export const bundleAsks = (ring: string, clusterCount: number): string =>
  `${count(clusterCount, 'cluster')} of ring *${ring}* ${agree(clusterCount, 'waits', 'wait')} for the same approval. Each keeps its own gate and gets its own vote.`;

/** Once nothing is offered. */
export const bundleOver = (): string => 'Decide what is still open at each run’s own gate.';

/** `verdict`: "clear". `rules`: "approvers 1". `decideBy`: mrkdwn, when the first of them expires. */
export const bundleTerms = (verdict: string, rules: string, decideBy?: string): string =>
  `Evidence: ${verdict} · needs ${rules} at each gate${decideBy === undefined ? '' : ` · decide by ${decideBy}`}`;

export const approveAll = (clusterCount: number): string => `Approve ${clusterCount}`;

export const showList = (): string => 'Show list';

/** Title of the modal: at most 24 characters. */
export const bundleListTitle = (): string => 'Identical gates';

export const readingBundle = (): string => 'Reading the identical gates of the campaign…';

export const pageOf = (page: number, pages: number): string => `Page ${page} of ${pages}`;

export const pageBack = (): string => 'Previous';

export const pageOn = (): string => 'Next';

export const approvalMeans = (clusterCount: number): string =>
  `*Approve* sends one vote to ${agree(clusterCount, 'this run', `each of these ${clusterCount} runs`)}. A run whose evidence or plan has changed since then drops out.`;

export const approving = (doneCount: number, of: number): string => `Sending votes: ${doneCount} of ${of} runs asked.`;

export const sendingVotes = (): string => 'Sending votes…';
