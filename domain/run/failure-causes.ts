/** Why a step failed, by codes of the failure table, and what people may therefore choose. */
import { adviceOn } from '../tables/failures.ts';
import type { FailureAdvice, FailureChoice, FailureScope } from '../tables/failure-advice.ts';

export interface FailureCause {
  scope: FailureScope;
  code: string;
  /** What it is about. */
  resource?: { kind: 'cluster' | 'node-group' | 'add-on'; name: string };
  /** Belay makes the change itself, so it can make it in another way. */
  own?: boolean;
}

/** How the next round of a step differs; names of node groups, add-ons, or the cluster. */
export interface RetryMode {
  /** Sent with `force`. */
  force?: string[];
  /** Sent with `resolveConflicts: OVERWRITE`. */
  overwrite?: string[];
}

/** Resources for which EKS takes `force`, and those for which it takes `resolveConflicts`. */
const TAKES: Partial<Record<FailureChoice, readonly string[]>> = {
  force: ['node-group', 'cluster'],
  preserve: ['add-on'],
  overwrite: ['add-on'],
};

export interface KnownCause extends FailureCause {
  advice: FailureAdvice;
}

/** Those that the table knows, each of a resource once. */
export function knownCauses(causes: readonly FailureCause[]): KnownCause[] {
  const seen = new Set<string>();
  return causes.flatMap((cause) => {
    const advice = adviceOn(cause);
    const key = `${cause.scope}/${cause.code}/${cause.resource?.name ?? ''}`;
    if (advice === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ ...cause, advice }];
  });
}

function can(choice: FailureChoice, { resource, own }: FailureCause): boolean {
  const kinds = TAKES[choice];
  return kinds === undefined || (own === true && resource !== undefined && kinds.includes(resource.kind));
}

/** Names of the resources that failed so that this choice can help, e.g. the node groups to force. */
export function helpedBy(choice: FailureChoice, causes: readonly FailureCause[]): string[] {
  const helped = knownCauses(causes).filter((cause) => cause.advice.choices.includes(choice) && can(choice, cause));
  return [...new Set(helped.flatMap(({ resource }) => (resource === undefined ? [] : [resource.name])))];
}

/**
 * What is offered, the first suggested. Several causes: what any of them offers, but Skip only where none forbids it.
 * There is always a way to go on by trying again.
 */
export function choicesFor(causes: readonly FailureCause[]): FailureChoice[] {
  const known = knownCauses(causes);
  const offered = known.flatMap((cause) => cause.advice.choices.filter((choice) => can(choice, cause)));
  const ways = [...new Set(offered)].filter((choice) => choice !== 'skip' && choice !== 'abort');
  // One way to run the step again as it is: mending comes first where something has to be mended.
  const same = ways.includes('fixed') ? 'fixed' : ways.includes('preserve') ? 'preserve' : 'retry';
  const others = ways.filter((choice) => choice === 'force' || choice === 'overwrite');
  const skips = known.every(({ advice }) => advice.choices.includes('skip'));
  return [same, ...others, ...(skips ? (['skip'] as const) : []), 'abort'];
}
