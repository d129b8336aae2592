/** What runs may leave behind, one of each kind. */
import type { Leftover } from '../../domain/run/leftovers.ts';

export function oneOfEach(guard: string): Leftover[] {
  return [
    { kind: 'freeze', guard, pools: ['default'], nodeCount: 2 },
    { kind: 'waves', nodeCount: 2 },
    { kind: 'skipped-node', node: 'ip-10-0-1-1' },
    { kind: 'cordoned-node', node: 'ip-10-0-1-2' },
    { kind: 'ami-hold', nodeClass: 'default' },
    { kind: 'autoscaler', namespace: 'kube-system', name: 'cluster-autoscaler', before: '2' },
    { kind: 'fargate', workloads: ['Deployment batch/worker'] },
    { kind: 'scaled', workload: 'Deployment', namespace: 'shop', name: 'cart', before: '1' },
    { kind: 'istiod', namespace: 'istio-system', autoscaler: 'istiod', deployment: 'istiod', before: '1' },
    { kind: 'lifecycle-hook', group: 'batch' },
    { kind: 'for-people', resource: 'ec2nodeclasses/default', mark: 'belay.dev/ami-move-before' },
  ];
}
