/** What was learnt stands in the plan, beside what people approve. */
import { describe, expect, test } from 'vitest';
import { usualUnitMs } from '../../../../domain/plan/durations/expect-plan.ts';
import { lateAfterMs } from '../../../../domain/run/durations/late.ts';
import { workLeftMs } from '../../../../domain/run/durations/left.ts';
import { suspects } from '../../../../domain/plan/durations/suspects.ts';
import { type Learnt, usualRange, usualWords } from '../../../../domain/plan/model/usual.ts';
import { PHASES, type PhaseId } from '../../../../domain/core/phases.ts';
import { planHash, planUpgrade } from '../../../../domain/plan/plan-upgrade.ts';
import type { PlannedStep, UpgradePlan } from '../../../../domain/plan/model/types.ts';
import { policy, seed000Facts } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';
import { MINUTE_MS } from '../../run/durations/support.ts';

const usual = { minMs: 9 * MINUTE_MS, maxMs: 14 * MINUTE_MS, count: 4, of: 'cluster' } as const;
const LEARNT: Learnt = {
  'control-plane': { ...usual, medianMs: 11 * MINUTE_MS },
  'karpenter-node': { medianMs: 2 * MINUTE_MS, minMs: MINUTE_MS, maxMs: 3 * MINUTE_MS, count: 2, of: 'environment' },
};

function planned(learnt: Learnt | undefined, expected?: { controlPlaneMs: number }, unlearnt?: string): UpgradePlan {
  const base = policy();
  const result = planUpgrade(seed000Facts(), {
    target: '1.32',
    policy: { ...base, timing: { ...base.timing, ...(expected === undefined ? {} : { expected }) } },
    now: '2025-04-29T08:00:00Z',
    ...(learnt === undefined ? {} : { learnt }),
    ...(unlearnt === undefined ? {} : { unlearnt }),
  });
  if (result.kind !== 'plan') throw new Error('refused');
  return result.plan;
}

function stepOf({ steps }: UpgradePlan, phase: string): PlannedStep {
  const found = steps.find((each) => each.phase === phase);
  if (found === undefined) throw new Error(`no ${phase}`);
  return found;
}

describe('a plan with what was learnt', () => {
  test('steps and the sum are as usual here', () => {
    const plan = planned(LEARNT);
    expect(stepOf(plan, 'control-plane')).toMatchObject({ expectedMs: 11 * MINUTE_MS, usual });
    // 32 nodes.
    expect(stepOf(plan, 'karpenter-drift')).toMatchObject({
      expectedMs: 64 * MINUTE_MS,
      usual: { maxMs: 96 * MINUTE_MS, of: 'environment' },
    });
    expect(stepOf(plan, 'validation')).not.toHaveProperty('usual');
    expect(plan.expectedMs).toBe(plan.steps.reduce((sum, { expectedMs }) => sum + expectedMs, 0));
  });

  test('belay.yaml has the last word', () => {
    const plan = planned(LEARNT, { controlPlaneMs: 25 * MINUTE_MS });
    expect(stepOf(plan, 'control-plane').expectedMs).toBe(25 * MINUTE_MS);
    expect(stepOf(plan, 'control-plane')).not.toHaveProperty('usual');
    expect(stepOf(plan, 'karpenter-drift')).toHaveProperty('usual');
  });

  test('no vote is void because a record was written meanwhile: the hash is that of the same plan without', () => {
    const [with_, without] = [planned(LEARNT), planned(undefined)];
    expect(with_.hash).toBe(without.hash);
    expect(planHash(with_)).toBe(with_.hash);
    expect(planned(undefined, undefined, 'denied')).toMatchObject({ hash: without.hash, unlearnt: 'denied' });
  });
});

test.each([
  [
    usual,
    'usually 11 min (median of 4 upgrades of this cluster)',
    'usually 11 min (median of 4 upgrades of this cluster, 9 min to 14 min)',
  ],
  [{ ...usual, count: 1 }, 'usually 11 min (as in one upgrade of this cluster)', 'usually 11 min (as in one upgrade of this cluster)'],
  [{ ...usual, of: 'environment' as const }, 'usually 11 min (median of 4 upgrades of this environment)', expect.any(String)],
  [{ ...usual, of: 'all' as const }, 'usually 11 min (median of 4 upgrades of all clusters)', expect.any(String)],
])('in words: %j', (of, words, range) => {
  expect([usualWords(11 * MINUTE_MS, of), usualRange(11 * MINUTE_MS, of)]).toEqual([words, range]);
});

