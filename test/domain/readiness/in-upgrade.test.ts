/** Readiness before a hop: what a later step deals with is a recommendation there, and history stays small. */
import { describe, expect, test } from '@jest/globals';
import type { StepId } from '../../../domain/phases.ts';
import { hopFindings } from '../../../domain/readiness/in-upgrade.ts';
import type { JudgedFinding } from '../../../domain/readiness/waivers.ts';

const finding = (over: Partial<JudgedFinding> = {}): JudgedFinding => ({
  code: 'KAR001',
  area: 'Karpenter',
  title: 'Karpenter supports every minor on the way',
  severity: 'required',
  status: 'fail',
  message: 'Karpenter 1.1.1 does not support 1.33.',
  resources: [{ kind: 'Deployment', namespace: 'kube-system', name: 'karpenter', note: '1.1.1' }],
  remediation: 'Change it.',
  ...over,
});
const ahead = (later: StepId[], optional = false) => ({ to: '1.33', later, optional });
const said = (one: JudgedFinding, hop: ReturnType<typeof ahead>): string[] =>
  hopFindings([one], hop).map(({ severity, message }) => `${severity}: ${message}`);

describe('what a later step deals with', () => {
  test('is a recommendation that names the step', () => {
    expect(hopFindings([finding()], ahead(['karpenter-controller@1.33', 'control-plane@1.33']))).toEqual([
      {
        code: 'KAR001',
        title: 'Karpenter supports every minor on the way',
        severity: 'recommended',
        status: 'fail',
        message: 'Karpenter 1.1.1 does not support 1.33. Step karpenter-controller@1.33 changes Karpenter before the control plane moves.',
        resources: ['kube-system/karpenter (1.1.1)'],
        resourceCount: 1,
        remediation: 'Change it.',
      },
    ]);
  });

  test.each<[string, JudgedFinding, StepId[]]>([
    ['where the plan has no such step', finding(), ['control-plane@1.33']],
    ['where it comes in the next hop, after this control plane', finding(), ['control-plane@1.33', 'karpenter-controller@1.34']],
    ['where it cannot be seen', finding({ status: 'unknown' }), ['karpenter-controller@1.33']],
    ['where no step is for it', finding({ code: 'EKS001' }), ['karpenter-controller@1.33']],
  ])('stays required %s', (_what, one, later) => {
    expect(said(one, ahead(later))).toEqual([`required: ${one.message}`]);
  });

  test('budgets of istiods that get company are no obstacle; others beside them are', () => {
    const istiod = { kind: 'PodDisruptionBudget', namespace: 'istio-system', name: 'istiod' };
    const judged = (resources: JudgedFinding['resources'], later: StepId[], spared: string[]): string[] =>
      hopFindings([finding({ code: 'K8S018', resources })], { ...ahead(later), spared }).map(({ severity }) => severity);
    expect(judged([istiod], ['node-groups@1.33'], ['istio-system/istiod'])).toEqual(['recommended']);
    expect(judged([istiod, { ...istiod, namespace: 'shop' }], ['node-groups@1.33'], ['istio-system/istiod'])).toEqual(['required']);
    expect(judged([istiod], ['control-plane@1.33'], ['istio-system/istiod'])).toEqual(['required']);
    expect(judged([istiod], ['node-groups@1.33'], [])).toEqual(['required']);
  });

  test('K12: nodes that cannot drain are asked about in whichever hop they are replaced', () => {
    const stuck = finding({ code: 'K8S018', message: '1 disruption budget can never allow an eviction.' });
    expect(said(stuck, ahead(['control-plane@1.33', 'control-plane@1.34', 'karpenter-drift@1.34']))).toEqual([
      'recommended: 1 disruption budget can never allow an eviction. Step karpenter-drift@1.34 stops at a node that cannot drain, and asks.',
    ]);
  });
});

test('a waived finding keeps its reason', () => {
  const waived = { reason: 'one writer by design', by: 'Ada', until: '2027-06-30' };
  expect(hopFindings([finding({ waived })], ahead([]))).toMatchObject([{ severity: 'required', waived }]);
});

test('what crosses into history is bounded', () => {
  const resources = Array.from({ length: 500 }, (_, index) => ({
    kind: 'Pod',
    namespace: 'shop',
    name: `cart-${index}`,
    note: 'n'.repeat(500),
  }));
  const [one] = hopFindings([finding({ message: 'm'.repeat(2000), resources })], ahead([]));
  expect(one?.resourceCount).toBe(500);
  expect(JSON.stringify(one).length).toBeLessThan(1500);
});
