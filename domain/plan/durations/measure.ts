/** What the length of a step depends on, phase by phase: so many units, and what is waited for in any case. */
import type { StepParams } from '../model/step-params.ts';
import type { ExpectedDurations, Timing } from '../../policy/policy.ts';
import type { Unit } from '../model/usual.ts';

export interface Measure {
  unit: Unit;
  unitCount: number;
  /** Waits whose length belay.yaml says. */
  fixedMs: number;
}

/** Under `timing.expected`: what is written there goes before what was learnt. */
const WRITTEN: Record<Unit, keyof ExpectedDurations> = {
  'pre-checks': 'checksMs',
  logging: 'addOnMs',
  'karpenter-controller': 'rolloutMs',
  'istio-wave': 'istioWaveMs',
  'add-on': 'addOnMs',
  freeze: 'checksMs',
  'control-plane': 'controlPlaneMs',
  'group-node': 'nodeGroupMs',
  'karpenter-node': 'karpenterNodeMs',
  validation: 'checksMs',
};

export function isWritten(unit: Unit, { expected }: Pick<Timing, 'expected'>): boolean {
  return expected?.[WRITTEN[unit]] !== undefined;
}

/** undefined: such steps differ too much from each other to be compared (a migration, other nodes), or last as long as belay.yaml says (a bake). */
export function measureOf(params: StepParams): Measure | undefined {
  switch (params.phase) {
    case 'pre-checks':
    case 'karpenter-controller':
    case 'control-plane':
    case 'validation':
      return of(params.phase, 1);
    case 'control-plane-logging':
      return of('logging', 1);
    case 'freeze-drift':
      return of('freeze', 1);
    case 'add-ons-bridge':
    case 'add-ons-target':
    case 'add-ons-back':
      return of('add-on', params.changes.length);
    case 'node-groups':
      return of('group-node', Math.max(0, ...params.groups.map(({ count }) => count)));
    case 'karpenter-drift':
      return of('karpenter-node', params.nodeCount);
    case 'istio': {
      const waveCount = params.canaries.reduce((sum, { waves }) => sum + waves.length, 0);
      const retireMs = params.canaries.reduce((sum, { retire }) => sum + (retire?.bakeMs ?? 0), 0);
      return of('istio-wave', waveCount, retireMs);
    }
    case 'karpenter-migration':
    case 'bake':
    case 'other-nodes':
    // Of ways back there are hardly ever two.
    case 'rollback-checks':
    case 'control-plane-back':
    case 'node-classes-back':
      return undefined;
  }
}

function of(unit: Unit, unitCount: number, fixedMs = 0): Measure | undefined {
  return unitCount > 0 ? { unit, unitCount, fixedMs } : undefined;
}