test('a wave has to fit into a window with what its units usually take; where nothing was learnt that is not known', () => {
  const waves = [['a'], ['b', 'c']];
  const canaries = [
    { fromRevision: '1-28', fromVersion: '1.28.1', toRevision: '1-30', toMinor: '1.30', waves, retire: { bakeMs: 30 * MINUTE_MS } },
  ];
  const mesh = step('istio', {
    params: { phase: 'istio', canaries, managedBy: 'helm', moveBy: 'label', judgedBy: 'state' as const },
    expectedMs: 50 * MINUTE_MS,
  });
  expect([usualUnitMs({ ...mesh, usual }), usualUnitMs(mesh), usualUnitMs({ ...step('bake'), usual })]).toEqual([
    10 * MINUTE_MS,
    undefined,
    undefined,
  ]);
});

describe('late', () => {
  test.each([
    ['1.5 × and 3 ×', 10, 12, 15.5, 30.5],
    ['what an earlier upgrade took as well is not slow', 10, 25, 25.5, 40.5],
  ])('%s', (_title, expected, max, slower, stuck) => {
    const limits = lateAfterMs(expected * MINUTE_MS, { maxMs: max * MINUTE_MS }, MINUTE_MS / 2);
    expect(limits.slower).toBe(slower * MINUTE_MS);
    expect(limits.stuck).toBe(stuck * MINUTE_MS);
  });

  test('every phase has something to look at, with a command', () => {
    for (const phase of PHASES.filter((each) => each !== 'control-plane-logging' && each !== 'karpenter-migration'))
      expect([phase, suspects(step(phase).params, { name: 'prod', region: 'eu-west-1' }).join(' ')]).toEqual([
        phase,
        expect.stringMatching(/`[a-z].+`/),
      ]);
  });

  test('F38: commands of AWS have the name that EKS has for the cluster, those of Belay its own', () => {
    const cluster = { name: 'shop-main', eksName: 'main', region: 'eu-west-1' };
    const said = (phase: PhaseId): string => suspects(step(phase).params, cluster).join('\n');
    expect(said('add-ons-target')).toMatch(
      /`belay check shop-main`, `aws eks describe-addon --cluster-name main --region eu-west-1 --addon-name NAME`/,
    );
    expect(said('pre-checks')).toContain('`aws eks list-insights --cluster-name main --region eu-west-1`');
    expect(said('control-plane')).toContain(
      '`aws eks list-updates --name main --region eu-west-1`, then `aws eks describe-update --name main --region eu-west-1 --update-id ID`',
    );
    expect(said('node-groups')).toContain('`aws eks describe-nodegroup --cluster-name main --region eu-west-1 --nodegroup-name NAME`');
  });
});

test('what is left of a run: planned steps whole, the one under way without what it has taken, late ones nothing', () => {
  const view = (state: 'planned' | 'running' | 'completed', startedAt?: string) => ({
    id: 'x',
    title: 'x',
    state,
    expectedMs: 10 * MINUTE_MS,
    startedAt,
  });
  const now = Date.parse('2026-01-10T08:04:00Z');
  const left = (...steps: ReturnType<typeof view>[]): number => workLeftMs({ steps, gates: [] }, now) / MINUTE_MS;
  expect(left(view('completed', '2026-01-10T07:00:00Z'), view('running', '2026-01-10T08:00:00Z'), view('planned'))).toBe(16);
  expect(left(view('running', '2026-01-10T07:00:00Z'))).toBe(0);
  expect(workLeftMs({ steps: [view('planned')], gates: [], endedAt: '2026-01-10T08:00:00Z' }, now)).toBe(0);
});

test('what is left of a run: a step that waits for people is no further for it, and a roll or a slow update goes on while they decide', () => {
  const began = {
    id: 'karpenter-drift@1.32',
    title: 'x',
    state: 'waiting' as const,
    expectedMs: 60 * MINUTE_MS,
    startedAt: '2026-01-10T08:00:00Z',
  };
  const now = Date.parse('2026-01-10T18:00:00Z');
  const open = (id: string) => ({
    id,
    workflowId: 'w',
    title: 'x',
    choices: [],
    openedAt: '2026-01-10T08:20:00Z',
    expiresAt: '2026-01-11T08:00:00Z',
  });
  const left = (of: { waitedMs?: number; id?: string }, ...gates: string[]): number =>
    workLeftMs({ steps: [{ ...began, ...of }], gates: gates.map(open) }, now) / MINUTE_MS;
  expect(left({}, 'blocked:karpenter-drift@1.32/a#1')).toBe(40);
  expect(left({ waitedMs: 15 * MINUTE_MS }, 'blocked:karpenter-drift@1.32/a#1')).toBe(55);
  expect(left({ waitedMs: (9 * 60 + 30) * MINUTE_MS })).toBe(30);
  expect(left({}, 'blocked:karpenter-drift@1.33/a#1')).toBe(0);
  expect(left({}, 'pace:karpenter-drift@1.32#1')).toBe(0);
  expect(left({ id: 'node-groups@1.32' }, 'blocked:node-groups@1.32/a#1')).toBe(0);
  expect(left({ id: 'bake@1.32' }, 'bake:bake@1.32#1')).toBe(0);
});
