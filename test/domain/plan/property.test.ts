/** For any cluster: the planner gives a plan that keeps every rule, or says which rules stand against it. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { AddOnFact, ClusterFacts, IstioFact, KubeletFact, NodeGroupFact } from '../../../domain/facts/facts.ts';
import { planUpgrade } from '../../../domain/plan/plan-upgrade.ts';
import { RULES } from '../../../domain/plan/rules/rules.ts';
import { validatePlan } from '../../../domain/plan/validate.ts';
import { ADD_ON_CATALOGUE } from '../../support/add-on-catalogue.ts';
import { addOn, healthyFacts, meshNamespace, NOW, nodePool, policy } from '../../support/facts.ts';

const minor = (from: number, to: number) => fc.integer({ min: from, max: to }).map((m) => `1.${m}`);

const karpenter = fc.constantFrom(
  '0.37.7',
  '1.0.2',
  '1.0.5',
  '1.1.1',
  '1.2.8',
  '1.5.0',
  '1.6.8',
  '1.8.4',
  '1.9.2',
  '1.14.1',
  '1.20.0',
  'unknown',
);

const istio = (at: number): fc.Arbitrary<IstioFact> =>
  fc
    .record({
      // Around the versions that go with the cluster's: Kubernetes 1.3x and Istio 1.2(x-6) came out together.
      minors: fc.uniqueArray(fc.integer({ min: at - 7, max: at - 3 }), { minLength: 1, maxLength: 2 }),
      namespaceCount: fc.nat({ max: 12 }),
      hasCniOrZtunnel: fc.boolean(),
    })
    .map(({ minors, namespaceCount, hasCniOrZtunnel }) => {
      const revisions = minors.map((m) => ({ revision: `1-${m}`, version: `1.${m}.1`, namespace: 'istio-system', ready: true }));
      const namespaces = Array.from({ length: namespaceCount }, (_, i) => {
        const { revision } = revisions[i % revisions.length] ?? { revision: 'default' };
        return meshNamespace(`ns-${i}`, { selector: revision, revision, requestsPerSecond: i % 3 === 0 ? undefined : i });
      });
      return { revisions, tags: [], namespaces, hasCniOrZtunnel };
    });

/** Versions that run on the cluster's minor now, most of the time. */
const addOns = (at: number): fc.Arbitrary<AddOnFact[]> =>
  fc.tuple(
    ...Object.entries(ADD_ON_CATALOGUE).map(([name, entries]) => {
      const running = entries.filter((entry) => entry.minors.includes(`1.${at}`)).map((entry) => entry.version);
      return fc
        .record({ version: fc.constantFrom(...running), managed: fc.boolean(), seen: fc.integer({ min: 0, max: 4 }) })
        .map(({ version, managed, seen }) => addOn(name, version, seen > 0 ? { managed } : { managed, offered: {} }));
    }),
  );

const nodeGroups = (at: number): fc.Arbitrary<NodeGroupFact[]> =>
  fc
    .array(
      fc.record({
        version: minor(at - 2, at),
        desiredCount: fc.nat({ max: 20 }),
        amiType: fc.constantFrom('AL2023_x86_64_STANDARD', 'AL2023_ARM_64_STANDARD', 'BOTTLEROCKET_x86_64', 'CUSTOM', 'AL2_x86_64'),
      }),
      { maxLength: 3 },
    )
    .map((groups) => groups.map((group, i) => ({ ...group, name: `group-${i}`, status: 'ACTIVE', healthIssues: [] })));

const kubelets = (at: number): fc.Arbitrary<KubeletFact[]> =>
  fc.array(
    fc.record({
      minor: minor(at - 2, at),
      count: fc.nat({ max: 40 }),
      owner: fc.constantFrom('node-group', 'karpenter', 'self-managed', 'fargate', 'auto-mode'),
    }),
    { maxLength: 3 },
  );

const facts: fc.Arbitrary<ClusterFacts> = fc.integer({ min: 31, max: 34 }).chain((at) =>
  fc
    .record({
      karpenter: fc.option(karpenter, { nil: undefined }),
      pools: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
      istio: fc.option(istio(at), { nil: undefined }),
      addOns: addOns(at),
      nodeGroups: nodeGroups(at),
      kubelets: kubelets(at),
      offersRead: fc.boolean(),
    })
    .map((random) => {
      const healthy = healthyFacts();
      return {
        ...healthy,
        controlPlane: { ...healthy.controlPlane, version: `1.${at}` },
        supportedVersions: random.offersRead ? healthy.supportedVersions : [],
        karpenter:
          random.karpenter === undefined || healthy.karpenter === undefined
            ? undefined
            : { ...healthy.karpenter, version: random.karpenter, nodePools: random.pools.map((count, i) => nodePool(`pool-${i}`, count)) },
        istio: random.istio,
        addOns: random.addOns,
        nodeGroups: random.nodeGroups,
        kubelets: random.kubelets,
      };
    }),
);

/** Breaches of these would be the planner's own: no cluster drawn here asks for them. */
const PLANNERS_OWN: readonly string[] = [
  'one-minor-at-a-time',
  'order-of-one-hop',
  'gates-before-the-irreversible',
  'plan-fits-history',
  'freeze-while-the-control-plane-moves',
  'nodes-reach-the-target',
  'istio-canary-jump',
  'vpc-cni-one-minor-at-a-time',
  'kube-proxy-not-ahead',
];

const strategy = fc.option(fc.constantFrom('every-hop' as const, 'once-at-the-end' as const), { nil: undefined });

describe('planUpgrade', () => {
  test('every plan keeps every rule, and every refusal names a rule and a remedy', () => {
    const names = new Set(RULES.map((rule) => rule.name));
    let planCount = 0;
    fc.assert(
      fc.property(facts, minor(31, 36), strategy, (cluster, target, asked) => {
        const result = planUpgrade(cluster, { target, strategy: asked, policy: policy(), now: NOW });
        if (result.kind === 'refused') {
          expect(result.violations.length).toBeGreaterThan(0);
          for (const violation of result.violations) expect([names.has(violation.rule), violation.remedy !== '']).toEqual([true, true]);
          expect(result.violations.filter((violation) => PLANNERS_OWN.includes(violation.rule))).toEqual([]);
          return;
        }
        planCount += 1;
        expect(validatePlan(result.plan, cluster)).toEqual([]);
        expect(result.plan.steps.at(-1)?.id).toBe(`validation@${target}`);
        expect(result.plan.strategies.find((s) => s.strategy === result.plan.strategy)?.possible).toBe(true);
      }),
      { numRuns: 600, seed: 20_260_908 },
    );
    // The clusters are drawn so that both outcomes occur; a property about no plan at all would prove nothing.
    expect(planCount).toBeGreaterThan(100);
  });

  test('it is pure: the input stays as it was, and the same input gives the same result', () => {
    fc.assert(
      fc.property(facts, minor(31, 35), (cluster, target) => {
        const before = structuredClone(cluster);
        const request = { target, policy: policy(), now: NOW };
        expect(planUpgrade(cluster, request)).toEqual(planUpgrade(cluster, request));
        expect(cluster).toEqual(before);
      }),
      { numRuns: 50, seed: 20_260_908 },
    );
  });
});
