/** Plans whose own shape breaks a rule. */
import { validatePlan } from '../../../../domain/plan/validate.ts';
import { meshNamespace, seed002Facts } from '../../../support/facts.ts';
import { planOf, refusalOf, stepOf, withStep } from '../../../support/plans.ts';
import { at, healthy, type RuleCase } from './case.ts';

export const SHAPE_CASES: RuleCase[] = [
  {
    rule: 'one-minor-at-a-time',
    title: 'two minors in one step',
    found: () => {
      const facts = at('1.33', { karpenter: undefined, istio: undefined });
      const plan = { ...planOf(facts, '1.34'), to: '1.35', hops: ['1.35'] };
      const steps = plan.steps.map((step) => ({
        ...step,
        hop: '1.35',
        id: `${step.phase}@1.35` as const,
        params: step.params.phase === 'control-plane' ? { ...step.params, to: '1.35' } : step.params,
      }));
      return validatePlan({ ...plan, steps }, facts);
    },
    expected: [['control-plane@1.35 moves the control plane from 1.33 to 1.35; EKS moves it by one minor.', 'Plan one hop per minor.']],
  },
  {
    rule: 'order-of-one-hop',
    title: 'nodes before the bake',
    found: () => {
      const plan = planOf(healthy, '1.34');
      const bake = stepOf(plan, 'bake@1.34');
      const steps = plan.steps.flatMap((step) => (step === bake ? [] : step.phase === 'node-groups' ? [step, bake] : [step]));
      return validatePlan({ ...plan, steps }, healthy);
    },
    expected: [
      [
        'bake@1.34 stands after node-groups@1.34.',
        'Order them: pre-checks, logging, Karpenter’s API, Karpenter, Istio, add-ons, freeze, control plane, bake, node groups, other nodes, drift, add-ons, validation.',
      ],
    ],
  },
  {
    rule: 'gates-before-the-irreversible',
    title: 'a control plane without a gate',
    found: () =>
      validatePlan(
        withStep(planOf(healthy, '1.34'), 'control-plane@1.34', ({ gate: _gate, ...step }) => step),
        healthy,
      ),
    expected: [['control-plane@1.34 has no gate.', 'Give the step a gate.']],
  },
  {
    rule: 'plan-fits-history',
    title: 'a mesh of two thousand namespaces',
    found: () => {
      const facts = seed002Facts();
      const namespaces = Array.from({ length: 2_000 }, (_, i) => meshNamespace(`namespace-of-team-${i}`));
      const violations = refusalOf({ ...facts, istio: facts.istio && { ...facts.istio, namespaces } }, '1.34');
      return violations.map((v) => ({ ...v, message: v.message.replace(/\d+/, 'N') }));
    },
    expected: [['The plan is N KB of JSON.', 'Upgrade in two runs, or with strategy once-at-the-end.']],
  },
];
