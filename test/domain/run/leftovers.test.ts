/** What a run has left behind, as people read it. */
import { expect, test } from 'vitest';
import { type Leftover, leftoverWords } from '../../../domain/run/leftovers.ts';

const freeze = (pools: string[], nodeCount: number): Leftover => ({ kind: 'freeze', guard: 'eks-upgrade/1', pools, nodeCount });
const web = { namespace: 'shop', name: 'web' };

test.each<[Leftover, string]>([
  [freeze(['default', 'batch'], 3), 'NodePools default, batch and 3 nodes, frozen by eks-upgrade/1'],
  [freeze(['default'], 0), 'NodePool default, frozen by eks-upgrade/1'],
  [freeze([], 1), '1 node, frozen by eks-upgrade/1'],
  [{ kind: 'waves', nodeCount: 2 }, '2 nodes, held for a later wave'],
  [{ kind: 'skipped-node', node: 'ip-1' }, 'Node ip-1, held because people skipped it'],
  [{ kind: 'cordoned-node', node: 'ip-1' }, 'Node ip-1, cordoned before a pod on it was deleted'],
  [{ kind: 'ami-hold', nodeClass: 'default' }, 'EC2NodeClass default, pinned to the AMIs that its nodes run'],
  [{ kind: 'autoscaler', ...web, before: '1' }, 'Cluster Autoscaler shop/web, paused (spec.replicas was 1)'],
  [{ kind: 'scaled', workload: 'StatefulSet', ...web, before: '2' }, 'StatefulSet shop/web, scaled by Belay (spec.replicas was 2)'],
  [{ kind: 'fargate', workloads: ['shop/web'] }, 'shop/web, scaled to 0 while the control plane goes back'],
  [{ kind: 'lifecycle-hook', group: 'asg-1' }, 'Auto Scaling group asg-1, with lifecycle hook belay-drain'],
  [
    { kind: 'for-people', resource: 'Deployment shop/web', mark: 'belay.dev/before' },
    'Deployment shop/web, with the before-image belay.dev/before',
  ],
])('%j', (leftover, words) => {
  expect(leftoverWords(leftover)).toBe(words);
});
