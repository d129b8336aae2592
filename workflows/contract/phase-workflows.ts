/** The workflow of each phase, by the phase's id. */
import type { PhaseId } from '../../domain/core/phases.ts';

/** Workflow types as registered in workflows/index.ts. */
export const PHASE_WORKFLOWS = {
  'pre-checks': 'preChecks',
  'control-plane-logging': 'controlPlaneLogging',
  'karpenter-migration': 'karpenterMigration',
  'karpenter-controller': 'karpenterController',
  istio: 'istio',
  'add-ons-bridge': 'addOnsBridge',
  'freeze-drift': 'freezeDrift',
  'control-plane': 'controlPlane',
  bake: 'bake',
  'node-groups': 'nodeGroups',
  'other-nodes': 'otherNodes',
  'karpenter-drift': 'karpenterDrift',
  'add-ons-target': 'addOnsTarget',
  validation: 'validation',
  'rollback-checks': 'rollbackChecks',
  'add-ons-back': 'addOnsBack',
  'control-plane-back': 'controlPlaneBack',
  'node-classes-back': 'nodeClassesBack',
} as const satisfies Record<PhaseId, string>;
