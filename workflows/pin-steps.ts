/**
 * For workers with versions alone: a step stays on the version that began it, hours at most; runs, guards, clocks and requests outlive releases and move on
 * to the Current one. Only their bundle has this file, because the server refuses every task of a worker without versions that names a behaviour.
 */
import { setWorkflowOptions } from '@temporalio/workflow';
import { bake } from './phases/checks/bake.ts';
import { preChecks } from './phases/checks/pre-checks.ts';
import { validation } from './phases/checks/validation.ts';
import { karpenterDrift } from './phases/drift/karpenter-drift.ts';
import { nodeClassesBack } from './phases/drift/node-classes-back.ts';
import { addOnsBack, addOnsBridge, addOnsTarget } from './phases/eks/add-ons.ts';
import { controlPlaneBack, rollbackChecks } from './phases/eks/control-plane-back.ts';
import { controlPlaneLogging } from './phases/eks/control-plane-logging.ts';
import { controlPlane } from './phases/eks/control-plane.ts';
import { istio } from './phases/istio/istio.ts';
import { karpenterMigration } from './phases/karpenter-migration/karpenter-migration.ts';
import { karpenterController } from './phases/karpenter/karpenter-controller.ts';
import { nodeGroups } from './phases/nodes/node-groups.ts';
import { otherNodes } from './phases/nodes/other-nodes.ts';

/** Not freezeDrift: it guards a freeze for as long as that lasts, weeks if need be. */
const STEPS = [
  addOnsBack,
  addOnsBridge,
  addOnsTarget,
  bake,
  controlPlane,
  controlPlaneBack,
  controlPlaneLogging,
  istio,
  karpenterController,
  karpenterDrift,
  karpenterMigration,
  nodeClassesBack,
  nodeGroups,
  otherNodes,
  preChecks,
  rollbackChecks,
  validation,
];

for (const step of STEPS) setWorkflowOptions({ versioningBehavior: 'PINNED' }, step);
