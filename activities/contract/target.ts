/** What inputs of activities have in common. */
import type { Timing } from '../../domain/policy/policy.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

/** Common to all inputs that touch a cluster. */
export interface Target {
  cluster: ClusterRef;
}

/** For activities that loop: the poll settings of the run. */
export interface Waiting {
  timing: Timing;
}
