/** Forecast and fact of a run: lengths, nodes, who blocked; and how far off forecasts usually are. */
import { describe, expect, test } from 'vitest';
import type { GateBlocked, GateState } from '../../../../domain/gates/gate.ts';
import type { QuotedBlocker, QuotedForecast } from '../../../../domain/plan/forecast/quoted.ts';
import { compareForecast, comparedIn, type ForecastCompared } from '../../../../domain/run/forecasts/compare.ts';
import { compareBlocked } from '../../../../domain/run/forecasts/compare-blocked.ts';
import { errorsOf, usualErrors } from '../../../../domain/run/forecasts/errors.ts';
import type { StepView } from '../../../../domain/run/record/status.ts';
import { spread } from '../../../support/forecasts.ts';
import { step } from '../../../support/plan.ts';
import { at, gate } from '../durations/support.ts';

const pod = (name: string, workload?: string): QuotedBlocker => ({
  pod: `shop/${name}`,
  node: `node-of-${name}`,
  ...(workload === undefined ? {} : { workload: `StatefulSet shop/${workload}` }),
  reason: 'budget',
  budgets: [],
});
const blockers = (...pods: QuotedBlocker[]): QuotedForecast['blockers'] => ({ count: pods.length, nodeCount: pods.length, pods });
const blocked = (id: string, nodes: GateBlocked[], stepId = 'karpenter-drift@1.32'): GateState => {
  const asked = gate(id, stepId, 0, 5);
  return { ...asked, gate: { ...asked.gate, blocked: nodes } };
};
const said = (stepId: string, lines: string[]): GateState => {
  const asked = gate(`failed:${stepId}#1`, stepId, 0, 5);
  return { ...asked, gate: { ...asked.gate, evidence: [{ title: 'Failed', lines: [], more: lines }] } };
};

const FORECAST: QuotedForecast = {
  kind: 'made',
  snapshotTakenAt: '2026-01-10T06:00:00.000Z',
  madeAt: '2026-01-10T06:05:00.000Z',
  ageMs: 7_200_000,
  total: spread(60, 80),
  steps: [
    { id: 'control-plane@1.32', takes: spread(10, 12) },
    { id: 'node-groups@1.32', takes: spread(20, 25) },
    { id: 'karpenter-drift@1.32', takes: spread(30, 40) },
  ],
  blockers: blockers(pod('web-0', 'web')),
  downtimes: { count: 0, workloads: [] },
  nodesReplaced: { p50: 7, p90: 8 },
  limitCount: 0,
};
const PLAN = { steps: [step('control-plane'), step('node-groups'), step('karpenter-drift')] };
const view = (id: string, minutes: number, change: Partial<StepView> = {}): StepView => ({
  id,
  title: id,
  state: 'completed',
  startedAt: at(0),
  endedAt: at(minutes),
  expectedMs: 0,
  ...change,
});
const ROLLED = { rolled: { doneCount: 5, totalCount: 5, unit: 'node' } };
const STEPS = [view('control-plane@1.32', 12), view('node-groups@1.32', 26), view('karpenter-drift@1.32', 31, ROLLED)];
const ended = (steps: StepView[], decisions: GateState[] = [], outcome: 'completed' | 'failed' = 'completed') => ({
  outcome,
  decisions,
  status: { startedAt: at(0), endedAt: at(90), steps },
});

describe('a run beside its forecast', () => {
  test('says of the whole and of each step whether it was within p90, and how many nodes were replaced', () => {
    const compared = compareForecast(FORECAST, ended(STEPS), PLAN);
    expect(compared.total).toEqual({ forecast: spread(60, 80), actualMs: 90 * 60_000, waitedMs: 0, within: false });
    expect(compared.steps.map(({ id, within }) => [id, within])).toEqual([
      ['control-plane@1.32', true],
      ['node-groups@1.32', false],
      ['karpenter-drift@1.32', true],
    ]);
    expect(compared.nodes).toEqual({ forecast: { p50: 7, p90: 8 }, actual: 2 + 5 });
    expect(comparedIn(JSON.parse(JSON.stringify({ forecast: compared })))).toEqual(compared);
  });

  test('counts what people took apart: not the first gate, not what stands open beside the work', () => {
    const [controlPlane = view('', 0), groups = view('', 0), drift = view('', 0)] = STEPS;
    const steps = [
      { ...controlPlane, startedAt: at(30), endedAt: at(42) },
      { ...groups, startedAt: at(42), endedAt: at(68) },
      { ...drift, startedAt: at(68), endedAt: at(90) },
    ];
    const aside = gate('bake:node-groups@1.32#1', 'node-groups@1.32', 42, 68);
    const decisions = [
      gate('before:control-plane@1.32#1', 'control-plane@1.32', 0, 30),
      gate('failed:node-groups@1.32#1', 'node-groups@1.32', 50, 60),
      { ...aside, gate: { ...aside.gate, byItself: true as const } },
      gate('blocked:karpenter-drift@1.32/n#1', 'karpenter-drift@1.32', 70, 80),
      gate('pace:karpenter-drift@1.32#1', 'karpenter-drift@1.32', 72, 86),
    ];
    const compared = compareForecast(FORECAST, ended(steps, decisions), PLAN);
    expect(compared.total).toMatchObject({ actualMs: 60 * 60_000, waitedMs: 10 * 60_000, within: true });
    expect(compared.steps.map(({ actualMs }) => actualMs / 60_000)).toEqual([12, 16, 22]);
  });

  test('that did not complete has no total, no step that did not, and nodes that nobody counted are not zero', () => {
    const steps = [view('control-plane@1.32', 12), view('node-groups@1.32', 26, { state: 'failed' })];
    const compared = compareForecast(FORECAST, ended(steps, [], 'failed'), PLAN);
    expect(compared.total).toBeUndefined();
    expect(compared.steps.map(({ id }) => id)).toEqual(['control-plane@1.32']);
    expect(compared.nodes).toEqual({ forecast: { p50: 7, p90: 8 } });
  });

  test('of a roll that ended before it said how far it was has replaced what was planned', () => {
    const steps = [...STEPS.slice(0, 2), view('karpenter-drift@1.32', 1)];
    const [, , drift] = PLAN.steps;
    const planned = drift?.params.phase === 'karpenter-drift' ? drift.params.nodeCount : 0;
    expect(compareForecast(FORECAST, ended(steps), PLAN).nodes.actual).toBe(2 + planned);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a record without one', { report: {} }],
    ['one of another shape', { forecast: { snapshotTakenAt: 'x', steps: [], blocked: {}, nodes: {} } }],
  ])('a comparison is not read from %s', (_what, json) => {
    expect(comparedIn(json)).toBeUndefined();
  });
});

