/** A plan while it is drafted. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import type { NodeStrategy, UpgradePolicy } from '../../policy/policy.ts';
import type { Hop } from '../model/hops.ts';
import type { PlannedStep } from '../model/types.ts';
import type { Mesh } from '../istio/mesh.ts';

export interface DraftInput {
  facts: ClusterFacts;
  target: KubernetesVersion;
  strategy: NodeStrategy;
  policy: UpgradePolicy;
  /** ISO 8601 */
  now: string;
}

export interface Draft {
  hops: Hop[];
  steps: PlannedStep[];
  nodeReplacementCount: number;
  /** The mesh when the plan ends. */
  mesh: Mesh;
}
