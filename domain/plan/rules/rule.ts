/** What a rule is: a named constraint that a plan must keep, with the way out for whoever breaks it. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { Moment } from '../state/replay.ts';
import type { UpgradePlan } from '../model/types.ts';

export interface RuleContext {
  facts: ClusterFacts;
  /** As it was asked for. */
  target: string;
  /** undefined: no plan could be drawn; rules about the request and the cluster still hold. */
  plan?: UpgradePlan;
  /** The plan on paper, step by step; empty without a plan. */
  moments: readonly Moment[];
}

/** One breach. `remedy` replaces the rule's own where more is known. */
export interface Breach {
  message: string;
  remedy?: string;
}

export interface Rule {
  /** Stable name, shown to people. */
  name: string;
  /** The constraint, one sentence. */
  text: string;
  remedy: string;
  check(context: RuleContext): Breach[];
}

/** Moments at which a control plane moves. */
export function controlPlaneMoments(context: RuleContext): Moment[] {
  return context.moments.filter((moment) => moment.step.phase === 'control-plane');
}
