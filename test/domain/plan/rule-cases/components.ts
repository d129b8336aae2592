/** Karpenter, Istio and add-ons that break a rule. */
import { validatePlan } from '../../../../domain/plan/validate.ts';
import { addOn, meshNamespace, seed002Facts } from '../../../support/facts.ts';
import { paramsOf, planOf, refusalOf, withStep } from '../../../support/plans.ts';
import { at, healthy, withKarpenter, type RuleCase } from './case.ts';

export const COMPONENTS_CASES: RuleCase[] = [
  {
    rule: 'karpenter-v1-migration',
    title: 'a Karpenter from which no way to v1 is known',
    found: () =>
      refusalOf(
        at('1.25', { supportedVersions: [{ version: '1.26' }], karpenter: withKarpenter('0.27.5').karpenter, istio: undefined }),
        '1.26',
      ),
    expected: [
      [
        'Karpenter 0.27.5 is older than 0.28: from there no way to v1 is known to Belay.',
        'Upgrade Karpenter to v0.31.4 by its upgrade guide first, then start the upgrade again.',
      ],
    ],
  },
  {
    rule: 'karpenter-v1-migration',
    title: 'a Kubernetes on which 1.0 does not run',
    found: () =>
      refusalOf(at('1.24', { supportedVersions: [], karpenter: withKarpenter('0.37.2').karpenter, istio: undefined }), '1.25').filter(
        ({ rule }) => rule === 'karpenter-v1-migration',
      ),
    expected: [
      [
        'Karpenter 1.0.14 needs Kubernetes 1.25; the control plane is at 1.24, and Belay works with Karpenter’s API v1 alone.',
        'Upgrade to 1.25 without Belay, with Karpenter as it is, then start again.',
      ],
    ],
  },
  {
    rule: 'karpenter-v1-migration',
    title: 'a plan without the migration',
    found: () => {
      const facts = at('1.30', { supportedVersions: [], karpenter: withKarpenter('0.37.2').karpenter, istio: undefined });
      const crossing = withStep(planOf(facts, '1.31'), 'karpenter-migration@1.31', (step) => ({
        ...step,
        id: 'karpenter-controller@1.31',
        phase: 'karpenter-controller',
        params: {
          phase: 'karpenter-controller',
          from: '0.37.2',
          to: '1.0.14',
          minimum: '1.0.5',
          namespace: 'kube-system',
          deployment: 'karpenter',
          managedBy: 'manual',
        },
      }));
      return validatePlan(crossing, facts);
    },
    expected: [
      [
        'Karpenter 0.37.2 has to become 1.0.14, and between them lies the migration to v1.',
        'Put karpenter-migration before Karpenter’s step.',
      ],
    ],
  },
  {
    rule: 'canary-pool-is-there',
    title: 'a canary node of a NodePool that is not there',
    found: () => {
      const facts = seed002Facts();
      const wrong = withStep(planOf(facts, '1.33'), 'karpenter-controller@1.33', (step) => ({
        ...step,
        params: { ...paramsOf(planOf(facts, '1.33'), 'karpenter-controller', '1.33'), canaryPool: 'gone' },
      }));
      return validatePlan(wrong, facts);
    },
    expected: [
      [
        `There is no NodePool gone for a canary node; there is ${(seed002Facts().karpenter?.nodePools ?? []).map(({ name }) => name).join(', ')}.`,
        'Correct or remove karpenter.canaryNode in belay.yaml.',
      ],
    ],
  },
  {
    rule: 'karpenter-supports-both-minors',
    title: 'no Karpenter supports both',
    found: () =>
      refusalOf(
        at('1.25', { supportedVersions: [{ version: '1.26' }], karpenter: withKarpenter('1.9.1').karpenter, istio: undefined }),
        '1.26',
      ),
    expected: [
      [
        'Karpenter 1.9.1 supports Kubernetes 1.26 to 1.35; the hop needs 1.25 and 1.26.',
        "No Karpenter at or above 1.9.1 is known to support both: see Karpenter's compatibility matrix, or choose a nearer target.",
      ],
    ],
  },
  {
    rule: 'istio-supports-both-minors',
    title: 'no way within one minor per canary',
    found: () =>
      refusalOf(
        at('1.31', {
          karpenter: undefined,
          istio: {
            revisions: [{ revision: '1-23', version: '1.23.6', namespace: 'istio-system', ready: true }],
            tags: [],
            namespaces: [meshNamespace('shop', { selector: '1-23', revision: '1-23' })],
            hasCniOrZtunnel: true,
          },
        }),
        '1.32',
      ),
    expected: [
      [
        'Istio 1.23.6 (revision 1-23) does not support both Kubernetes 1.31 and 1.32.',
        'Upgrade Istio first; 1.25, 1.26, 1.27, 1.28, 1.29 support both Kubernetes 1.31 and 1.32.',
      ],
    ],
  },
  {
    rule: 'istio-supports-both-minors',
    title: 'no Istio that is known supports both',
    found: () =>
      refusalOf(at('1.24', { supportedVersions: [], karpenter: undefined }), '1.25').filter(({ rule }) => rule.startsWith('istio-')),
    expected: [
      [
        'Istio 1.30.1 (revision 1-30) does not support both Kubernetes 1.24 and 1.25.',
        'No Istio is known to support both Kubernetes 1.24 and 1.25: choose a nearer target.',
      ],
    ],
  },
  {
    rule: 'istio-canary-jump',
    title: 'a canary of an istiod by digest',
    found: () => {
      const facts = seed002Facts();
      const plan = planOf(facts, '1.34');
      const params = paramsOf(plan, 'istio', '1.33');
      const canaries = params.canaries.map((canary, index) => (index === 0 ? { ...canary, fromVersion: 'sha256:0' } : canary));
      return validatePlan(
        withStep(plan, 'istio@1.33', (step) => ({ ...step, params: { ...params, canaries } })),
        facts,
      );
    },
    expected: [['istio@1.33 has a canary of an unreadable version.', 'Add a canary in between.']],
  },
  {
    rule: 'istio-canary-jump',
    title: 'a canary over four minors',
    found: () => {
      const facts = seed002Facts();
      const plan = planOf(facts, '1.34');
      const params = paramsOf(plan, 'istio', '1.33');
      const [first, last] = params.canaries;
      if (first === undefined || last === undefined) throw new Error('two canaries are expected');
      const canaries = [{ ...last, fromRevision: first.fromRevision, fromVersion: first.fromVersion }];
      return validatePlan(
        withStep(plan, 'istio@1.33', (step) => ({ ...step, params: { ...params, canaries } })),
        facts,
      );
    },
    expected: [['istio@1.33 goes from Istio 1.26 to 1.30, more than 2 minors on.', 'Add a canary in between.']],
  },
  {
    rule: 'add-ons-valid-on-both-minors',
    title: 'an add-on without a version for the target',
    found: () => {
      const offered = {
        '1.33': [{ version: 'v2.0.0-eksbuild.1', isDefault: true }],
        '1.34': [{ version: 'v1.9.0-eksbuild.1', isDefault: true }],
      };
      return refusalOf({ ...healthy, addOns: [addOn('adot', 'v2.0.0-eksbuild.1', { offered })] }, '1.34');
    },
    expected: [
      [
        'adot v2.0.0-eksbuild.1 is not offered on Kubernetes 1.34 (1.34: v1.9.0-eksbuild.1).',
        'Update it to one EKS offers on both minors, or remove it.',
      ],
    ],
  },
  {
    rule: 'vpc-cni-one-minor-at-a-time',
    title: 'vpc-cni over two minors at once',
    found: () => {
      const facts = seed002Facts({ addOns: [addOn('vpc-cni', 'v1.18.3-eksbuild.3')] });
      const plan = planOf(facts, '1.34');
      const changes = [{ name: 'vpc-cni', from: 'v1.18.3-eksbuild.3', to: 'v1.20.4-eksbuild.2', managed: true }];
      return validatePlan(
        withStep(plan, 'add-ons-bridge@1.33', (step) => ({ ...step, params: { phase: 'add-ons-bridge', managedBy: 'eks', changes } })),
        facts,
      );
    },
    expected: [
      ['add-ons-bridge@1.33 takes vpc-cni from v1.18.3-eksbuild.3 to v1.20.4-eksbuild.2, past 1.19.', 'Add a change per minor in between.'],
    ],
  },
  {
    rule: 'kube-proxy-not-ahead',
    title: 'kube-proxy that is ahead now',
    found: () => refusalOf({ ...healthy, addOns: [addOn('kube-proxy', 'v1.34.0-eksbuild.2')] }, '1.34'),
    expected: [['kube-proxy v1.34.0-eksbuild.2 is newer than the control plane (1.33) now.', 'Update it last, in add-ons-target.']],
  },
  {
    rule: 'kube-proxy-not-ahead',
    title: 'kube-proxy that is not changed last',
    found: () => {
      const plan = planOf(healthy, '1.34');
      const params = paramsOf(plan, 'add-ons-target', '1.34');
      const changes = params.changes.toReversed();
      return validatePlan(
        withStep(plan, 'add-ons-target@1.34', (step) => ({ ...step, params: { ...params, changes } })),
        healthy,
      );
    },
    expected: [['add-ons-target@1.34 does not change kube-proxy last.', 'Update it last, in add-ons-target.']],
  },
  {
    rule: 'kube-proxy-skew',
    title: 'kube-proxy that is three behind already',
    found: () => refusalOf({ ...healthy, addOns: [addOn('kube-proxy', 'v1.30.6-eksbuild.3')] }, '1.34'),
    expected: [
      [
        'kube-proxy v1.30.6-eksbuild.3 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'First update it to the present minor, or use strategy every-hop.',
      ],
    ],
  },
];
