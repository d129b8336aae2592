/** What a run that was ended from outside has left behind, as its marks on the objects tell, and what becomes of it. */
import { agree, count, someOf } from '../core/text.ts';
import type { MergeFinding } from './record/merge-finding.ts';

/** Each names what its restoring needs. `before`: what the mark says. */
export type Leftover =
  /** NodePools and Nodes frozen by this guard. */
  | { kind: 'freeze'; guard: string; pools: string[]; nodeCount: number }
  | { kind: 'waves'; nodeCount: number }
  | { kind: 'skipped-node'; node: string }
  | { kind: 'cordoned-node'; node: string }
  | { kind: 'ami-hold'; nodeClass: string }
  | { kind: 'autoscaler'; namespace: string; name: string; before: string }
  | { kind: 'scaled'; workload: 'Deployment' | 'StatefulSet'; namespace: string; name: string; before: string }
  /** Stopped on Fargate while a control plane goes back. */
  | { kind: 'fargate'; workloads: string[] }
  | { kind: 'istiod'; namespace: string; autoscaler: string; deployment: string; before: string }
  | { kind: 'lifecycle-hook'; group: string }
  /** A change that was wanted, or one that only its plan knows how to take back: people look. */
  | { kind: 'for-people'; resource: string; mark: string };

/** Something that could not be looked at. */
export interface Unseen {
  what: string;
  why: string;
}

/** What became of one, or what would. */
export interface Reconciled {
  /** "NodePool default and 3 nodes, frozen" */
  what: string;
  outcome: 'to-restore' | 'restored' | 'left';
  /** Why it was left, or what was restored only in part. */
  why?: string;
}

export const RECONCILED_WORDS: Record<Reconciled['outcome'], string> = {
  'to-restore': 'would restore',
  restored: 'restored',
  left: 'LEFT',
};

export interface ReconcileReport {
  /** false: a look, nothing was changed. */
  applied: boolean;
  items: Reconciled[];
  unseen: Unseen[];
  /** Whether what the last run has changed in the cluster stands in code, too; absent: nothing of the kind. */
  merges?: MergeFinding[];
  /** Why nothing was done: who asked may not. */
  refused?: string;
}

/** Those that keep Karpenter from replacing nodes: without them it goes on with what it has waited for. */
export function holdsNodes({ kind }: Leftover): boolean {
  return kind === 'freeze' || kind === 'waves' || kind === 'skipped-node' || kind === 'ami-hold';
}

export function leftoverWords(leftover: Leftover): string {
  switch (leftover.kind) {
    case 'freeze': {
      const pools =
        leftover.pools.length === 0 ? [] : [`${agree(leftover.pools.length, 'NodePool', 'NodePools')} ${leftover.pools.join(', ')}`];
      const nodes = leftover.nodeCount === 0 ? [] : [count(leftover.nodeCount, 'node')];
      return `${[...pools, ...nodes].join(' and ')}, frozen by ${leftover.guard}`;
    }
    case 'waves':
      return `${count(leftover.nodeCount, 'node')}, held for a later wave`;
    case 'skipped-node':
      return `Node ${leftover.node}, held because people skipped it`;
    case 'cordoned-node':
      return `Node ${leftover.node}, cordoned before a pod on it was deleted`;
    case 'ami-hold':
      return `EC2NodeClass ${leftover.nodeClass}, pinned to the AMIs that its nodes run`;
    case 'autoscaler':
      return `Cluster Autoscaler ${leftover.namespace}/${leftover.name}, paused (spec.replicas was ${leftover.before})`;
    case 'scaled':
      return `${leftover.workload} ${leftover.namespace}/${leftover.name}, scaled by Belay (spec.replicas was ${leftover.before})`;
    case 'fargate':
      return `${someOf(leftover.workloads)}, scaled to 0 while the control plane goes back`;
    case 'istiod':
      return `HorizontalPodAutoscaler ${leftover.namespace}/${leftover.autoscaler}, raised for a second istiod (minReplicas was ${leftover.before})`;
    case 'lifecycle-hook':
      return `Auto Scaling group ${leftover.group}, with lifecycle hook belay-drain`;
    case 'for-people':
      return `${leftover.resource}, with the before-image ${leftover.mark}`;
  }
}
