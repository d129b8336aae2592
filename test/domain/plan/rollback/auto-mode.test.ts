/** The way back on EKS Auto Mode: EKS takes its nodes back first, and what would hold them refuses the plan. */
import { describe, expect, test } from 'vitest';
import type { AutoModePoolFact, ClusterFacts } from '../../../../domain/facts/facts.ts';
import { autoModeBack, autoModeFindings } from '../../../../domain/plan/rollback/auto-mode.ts';
import { planRollback } from '../../../../domain/plan/rollback/plan-rollback.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { healthyFacts, NOW, policy } from '../../../support/facts.ts';

const BACK_TO = parseKubernetesVersion('1.32');
const DAY_MS = 24 * 3_600_000;
const seen = {
  back: wayBack(
    '1.33',
    [{ type: 'VersionUpdate' as const, to: '1.33', createdAt: new Date(Date.parse(NOW) - 2 * DAY_MS).toISOString() }],
    NOW,
  ),
};

/** At 1.33 for two days; four nodes of two pools have followed. */
function moved(pools: Partial<AutoModePoolFact>[] | undefined = [{}, {}], newer = 4): ClusterFacts {
  const base = healthyFacts({ karpenter: undefined });
  return {
    ...base,
    controlPlane: { ...base.controlPlane, autoMode: true },
    nodeGroups: [],
    addOns: [],
    kubelets: [
      { minor: '1.33', count: newer, owner: 'auto-mode' },
      { minor: '1.32', count: 4 - newer, owner: 'auto-mode' },
    ],
    ...(pools === undefined
      ? {}
      : {
          autoModePools: pools.map((pool, at) => ({
            name: ['general-purpose', 'batch'][at] ?? 'more',
            builtIn: at === 0,
            nodeCount: 2,
            ...pool,
          })),
        }),
  };
}

const findings = (facts: ClusterFacts) => autoModeFindings({ facts, backTo: BACK_TO });

describe('the plan', () => {
  test('EKS takes its nodes back in the same step, and the gate says how long it may take and until when it is cancelled', () => {
    const result = planRollback(moved(), seen, policy());
    if (result.kind === 'refused') throw new Error(JSON.stringify(result.violations));
    const { steps } = result.plan;
    expect(steps.map(({ phase }) => phase)).toEqual(['rollback-checks', 'control-plane-back', 'validation']);
    expect(steps[1]?.params).toMatchObject({ autoMode: { nodeCount: 4, timeoutMinutes: 720 } });
    expect(steps[1]?.gate?.next).toContain('cannot be stopped once it moves.');
    expect(steps[1]?.gate?.next).toContain('EKS first replaces 4 nodes of Auto Mode by older ones');
    expect(steps[1]?.gate?.next).toContain('for at most 12 h. Until the control plane itself moves, aborting this run cancels it.');
  });

  test('without Auto Mode the step says nothing of it', () => {
    const facts = moved();
    expect(autoModeBack({ ...facts, controlPlane: { ...facts.controlPlane, autoMode: false } }, BACK_TO, policy().timing)).toBeUndefined();
  });

  test.each([
    { ms: 3 * 3_600_000, minutes: 180 },
    { ms: 60_000, minutes: 120 },
    { ms: 30 * DAY_MS, minutes: 10_080 },
  ])('timing.autoModeRollback of $ms ms is $minutes minutes', ({ ms, minutes }) => {
    const timing = { ...policy().timing, autoModeRollbackMs: ms };
    expect(autoModeBack(moved(), BACK_TO, timing)?.timeoutMinutes).toBe(minutes);
  });
});

describe('what holds nodes', () => {
  test.each([
    {
      what: 'a budget of 0',
      pools: [{}, { budgets: [{ nodes: '0' }] }],
      says: /batch has a budget of nodes: "0".*through whoever keeps them/,
    },
    { what: 'a budget of 0 % for drift', pools: [{}, { budgets: [{ nodes: '0%', reasons: ['Drifted'] }] }], says: /batch has a budget/ },
    {
      what: 'a freeze of Belay',
      pools: [{}, { budgets: [{ nodes: '0' }], frozenBy: 'eks-upgrade/1/freeze-drift@1.33' }],
      says: /batch is still frozen by an upgrade of Belay.*belay reconcile prod --roll/,
    },
    {
      what: 'a marked node',
      pools: [{ markedNodes: { count: 1, names: ['ip-10-0-1-7'] } }],
      says: /1 node of Auto Mode has the annotation.*kubectl annotate node ip-10-0-1-7 karpenter\.sh\/do-not-disrupt-/,
    },
  ])('$what refuses the plan', ({ pools, says }) => {
    const result = planRollback(moved(pools), seen, policy());
    const words = result.kind === 'plan' ? [] : result.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`);
    expect(words).toEqual([expect.stringMatching(says)]);
    expect(words[0]).toMatch(/^RBK004 /);
  });

  test.each([
    { what: 'a budget of 0 for empty nodes only', pools: [{ budgets: [{ nodes: '0', reasons: ['Empty'] }] }] },
    { what: 'a budget of 0 at times', pools: [{ budgets: [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }] }] },
    { what: 'a budget of 0 of a pool without nodes', pools: [{ budgets: [{ nodes: '0' }], nodeCount: 0 }] },
  ])('$what does not', ({ pools }) => {
    expect(findings(moved(pools))).toMatchObject([{ code: 'RBK004', status: 'pass' }]);
  });

  test('where no node is newer a kept freeze holds nothing: people are told, and EKS decides', () => {
    expect(findings(moved([{ budgets: [{ nodes: '0' }], frozenBy: 'guard' }], 0))).toMatchObject([{ severity: 'recommended' }]);
  });

  test('pools that cannot be seen are unknown, not a pass', () => {
    expect(findings(moved([], 4))).toMatchObject([{ status: 'pass' }]);
    const { autoModePools: _pools, ...blind } = moved();
    expect(findings(blind)).toMatchObject([{ status: 'unknown' }]);
  });
});
