/** What the cluster itself says while steps run: a volume that does not let go, nodes that never become Ready. */
import { addRoll, rollScenario } from './parts/roll-parts.ts';
import { small } from './small.ts';

export const volumeHeld = rollScenario({
  name: 'multi-attach',
  title: 'A volume stays attached elsewhere while the control plane moves, 1.31 → 1.32',
  description:
    'A pod waits for a volume that another node holds. The thread says so once, the next gate shows it, and the thread says when it is over.',
  faults: ['volume:multi-attach=2h@control-plane'],
  build: (world) => addRoll(world, { nodes: 3, budgets: [{ nodes: '1' }], apps: [{ namespace: 'shop', name: 'web', replicas: 3 }] }),
});

export const nodeNeverReady = rollScenario({
  name: 'node-never-ready',
  title: 'New nodes of a node group never become Ready, 1.31 → 1.32',
  description: 'The thread names the node group minutes before EKS gives the update up. People try again, and it is over.',
  faults: ['node:never-ready'],
  build: (world) => small.build(world),
});
