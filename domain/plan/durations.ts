/** How long steps are expected to take. From reports of real upgrades, not promises: the board shows them beside the elapsed time. */
import type { StepParams } from './types.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Expected milliseconds of a step. */
export function expectedMs(params: StepParams): number {
  switch (params.phase) {
    case 'pre-checks':
      return 2 * MINUTE_MS;
    case 'karpenter-controller':
      return 2 * MINUTE_MS;
    case 'istio':
      return params.canaries.reduce((sum, canary) => sum + 5 * MINUTE_MS + canary.waves.length * 3 * MINUTE_MS, 0);
    case 'add-ons-bridge':
    case 'add-ons-target':
      return params.changes.length * 2 * MINUTE_MS;
    case 'freeze-drift':
      return 10 * SECOND_MS;
    case 'control-plane':
      return 10 * MINUTE_MS;
    case 'bake':
      return params.bakeMs;
    case 'node-groups':
      // Groups are moved side by side.
      return 10 * MINUTE_MS;
    case 'karpenter-drift':
      return Math.max(MINUTE_MS, params.nodeCount * 40 * SECOND_MS);
    case 'validation':
      return MINUTE_MS;
  }
}
