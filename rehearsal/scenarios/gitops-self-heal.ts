/** Argo CD heals the NodePool within seconds: a freeze by budgets would be put back over and over, so nodes are held one by one. */
import { addRoll, rollScenario } from './parts/roll-parts.ts';

export const gitopsSelfHeal = rollScenario({
  name: 'gitops-self-heal',
  title: 'A NodePool that Argo CD heals, 1.31 → 1.32',
  description:
    'Argo CD with self-heal owns the NodePool, and would put every change of its budgets back. Nodes are held by annotation instead, and let go at the pace of the plan; the NodePool is never touched.',
  build: (world) =>
    addRoll(world, {
      nodes: 6,
      // In Git it says that Karpenter may replace three at a time: what holds and paces it is Belay.
      budgets: [{ nodes: '3' }],
      argocd: true,
      apps: [{ namespace: 'shop', name: 'web', replicas: 6, cpu: '2', budget: { maxUnavailable: 2 } }],
    }),
});

/** The same cluster without anybody who heals it, frozen by an entry that ends by itself. */
export const selfExpiringFreeze = rollScenario({
  name: 'self-expiring-freeze',
  title: 'A freeze that ends by itself, 1.31 → 1.32',
  description:
    'Drift is frozen by a budget with a schedule and a duration: if Belay were dead for a day, the freeze would end without it. The guard renews it as long as it lasts.',
  karpenter: { freezeBy: 'self-expiring' },
  build: (world) =>
    addRoll(world, {
      nodes: 3,
      budgets: [{ nodes: '1' }],
      apps: [{ namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } }],
    }),
});