describe('pods that blocked', () => {
  const none = { foreseen: [], notForeseen: [], notBlocked: [], unnamedCount: 0 };

  test.each<[string, QuotedForecast['blockers'], GateState[], Partial<ReturnType<typeof compareBlocked>>]>([
    ['none, and none foreseen', blockers(), [], {}],
    ['as foreseen', blockers(pod('web-0')), [blocked('G', [{ node: 'n', pod: 'shop/web-0' }])], { foreseen: ['shop/web-0'] }],
    [
      'a newer pod of the workload that was foreseen',
      blockers(pod('web-7d9f-abc', 'web')),
      [blocked('G', [{ node: 'n', pod: 'shop/web-7d9f-xyz', workload: 'StatefulSet shop/web' }])],
      { foreseen: ['shop/web-7d9f-abc'] },
    ],
    ['that nobody foresaw', blockers(), [blocked('G', [{ node: 'n', pod: 'shop/db-0' }])], { notForeseen: ['shop/db-0'] }],
    ['a node of which no pod is known', blockers(), [blocked('G', [{ node: 'n' }])], { notForeseen: ['node n'] }],
    ['foreseen alone, on one node or another', blockers(pod('web-0'), { ...pod('web-0'), node: 'n2' }), [], { notBlocked: ['shop/web-0'] }],
    [
      'asked about twice',
      blockers(),
      [blocked('G#1', [{ node: 'n', pod: 'shop/db-0' }]), blocked('G#2', [{ node: 'n', pod: 'shop/db-0' }])],
      { notForeseen: ['shop/db-0'] },
    ],
    [
      'in the words of EKS, for a node group',
      blockers(pod('web-1'), pod('web-10')),
      [said('node-groups@1.32', ['PodEvictionFailure: pod "web-10" of node ip-1 (shop/web-10).'])],
      { foreseen: ['shop/web-10'], notBlocked: ['shop/web-1'] },
    ],
    [
      'in the words of another step, which replaces no node',
      blockers(pod('web-0')),
      [said('add-ons-target@1.32', ['web-0 is not Ready'])],
      { notBlocked: ['shop/web-0'] },
    ],
    [
      'of which some foreseen ones were not named: nothing is called unforeseen',
      { count: 51, nodeCount: 51, pods: [pod('web-0')] },
      [blocked('G', [{ node: 'n', pod: 'shop/db-0' }])],
      { notBlocked: ['shop/web-0'], unnamedCount: 50 },
    ],
  ])('%s', (_what, foreseen, decisions, expected) => {
    expect(compareBlocked(foreseen, decisions)).toEqual({ ...none, ...expected });
  });
});

describe('how far off forecasts were', () => {
  const compared = (drifts: number[], change: Partial<ForecastCompared> = {}): ForecastCompared => ({
    ...compareForecast(FORECAST, ended([]), PLAN),
    steps: drifts.map((minutes, index) => ({
      id: `karpenter-drift@1.${index}`,
      title: 'nodes',
      phase: 'karpenter-drift',
      forecast: spread(30),
      actualMs: minutes * 60_000,
      within: true,
    })),
    ...change,
  });

  test('of a run: its whole, and each phase, of several hops the mean', () => {
    expect(errorsOf(compared([60, 40]))).toEqual({ total: 0.4, phases: { 'karpenter-drift': (0.5 + 0.25) / 2 } });
    expect(errorsOf(compared([60], { another: 'pace 1' }))).toBeUndefined();
    expect(errorsOf(compared([60], { another: 'other versions or nodes' }))).toEqual(errorsOf(compared([60])));
    expect(errorsOf(compared([0]))).toEqual({ phases: {} });
  });

  test('of the last ten runs that had one: the median', () => {
    const runs = [undefined, ...[40, 60, 20].map((minutes) => errorsOf(compared([minutes])))];
    expect(usualErrors(runs)).toEqual({ runCount: 3, total: 0.5, phases: { 'karpenter-drift': 0.5 } });
    expect(usualErrors(Array.from({ length: 12 }, () => ({ phases: {} })))).toEqual({ runCount: 10, phases: {} });
    expect(usualErrors([undefined])).toBeUndefined();
  });
});
