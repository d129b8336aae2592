/** Nodes that are to be drained, and what of them is read for it. */
import type { NodeClaim, Pod } from '../../clients/kubernetes/objects.ts';
import type { BlockedNode } from '../../contract/karpenter.ts';

export interface OldNode {
  name: string;
  nodePool: string;
  /** Karpenter has marked the NodeClaim, or removes the node already: from here on somebody may be in its way. */
  drifted: boolean;
  /** Karpenter removes it already. */
  leaving: boolean;
  /** The node itself says karpenter.sh/do-not-disrupt. */
  heldByAnnotation: boolean;
  /** Held by the freeze until its turn comes: nothing is in its way. */
  waits?: boolean;
  claim?: string;
  /**
   * With a terminationGracePeriod Karpenter chooses the node whatever its pods and their budgets say, and deletes what is left when it ends
   * (sigs.k8s.io/karpenter, disruption/types.go, NewCandidate). `after`: "1h". `at`: of one that it removes already, ISO 8601.
   */
  forced?: { after: string; at?: string };
}

/** A node that ends whatever its pods say, and is none of Karpenter's. */
export const leavingNode = (name: string): OldNode => ({ name, nodePool: '', drifted: true, leaving: true, heldByAnnotation: false });

export interface DriftView {
  /** Nodes to replace, without the skipped ones. Nodes that are being drained still count: a drain may hang as well. */
  old: OldNode[];
  /** Drifted NodeClaims whose node is not among the old ones (a new kubelet on a drifted template), without the skipped ones. */
  driftedClaims: { name: string; nodePool: string; node?: string }[];
  /** Nodes at the wanted minor, or of the wanted image. */
  replacedCount: number;
  skippedCount: number;
  /** NodeClaims that have not become nodes yet. */
  starting: NodeClaim[];
  /** Names of all NodeClaims that are not on their way out. */
  claims: ReadonlySet<string>;
  /** Names of all nodes of Karpenter, old and new. */
  known: ReadonlySet<string>;
  /** Nodes that people chose to skip. */
  ignored: ReadonlySet<string>;
}

export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

export interface Hold {
  node: OldNode;
  /** Stays the same as long as the same thing is in the way. */
  key: string;
  reason: string;
  /** Does not go by itself: no pod that starts, and no time that passes, changes it. */
  lasting: boolean;
  pod?: Pod;
  pdb?: NonNullable<BlockedNode['pdb']>;
  /** One replica more of what owns the pod would change nothing. */
  noUseScaling?: true;
  /** The node is gone and a volume is not. */
  gone?: boolean;
}
