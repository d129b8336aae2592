/** Registers every workflow; nothing else. */
export { addOnsBridge, addOnsTarget } from './phases/add-ons.ts';
export { bake } from './phases/bake.ts';
export { controlPlane } from './phases/control-plane.ts';
export { controlPlaneLogging } from './phases/control-plane-logging.ts';
export { freezeDrift } from './phases/freeze-drift.ts';
export { istio } from './phases/istio.ts';
export { karpenterMigration } from './phases/karpenter-migration.ts';
export { karpenterController } from './phases/karpenter-controller.ts';
export { karpenterDrift } from './phases/karpenter-drift.ts';
export { nodeGroups } from './phases/node-groups.ts';
export { otherNodes } from './phases/other-nodes.ts';
export { preChecks } from './phases/pre-checks.ts';
export { validation } from './phases/validation.ts';
export { checkCluster } from './check-cluster.ts';
export { planUpgrade } from './plan-upgrade.ts';
export { recordRefusals } from './record-refusals.ts';
export { tellLater } from './tell-later.ts';
export { upgradeCluster } from './upgrade-cluster.ts';
