/** Accidents of a node roll, each as a good operator would end it. */
import { addRoll, rollScenario } from './parts/roll-parts.ts';

const WEB = { namespace: 'shop', name: 'web', replicas: 3, budget: { maxUnavailable: 1 } };

/** `budgets: []` means no limit at all: without a freeze Karpenter would replace every node at once. */
export const noBudgets = rollScenario({
  name: 'accident-no-budgets',
  title: 'Budgets set to [], 1.31 → 1.32',
  description:
    'Somebody has emptied the list of budgets, which means no limit. The freeze holds, the pace is the plan’s, and the list is empty again after it.',
  build: (world) => addRoll(world, { nodes: 3, budgets: [], apps: [WEB] }),
});

export const selfHeal = rollScenario({
  name: 'accident-self-heal',
  title: 'GitOps against the freeze, 1.31 → 1.32',
  description:
    'GitOps puts the budgets back while the control plane moves. The guard sees it, says so, and freezes again before a node goes.',
  faults: ['kubernetes:gitops-reverts'],
  build: (world) => addRoll(world, { nodes: 3, budgets: [{ nodes: '1' }], apps: [WEB] }),
});

export const budgetOfOne = rollScenario({
  name: 'accident-budget-of-one',
  title: 'A budget of one on one replica, 1.31 → 1.32',
  description:
    'A service of one replica whose budget lets none go holds its node. People scale it by one; the replica goes back when the nodes are through.',
  build: (world) =>
    addRoll(world, {
      nodes: 3,
      budgets: [{ nodes: '1' }],
      apps: [WEB, { namespace: 'shop', name: 'ledger', replicas: 1, budget: { minAvailable: 1 }, labels: { team: 'payments' } }],
    }),
});

export const multiAttach = rollScenario({
  name: 'accident-multi-attach',
  title: 'A volume that does not let go, 1.31 → 1.32',
  description:
    'A volume stays attached to a node that is gone, and its pod waits elsewhere. It is named with what to do, and the roll continues when it is free.',
  faults: ['volume:multi-attach=4h@karpenter-drift'],
  // Without a budget nothing waits for the pod: its node goes before the others, and the volume does not.
  build: (world) =>
    addRoll(world, { nodes: 6, budgets: [{ nodes: '1' }], apps: [{ namespace: 'shop', name: 'web', replicas: 6, cpu: '2' }] }),
});

export const spotRole = rollScenario({
  name: 'accident-spot-role',
  title: 'The service-linked role of Spot is missing, 1.31 → 1.32',
  description:
    'No Spot instance can be launched. The roll stops by itself, names the role that is missing and the command that makes it; Retry goes on after it.',
  faults: ['karpenter:spot-role-missing=20m@karpenter-drift'],
  build: (world) => addRoll(world, { nodes: 3, budgets: [{ nodes: '1' }], apps: [WEB] }),
});
