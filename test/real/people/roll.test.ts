/** A real Karpenter rolls thirty nodes in waves, while people freeze, pace and let go, and the worker dies twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addNodePool } from '../../../rehearsal/scenarios/parts/karpenter-parts.ts';
import { karpenterThirty } from '../../../rehearsal/scenarios/karpenter/karpenter-thirty.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { expectReportsNothing, expectRestored } from '../../end-to-end/support/promises.ts';
import { eventually } from '../../support/eventually.ts';
import { openRealPlay, type RealPlay } from '../support/theatre.ts';
import { RollRecorder } from '../support/roll-recorder.ts';

const LIMIT_MS = 30 * 60_000;
const WAVE_MS = 4 * 60_000;
/** Karpenter looks for candidates every ten seconds. */
const FROZEN_MS = 12_000;
const WAVES = [1, 2, 3].map((wave) => `wave:karpenter-drift@1.34/${wave}#1`);

const BUDGETS = [
  { nodes: '50%' },
  { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Underutilized'] },
  { nodes: '3', reasons: ['Empty'] },
];

const scenario: Scenario = {
  ...karpenterThirty,
  karpenter: { paces: ['1'], waves: { by: 'count', nodes: 10, gate: true } },
  // A control plane of this machine that moves answers 5xx for a minute: health checks would hold the roll, and set paces of their own.
  prometheus: 'none',
  build(world) {
    karpenterThirty.build(world);
    world.store.update('nodepools', 'default', undefined, (copy) => void (copy.spec.disruption.budgets = BUDGETS));
    addNodePool(world, { name: 'spare', nodeClass: 'default', nodes: 0, budgets: [] });
  },
};

let real: RealPlay;
let seen: RollRecorder;
let before: Record<string, string>;
const replaced: number[] = [];

/** Text by NodePool, as the API server has it. */
async function budgets(): Promise<Record<string, string>> {
  const { items }: { items: { metadata: { name: string }; spec: { disruption: { budgets?: object[] } } }[] } = JSON.parse(
    await real.api.text('/apis/karpenter.sh/v1/nodepools'),
  );
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.disruption.budgets)]));
}

async function pace(...args: string[]): Promise<void> {
  const { stdout, stderr } = await real.theatre.belay('pace', real.play.cluster, ...args);
  if (!stdout.startsWith('From now on')) throw new Error(`belay pace ${args.join(' ')}: ${stdout}${stderr}`);
}

/** Waits for the gate after a wave, notes how many nodes have been replaced by then, and goes on. */
async function wave(index: number): Promise<void> {
  const gate = WAVES[index] ?? '';
  await real.play.gate(gate, WAVE_MS);
  replaced.push(seen.gone.length);
  await real.play.press('U0SAM', gate, 'approve');
}

describe('thirty nodes of a real Karpenter, in three waves', () => {
  beforeAll(async () => {
    real = await openRealPlay(scenario, { decide: (gate) => (WAVES.includes(gate) ? 'ignore' : undefined) });
    const { play, theatre } = real;
    seen = new RollRecorder(play.stage);
    before = await budgets();
    const killed = play.inTheMiddle('karpenter-drift', () => theatre.kill('worker'));
    await play.start();
    await killed;
    await eventually('Karpenter has begun', () => seen.started.length > 0, WAVE_MS);
    await pace('freeze', '--reason', 'pager');
    await play.says(/sets the pace \(pager\): Karpenter replaces no node/);
    theatre.kill('worker');
    await sleep(FROZEN_MS);
    await theatre.ready();
    await pace('20%', '--reason', 'all clear');
    await wave(0);
    await pace('original');
    await wave(1);
    await play.closed(WAVE_MS);
    seen.close();
  }, LIMIT_MS);
  afterAll(() => real?.close());

  test('the run completes, although its worker died while nodes were held and while people had frozen the roll', async () => {
    expect(real.play.record().outcome).toBe('completed');
    expectReportsNothing(real.play);
    await expectRestored(real.play);
  });

  test('the budgets of every NodePool are byte for byte as before', async () => {
    // The server writes keys in an order of its own.
    expect([JSON.parse(before['default'] ?? ''), before['spare']]).toEqual([BUDGETS, '[]']);
    expect(await budgets()).toEqual(before);
  });

  test('wave by wave: a node of a later wave was never touched', () => {
    expect(replaced).toEqual([10, 20]);
    expect(seen.gone).toHaveLength(30);
    expect(seen.started.filter(({ held }) => held)).toEqual([]);
  });

  test('while people had frozen the roll Karpenter began no replacement', () => {
    expect(seen.started.filter(({ frozen }) => frozen)).toEqual([]);
  });

  test('the pace was theirs: several nodes at a time after 20 %', () => {
    expect(seen.mostAtOnceCount).toBeGreaterThan(1);
  });

  test('nothing was done twice: each node held and given back once, each pace set once', () => {
    const patches = real.play.accepted('kubernetes');
    const of = (operation: string): string[] => patches.filter((one) => one.operation === operation).map(({ resource }) => resource);
    expect(of('patch nodes')).toHaveLength(60);
    // The freeze, one at a time, no node, 20 %, the original pace, and the budgets as before.
    expect(of('patch nodepools').filter((name) => name === 'nodepools/default')).toHaveLength(6);
    expect(of('patch nodepools').filter((name) => name === 'nodepools/spare')).toHaveLength(6);
  });
});
