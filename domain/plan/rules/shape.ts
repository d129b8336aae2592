/** Rules about a plan's own shape: hops, order, gates, size. */
import { PHASES, stepId } from '../../core/phases.ts';
import { compareKubernetesVersions, formatKubernetesVersion, minorDistance, tryKubernetesVersion } from '../../core/version.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import { stableJson } from '../../core/stable-json.ts';
import type { PlannedStep } from '../model/types.ts';
import { type Breach, controlPlaneMoments, type Rule } from './rule.ts';

export const oneMinorAtATime: Rule = {
  name: 'one-minor-at-a-time',
  text: 'The control plane moves one minor per hop up to the target.',
  remedy: 'Plan one hop per minor.',
  check(context) {
    const { facts, plan } = context;
    if (plan === undefined) return [];
    const jumps = controlPlaneMoments(context).flatMap(({ step, before, after }): Breach[] => {
      if (minorDistance(before.controlPlane, after.controlPlane) === 1) return [];
      const [from, to] = [before.controlPlane, after.controlPlane].map(formatKubernetesVersion);
      return [{ message: `${step.id} moves the control plane from ${from} to ${to}; EKS moves it by one minor.` }];
    });
    const end = context.moments.at(-1)?.after.controlPlane ?? controlPlaneMinor(facts);
    const target = tryKubernetesVersion(plan.to);
    if (target !== undefined && compareKubernetesVersions(end, target) === 0) return jumps;
    return [...jumps, { message: `The plan ends with the control plane at ${formatKubernetesVersion(end)}, not at ${plan.to}.` }];
  },
};

/** Phases without which a hop is not one. */
const NEVER_LEFT_OUT = ['pre-checks', 'control-plane', 'bake'] as const;

export const orderOfOneHop: Rule = {
  name: 'order-of-one-hop',
  text: 'Each hop has its steps once and in order, the freeze possibly right before Karpenter; the plan ends with a validation.',
  remedy:
    'Order them: pre-checks, logging, Karpenter’s API, Karpenter, Istio, add-ons, freeze, control plane, bake, node groups, other nodes, drift, add-ons, validation.',
  check({ plan }) {
    if (plan === undefined) return [];
    const place = (step: PlannedStep) => plan.hops.indexOf(step.hop) * PHASES.length + placeInHop(plan.steps, step);
    const breaches: Breach[] = [];
    for (const [index, step] of plan.steps.entries()) {
      const previous = plan.steps[index - 1];
      if (step.id !== stepId(step.phase, step.hop) || step.params.phase !== step.phase || !plan.hops.includes(step.hop))
        breaches.push({ message: `${step.id} is not a ${step.phase} step of a hop of this plan.` });
      if (previous !== undefined && place(previous) >= place(step)) breaches.push({ message: `${step.id} stands after ${previous.id}.` });
    }
    for (const hop of plan.hops) {
      for (const phase of NEVER_LEFT_OUT) {
        if (!plan.steps.some((step) => step.id === stepId(phase, hop))) breaches.push({ message: `The hop to ${hop} has no ${phase}.` });
      }
    }
    if (plan.steps.at(-1)?.phase !== 'validation') breaches.push({ message: 'The plan does not end with a validation.' });
    return breaches;
  },
};

/** The freeze may come early: where Belay itself changes Karpenter (docs/design/0009). */
function placeInHop(steps: readonly PlannedStep[], step: PlannedStep): number {
  const next = steps[steps.indexOf(step) + 1];
  const early = step.phase === 'freeze-drift' && next?.phase === 'karpenter-controller' && next.hop === step.hop;
  return early ? PHASES.indexOf('karpenter-controller') - 0.5 : PHASES.findIndex((phase) => phase === step.phase);
}

const GATED: readonly PlannedStep['phase'][] = ['control-plane', 'node-groups', 'karpenter-drift'];

/** Where Auto Mode's nodes are all that is left, the step only watches. */
function isGated({ phase, params }: PlannedStep): boolean {
  if (params.phase === 'other-nodes') return params.fargate !== undefined || params.selfManaged !== undefined;
  return GATED.includes(phase);
}

export const gatesBeforeTheIrreversible: Rule = {
  name: 'gates-before-the-irreversible',
  text: 'A gate precedes the first step, every control-plane move and node replacement.',
  remedy: 'Give the step a gate.',
  check({ plan }) {
    const steps = plan?.steps ?? [];
    return steps
      .filter((step, index) => (index === 0 || isGated(step)) && step.gate === undefined)
      .map((step) => ({ message: `${step.id} has no gate.` }));
  },
};

/** A recorded plan is one payload of the workflow's history. */
const PLAN_LIMIT_BYTES = 64 * 1024;

export const planFitsHistory: Rule = {
  name: 'plan-fits-history',
  text: 'The recorded plan is at most 64 KB of JSON.',
  remedy: 'Upgrade in two runs, or with strategy once-at-the-end.',
  check({ plan }) {
    const bytes = plan === undefined ? 0 : new TextEncoder().encode(stableJson(plan)).length;
    return bytes <= PLAN_LIMIT_BYTES ? [] : [{ message: `The plan is ${Math.ceil(bytes / 1024)} KB of JSON.` }];
  },
};
