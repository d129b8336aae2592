/** Six nodes over three zones, zone by zone, with a gate between: the first zone shows whether the others may follow. */
import { addRoll, rollScenario } from '../parts/roll-parts.ts';

export const rollWaves = rollScenario({
  name: 'roll-waves',
  title: 'Nodes zone by zone, 1.31 → 1.32',
  description: 'Six Karpenter nodes roll in three waves; nodes of later zones are held by annotation, and people decide between zones.',
  karpenter: { waves: { by: 'zone', gate: true } },
  build: (world) =>
    addRoll(world, {
      nodes: 6,
      budgets: [{ nodes: '2' }],
      apps: [{ namespace: 'shop', name: 'web', replicas: 6, cpu: '2', budget: { maxUnavailable: 2 } }],
    }),
});
