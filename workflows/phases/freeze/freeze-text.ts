/** What the thread says about a freeze and how it stands. */
import type { FreezeState } from '../../../activities/contract/karpenter.ts';
import { type FreezeMean, type FreezeMeans, meanOf } from '../../../domain/policy/freeze-means.ts';
import { duration } from '../../../domain/core/text.ts';

/** What others have done to the freeze, or nobody has. */
export function revertWords({ reverted, lapsed = [] }: FreezeState): string {
  const undone =
    reverted.length === 0
      ? []
      : [`the drift freeze was reverted on ${reverted.join(', ')} (GitOps?). Belay puts it back; stop the other side.`];
  const ended =
    lapsed.length === 0
      ? []
      : [
          `the drift freeze on ${lapsed.join(', ')} had ended by itself, because nobody renewed it in time: Karpenter may have replaced nodes. Belay freezes again.`,
        ];
  return `ALARM: ${[...undone, ...ended].join(' And ')}`;
}

/** How it stands. */
export function frozenWords(pools: readonly string[], means: FreezeMeans): string {
  const by = (wanted: FreezeMean): string => pools.filter((pool) => meanOf(pool, means) === wanted).join(', ');
  const [budgets, expiring, nodes] = [by('budget'), by('self-expiring'), by('node-annotation')];
  return [
    ...(nodes === ''
      ? []
      : [`Drift is frozen on every node of NodePools ${nodes} by annotation, which no GitOps takes back; new nodes are held, too.`]),
    ...(expiring === ''
      ? []
      : [
          `Drift is frozen on NodePools ${expiring} by a budget that ends by itself after ${duration(means.lastsMs ?? 0)} unless Belay renews it.`,
        ]),
    ...(budgets === '' ? [] : [`Drift is frozen on NodePools ${budgets} by a budget.`]),
    'Belay guards it and restores everything exactly.',
  ].join(' ');
}

/** Retry freezes the NodePools that are not frozen yet. */
export const halfFrozen = (why: string): string => `NodePools that are frozen stay frozen, because ${why}. Retry freezes the others.`;

export const notStopped = (problem: string): string =>
  `ALARM: drift could NOT be stopped: ${problem}. Karpenter may go on replacing nodes at its last pace. Belay keeps trying; set the budgets to 0 by hand.`;

export const guardedBy = (guard: string): string => `${guard} guards the freeze from now on`;
