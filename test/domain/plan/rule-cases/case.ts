/** A case that breaks one rule, and short ways to clusters for it. */
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import type { RuleViolation } from '../../../../domain/plan/model/types.ts';
import { healthyFacts } from '../../../support/facts.ts';

export interface RuleCase {
  rule: string;
  title: string;
  found: () => RuleViolation[];
  /** Whole texts: message, then remedy. */
  expected: [string, string][];
}

export const healthy = healthyFacts();

export function withKarpenter(version: string): ClusterFacts {
  return { ...healthy, karpenter: healthy.karpenter && { ...healthy.karpenter, version } };
}

/** A cluster at this version without nodes and add-ons. */
export function at(version: string, change: Partial<ClusterFacts>): ClusterFacts {
  return { ...healthy, controlPlane: { ...healthy.controlPlane, version }, nodeGroups: [], addOns: [], kubelets: [], ...change };
}
