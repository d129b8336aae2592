/** What the steps of a rollback are made from. */
import type { Hop } from '../model/hops.ts';
import type { ClusterFacts, NodeGroupFact } from '../../facts/facts.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import type { RollbackWindow } from '../../facts/rollback-window.ts';
import type { AddOnChange } from '../model/changes.ts';
import type { KarpenterBack } from './karpenter.ts';
import type { FargateStop } from './fargate.ts';

export interface RollbackStepsInput {
  /** From where the control plane is, to the minor that it came from. */
  hop: Hop;
  facts: ClusterFacts;
  policy: UpgradePolicy;
  window: RollbackWindow;
  groups: readonly NodeGroupFact[];
  changes: AddOnChange[];
  /** Absent: nothing has to be done about its nodes. */
  karpenter?: KarpenterBack;
  /** What the control plane's step stops there; absent: nothing. */
  fargate?: FargateStop;
}
