/** Puts a step together from what differs between phases. */
import { stepId } from '../../core/phases.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { expectedMs } from '../durations/defaults.ts';
import type { Hop } from '../model/hops.ts';
import type { StepParams } from '../model/step-params.ts';
import type { PlannedGate, PlannedStep, RollbackPoint } from '../model/types.ts';
import { defined } from '../../core/defined.ts';

export interface StepText {
  title: string;
  why: string;
  gate?: PlannedGate;
  rollback: RollbackPoint;
}

export function plannedStep(hop: Hop, params: StepParams, text: StepText, policy: UpgradePolicy): PlannedStep {
  const to = formatKubernetesVersion(hop.to);
  return {
    id: stepId(params.phase, to),
    phase: params.phase,
    hop: to,
    title: text.title,
    why: text.why,
    ...defined({ gate: text.gate }),
    expectedMs: expectedMs(params, policy.timing),
    rollback: text.rollback,
    params,
  };
}

/** Of steps that only read. */
export const NOTHING_TO_UNDO: RollbackPoint = { what: 'nothing', how: 'the step only reads', until: 'always', cost: 'none' };

/** The minors from which and to which a hop goes. */
export function minorsOf(hop: Hop): [string, string] {
  return [formatKubernetesVersion(hop.from), formatKubernetesVersion(hop.to)];
}
