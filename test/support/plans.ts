/** Short ways to plans and to what tests ask of them. */
import type { ClusterFacts } from '../../domain/facts/facts.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import type { PlannedStep, RuleViolation, UpgradePlan } from '../../domain/plan/model/types.ts';
import { planUpgrade, type PlanRequest } from '../../domain/plan/plan-upgrade.ts';
import { NOW, policy } from './facts.ts';

/** The plan; throws with the violations when it is refused. */
export function planOf(facts: ClusterFacts, target: string, change: Partial<PlanRequest> = {}): UpgradePlan {
  const result = planUpgrade(facts, { target, policy: policy(), now: NOW, ...change });
  if (result.kind === 'plan') return result.plan;
  throw new Error(result.violations.map((v) => `${v.rule}: ${v.message}`).join('\n'));
}

/** Every violation; throws when there is a plan. */
export function refusalOf(facts: ClusterFacts, target: string, change: Partial<PlanRequest> = {}): RuleViolation[] {
  const result = planUpgrade(facts, { target, policy: policy(), now: NOW, ...change });
  if (result.kind === 'refused') return result.violations;
  throw new Error(`There is a plan: ${stepIds(result.plan).join(' ')}`);
}

export function stepIds(plan: UpgradePlan): string[] {
  return plan.steps.map((step) => step.id);
}

export function stepOf(plan: UpgradePlan, id: string): PlannedStep {
  const step = plan.steps.find((s) => s.id === id);
  if (step === undefined) throw new Error(`No step ${id}: ${stepIds(plan).join(' ')}`);
  return step;
}

/** Parameters of a step that is known to be of this phase. */
export function paramsOf<P extends StepParams['phase']>(plan: UpgradePlan, phase: P, hop: string): Extract<StepParams, { phase: P }> {
  const { params } = stepOf(plan, `${phase}@${hop}`);
  if (!isPhase(params, phase)) throw new Error(`${phase}@${hop} has parameters of ${params.phase}`);
  return params;
}

function isPhase<P extends StepParams['phase']>(params: StepParams, phase: P): params is Extract<StepParams, { phase: P }> {
  return params.phase === phase;
}

export function findingCodes(plan: UpgradePlan): string[] {
  return plan.findings.map((finding) => finding.code);
}

/** The plan with one step changed or, with undefined, without it. */
export function withStep(plan: UpgradePlan, id: string, change: ((step: PlannedStep) => PlannedStep) | undefined): UpgradePlan {
  stepOf(plan, id);
  return { ...plan, steps: plan.steps.flatMap((step) => (step.id !== id ? [step] : change === undefined ? [] : [change(step)])) };
}
