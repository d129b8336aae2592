/** How long steps are expected to take. From reports of real upgrades, not promises: the board shows them beside the elapsed time. */
import type { ExpectedDurations, Timing } from '../../policy/policy.ts';
import type { StepParams } from '../model/step-params.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const USUAL_DURATIONS: ExpectedDurations = {
  controlPlaneMs: 10 * MINUTE_MS,
  nodeGroupMs: 10 * MINUTE_MS,
  karpenterNodeMs: 40 * SECOND_MS,
  addOnMs: 2 * MINUTE_MS,
  rolloutMs: 2 * MINUTE_MS,
  istioWaveMs: 3 * MINUTE_MS,
  checksMs: 2 * MINUTE_MS,
};

/** Expected milliseconds of a step. */
export function expectedMs(params: StepParams, timing: Timing): number {
  const usual = { ...USUAL_DURATIONS, ...timing.expected };
  switch (params.phase) {
    case 'pre-checks':
    case 'rollback-checks':
      return usual.checksMs;
    case 'control-plane-logging':
      return usual.addOnMs;
    case 'karpenter-migration':
      return params.legs.length * 4 * usual.rolloutMs + (params.nodeCount ?? 0) * usual.karpenterNodeMs;
    case 'karpenter-controller':
      return usual.rolloutMs;
    case 'istio': {
      const waveCount = params.canaries.reduce((sum, { waves }) => sum + waves.length, 0);
      const retireMs = params.canaries.reduce((sum, { retire }) => sum + (retire?.bakeMs ?? 0), 0);
      return params.canaries.length * usual.rolloutMs + waveCount * (usual.istioWaveMs + timing.waveBakeMs) + retireMs;
    }
    case 'add-ons-back':
    case 'add-ons-bridge':
    case 'add-ons-target':
      return params.changes.length * usual.addOnMs;
    case 'freeze-drift':
      return Math.min(10 * SECOND_MS, usual.checksMs);
    case 'control-plane':
      return usual.controlPlaneMs;
    case 'control-plane-back':
      return (
        usual.controlPlaneMs +
        (params.autoMode?.nodeCount ?? 0) * usual.karpenterNodeMs +
        (params.fargate === undefined ? 0 : 2 * usual.rolloutMs)
      );
    case 'bake':
      return params.bakeMs;
    case 'node-classes-back':
      return params.waitMs + usual.checksMs / 2;
    case 'node-groups':
      return usual.nodeGroupMs;
    case 'other-nodes':
      return (
        (params.fargate === undefined ? 0 : Math.max(1, params.fargate.namespaces.length) * usual.rolloutMs) +
        (params.selfManaged === undefined ? 0 : usual.nodeGroupMs) +
        (params.autoMode?.nodeCount ?? 0) * usual.karpenterNodeMs
      );
    case 'karpenter-drift':
      return Math.max(1, params.nodeCount) * usual.karpenterNodeMs;
    case 'validation':
      // EKS's insights are not refreshed once more.
      return usual.checksMs / 2;
  }
}
