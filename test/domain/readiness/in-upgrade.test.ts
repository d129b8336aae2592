/** Readiness before a hop: what a later step deals with is a recommendation there, and history stays small. */
import { describe, expect, test } from 'vitest';
import { PHASES, type StepId } from '../../../domain/core/phases.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { DEALT_WITH, hopFindings } from '../../../domain/readiness/in-upgrade.ts';
import type { JudgedFinding } from '../../../domain/readiness/model/waivers.ts';

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
        message: 'Karpenter 1.1.1 does not support 1.33. Step karpenter-controller@1.33 changes Karpenter first.',
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
      'recommended: 1 disruption budget can never allow an eviction. Step karpenter-drift@1.34 asks people at each node that cannot drain.',
    ]);
  });
});

describe('NodePools on Amazon Linux 2', () => {
  const old = finding({
    code: 'KAR012',
    message: '1 EC2NodeClass on Amazon Linux 2.',
    resources: [
      { kind: 'EC2NodeClass', name: 'legacy', note: 'amiFamily AL2' },
      { kind: 'NodePool', name: 'default', note: 'EC2NodeClass legacy' },
      { kind: 'NodePool', name: 'spot', note: 'EC2NodeClass legacy' },
    ],
  });
  const judged = (one: JudgedFinding, to: string, switching?: string[]): string[] =>
    hopFindings([one], { ...ahead([`freeze-drift@${to}` as StepId]), to, ...(switching === undefined ? {} : { switching }) }).map(
      ({ severity, message }) => `${severity}: ${message}`,
    );

  test('are no obstacle where the freeze points each of them at another class', () => {
    expect(judged(old, '1.33', ['default', 'spot', 'other'])).toEqual([
      'recommended: 1 EC2NodeClass on Amazon Linux 2. Step freeze-drift@1.33 points its NodePools at the class in belay.yaml.',
    ]);
  });

  test.each<[string, JudgedFinding, string, string[] | undefined]>([
    ['every plan with Karpenter freezes, and this one switches nothing', old, '1.33', undefined],
    ['one of two is switched', old, '1.33', ['default']],
    ['no NodePool is named', { ...old, resources: old.resources.slice(0, 1) }, '1.33', ['default', 'spot']],
    ['the hop is to a minor that still has images', old, '1.32', ['default', 'spot']],
  ])('stay an obstacle where %s', (_what, one, to, switching) => {
    expect(judged(one, to, switching)).toEqual(['required: 1 EC2NodeClass on Amazon Linux 2.']);
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

describe('RD1: what a step of the same plan resolves', () => {
  const insight = (...names: string[]) =>
    finding({ code: 'EKS004', message: 'Incompatible add-ons.', resources: names.map((name) => ({ kind: 'AddOn', name })) });
  const judged = (one: JudgedFinding, later: StepId[], moving?: string[]) =>
    hopFindings([one], { ...ahead(later), ...(moving === undefined ? {} : { moving }) }).map(
      ({ severity, message }) => `${severity}: ${message}`,
    );

  test('EKS004 is a recommendation where the bridge moves that very add-on', () => {
    expect(judged(insight('vpc-cni'), ['add-ons-bridge@1.33', 'control-plane@1.33'], ['vpc-cni', 'coredns'])).toEqual([
      'recommended: Incompatible add-ons. Step add-ons-bridge@1.33 moves these add-ons first.',
    ]);
  });

  test.each<[string, JudgedFinding, StepId[], string[] | undefined]>([
    ['another add-on', insight('vpc-cni', 'kube-proxy'), ['add-ons-bridge@1.33'], ['vpc-cni']],
    [
      'an insight that is about something else',
      { ...insight(), resources: [{ kind: 'Object', name: '/apis/x' }] },
      ['add-ons-bridge@1.33'],
      ['vpc-cni'],
    ],
    ['an insight that names nothing', insight(), ['add-ons-bridge@1.33'], ['vpc-cni']],
    ['a bridge of the next hop', insight('vpc-cni'), ['control-plane@1.33', 'add-ons-bridge@1.34'], ['vpc-cni']],
    ['a plan without the bridge', insight('vpc-cni'), ['control-plane@1.33'], undefined],
  ])('it stays required for %s', (_what, one, later, moving) => {
    expect(judged(one, later, moving)).toEqual([`required: ${one.message}`]);
  });

  /** Nothing in a plan mends them before the control plane of their hop, or they are about what only people can change. */
  const FOR_PEOPLE = `EKS001 EKS002 EKS007 EKS008 EKS009 EKS010 EKS011 EKS012 EKS016 EKS017 EKS018 EKS019 EKS020 EKS021 EKS022 EKS023 EKS024
    EKS025 EKS026 EKS027 EKS028 EKS029 EKS030 EKS031 EKS032 EKS033 EKS034 EKS035 AWS001 AWS002 AWS003 AWS004 AWS005 AWS006 AWS007 AWS008 AWS009 AWS010 K8S001 K8S002
    K8S003 K8S011 K8S012 K8S013 K8S014 K8S015 K8S016 K8S017 K8S019 K8S020 K8S021 K8S022 K8S023 K8S024 K8S025 K8S026 K8S027 K8S028 K8S029 K8S030
    K8S031 K8S032 K8S033 K8S034 K8S035 K8S036 K8S037 K8S038 K8S039 K8S040 K8S041 K8S042 K8S043 K8S044 K8S045 K8S046 K8S047 K8S048 K8S049 K8S050 K8S051 K8S052 KAR002 KAR003 KAR009 KAR011 KAR013
    KAR014 KAR016 KAR017 KAR018 IST002 IST004 IST005 IST006 IST007 IST008 IST009 IST010 IST011 IST012 IST013 IST014 IST015 IST016 OWN001 OWN002 OWN003 OWN004`
    .trim()
    .split(/\s+/);

  test('every code is told apart: resolved by a step, or for people', () => {
    const codes = CATALOGUE.map(({ code }) => code);
    expect([...Object.keys(DEALT_WITH), ...FOR_PEOPLE].toSorted()).toEqual(codes.toSorted());
  });

  test.each(Object.keys(DEALT_WITH))('%s stops no plan that has its step', (code) => {
    const later = PHASES.map((phase): StepId => `${phase}@1.33`);
    const kind = code === 'KAR012' ? 'NodePool' : 'AddOn';
    const one = finding({ code, resources: [{ kind, name: 'moved' }] });
    const [judgedOne] = hopFindings([one], { ...ahead(later), moving: ['moved'], switching: ['moved'] });
    expect(judgedOne?.severity).toBe('recommended');
    expect(judgedOne?.message).toMatch(/ Step [a-z-]+@1\.33 \S/);
    expect(hopFindings([one], ahead([]))[0]?.severity).toBe('required');
  });
});
