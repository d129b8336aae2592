/** How long steps take that replace no nodes: as belay.yaml says, as earlier upgrades took, else as field reports have it. */
import { expectedMs } from '../../durations/defaults.ts';
import { expectPlan } from '../../durations/expect-plan.ts';
import { isWritten, measureOf } from '../../durations/measure.ts';
import type { PlannedStep, UpgradePlan } from '../../model/types.ts';
import type { Learnt } from '../../model/usual.ts';
import type { Timing } from '../../../policy/policy.ts';
import type { Basis } from '../types.ts';
import { Length } from './length.ts';

export interface StepLength {
  /** What varies. */
  length: Length;
  /** Waits whose length belay.yaml says. */
  fixedMs: number;
}

/** Phases whose nodes are played. */
export const PLAYED = ['node-groups', 'karpenter-drift', 'other-nodes'];

/** By step id. */
export function stepLengths(plan: UpgradePlan, learnt: Learnt | undefined, timing: Timing): Map<string, StepLength> {
  const expected = expectPlan(plan, learnt === undefined ? {} : { learnt }, timing);
  return new Map(expected.steps.map((step) => [step.id, lengthOf(step, timing)]));
}

function lengthOf(step: PlannedStep, timing: Timing): StepLength {
  const { params, title, usual } = step;
  const measure = measureOf(params);
  const fixedMs = Math.min(fixedOf(step, timing, measure?.fixedMs ?? 0), step.expectedMs);
  const wholeMs = usual === undefined ? expectedMs(params, timing) : step.expectedMs;
  const medianMs = Math.max(0, wholeMs - fixedMs);
  const basis: Basis =
    params.phase === 'bake' || (measure !== undefined && isWritten(measure.unit, timing))
      ? 'configured'
      : usual === undefined
        ? 'reports'
        : 'learnt';
  return { fixedMs, length: new Length(title, { basis, medianMs, ...(usual === undefined ? {} : { sigma: sigmaOf(usual) }) }) };
}

function fixedOf({ params, usual }: PlannedStep, timing: Timing, measuredMs: number): number {
  if (params.phase === 'bake') return params.bakeMs;
  if (params.phase !== 'istio' || usual !== undefined) return measuredMs;
  // What was learnt of a wave has its watching time in it already.
  return measuredMs + params.canaries.reduce((sum, { waves }) => sum + waves.length, 0) * timing.waveBakeMs;
}

/** The shortest and the longest of some are taken for two standard deviations either way. */
function sigmaOf({ minMs, maxMs }: { minMs: number; maxMs: number }): number {
  if (minMs <= 0 || maxMs <= minMs) return 0.1;
  return Math.min(0.5, Math.max(0.05, Math.log(maxMs / minMs) / 4));
}
