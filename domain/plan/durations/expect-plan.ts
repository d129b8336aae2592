/** Puts what was learnt into a plan: beside what people approve, never part of it. */
import type { PlannedStep, UpgradePlan } from '../model/types.ts';
import type { Timing } from '../../policy/policy.ts';
import { isWritten, measureOf } from './measure.ts';
import type { Learnt } from '../model/usual.ts';
import { defined } from '../../core/defined.ts';

/** The hash stays: nobody's approval depends on how long things usually take. */
export function expectPlan(
  plan: UpgradePlan,
  { learnt = {}, unlearnt }: { learnt?: Learnt; unlearnt?: string },
  timing: Pick<Timing, 'expected'>,
): UpgradePlan {
  const steps = plan.steps.map((step) => expectStep(step, learnt, timing));
  const expectedMs = steps.reduce((sum, step) => sum + step.expectedMs, 0);
  return { ...plan, steps, expectedMs, ...defined({ unlearnt }) };
}

function expectStep(step: PlannedStep, learnt: Learnt, timing: Pick<Timing, 'expected'>): PlannedStep {
  const measure = measureOf(step.params);
  const known = measure === undefined ? undefined : learnt[measure.unit];
  if (measure === undefined || known === undefined || isWritten(measure.unit, timing)) return step;
  const whole = (unitMs: number): number => Math.round(measure.fixedMs + measure.unitCount * unitMs);
  const { medianMs, minMs, maxMs, count, of } = known;
  return { ...step, expectedMs: whole(medianMs), usual: { minMs: whole(minMs), maxMs: whole(maxMs), count, of } };
}

/** What one unit of the step usually takes; undefined: nothing was learnt of it. */
export function usualUnitMs({ params, expectedMs, usual }: Pick<PlannedStep, 'params' | 'expectedMs' | 'usual'>): number | undefined {
  const measure = measureOf(params);
  return usual === undefined || measure === undefined ? undefined : (expectedMs - measure.fixedMs) / measure.unitCount;
}

/** A plan without what is only expected of it: what its hash is over. */
export function withoutExpectations({ expectedMs: _sum, unlearnt: _why, steps, ...plan }: UpgradePlan): object {
  return { ...plan, steps: steps.map(({ expectedMs: _each, usual: _usual, ...step }) => step) };
}
