/** However an upgrade ends, the cluster is left as promised, and the thread says what happened. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { conversionWebhook } from '../../rehearsal/scenarios/conversion-webhook.ts';
import { small } from '../../rehearsal/scenarios/small.ts';
import { ALEX, type Play, type PlayOptions, SAM } from './support/play.ts';
import {
  expectKept,
  expectReportsKept,
  expectReportsNothing,
  expectRestored,
  expectWatchedToItsEnd,
  replacements,
} from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';
import { wordsOf } from './support/words.ts';

/** Slower than the others, so that a control plane takes seconds and can be stopped in its middle. */
const SLOWLY = 60;
const HASTY_MS = 4_000;

let theatre: Theatre;
let play: Play;
let count = 0;

beforeAll(async () => {
  theatre = await Theatre.open({
    ...houses('small', 40, { scenario: small }),
    // 1.33 is offered by then.
    ...houses('later', 1, { scenario: { ...small, startsAt: '2025-11-01T08:00:00Z' } }),
    // Each node takes seconds, so that Karpenter is still at it when an abort arrives.
    ...houses('sluggish', 1, { scenario: { ...small, tempo: { ...small.tempo, nodeLaunchMs: 600_000 } } }),
    ...houses('conversion', 1, { scenario: conversionWebhook }),
    ...houses('hasty', 5, { scenario: small, timing: { gateDeadline: HASTY_MS, gateReminders: [] } }),
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function begin(options: Parameters<Theatre['play']>[1] = {}): Promise<void> {
  count += 1;
  play = await theatre.play(`small-${count}`, options);
}

/** Gates of the plan, what was moved before each, and whether the freeze is there then. */
const GATES: { gate: string; title: string; freeze: 'none' | 'restored' | 'kept' }[] = [
  { gate: 'before:pre-checks@1.32#1', title: 'Pre-checks for 1.32', freeze: 'none' },
  { gate: 'before:control-plane@1.32#1', title: 'Control plane 1.31 → 1.32', freeze: 'restored' },
  { gate: 'before:node-groups@1.32#1', title: 'Node groups → 1.32', freeze: 'kept' },
  { gate: 'before:karpenter-drift@1.32#1', title: 'Karpenter nodes → 1.32', freeze: 'kept' },
];
const at =
  (gate: string, choice: string): PlayOptions['decide'] =>
  (id) =>
    id === gate ? choice : undefined;

/** The control plane is where it was, or at the target and no further step was begun. */
async function expectLeft(freeze: 'none' | 'restored' | 'kept'): Promise<void> {
  if (freeze === 'kept') {
    await expectKept(play);
    expectReportsKept(play);
    expect(replacements(play)).toEqual([]);
    await expectWatchedToItsEnd(play);
  } else {
    await expectRestored(play);
    expectReportsNothing(play);
    expect(play.controlPlaneUpdates()).toEqual([]);
    expect(play.thread().some((words) => words.includes('The freeze is lifted ('))).toBe(freeze === 'restored');
  }
}

describe('at each gate of the plan', () => {
  test('these are the gates', async () => {
    await begin();
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'completed' });
    expect(play.record().decisions.map(({ gate }) => gate.id)).toEqual(GATES.map(({ gate }) => gate));
    await expectRestored(play);
    expectReportsNothing(play);
    expect(play.stage.built.unmet()).toEqual([]);
  });

  test.each(GATES)('reject at $gate: freeze $freeze', async ({ gate, title, freeze }) => {
    await begin({ decide: at(gate, 'reject') });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'stopped', status: { headline: `${title} was rejected by sam` } });
    await play.says(new RegExp(`Stopped: ${play.cluster} 1.31 → 1.32. ${title} was rejected by sam`));
    await play.says(new RegExp(`🛑 .+: \\*Reject\\* by <@${SAM}>`));
    await expectLeft(freeze);
  });

  test.each(GATES.slice(0, 3))('nobody decides at $gate: freeze $freeze', async ({ gate, title, freeze }) => {
    play = await theatre.play(`hasty-${GATES.findIndex((one) => one.gate === gate) + 1}`, { decide: at(gate, 'ignore') });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    const headline = `Nobody decided at ${gate} in time, so ${title} did not start`;
    expect(play.record()).toMatchObject({ outcome: 'stopped', status: { headline } });
    expect(play.record().decisions.at(-1)).toMatchObject({ kind: 'expired', gate: { id: gate } });
    await play.says(/\*Expired\* .+: nobody decided in time, so nothing was approved/);
    await play.says(new RegExp(`Stopped: .+${title} did not start`));
    expect(play.openGates().has(gate)).toBe(false);
    await expectLeft(freeze);
  });
});

/** Phases and whether nodes lag behind the control plane when they are stopped in their middle. */
const MIDDLES: { phase: string; freeze: 'none' | 'restored' | 'kept' | 'lifted' }[] = [
  { phase: 'pre-checks', freeze: 'none' },
  { phase: 'add-ons-bridge', freeze: 'none' },
  { phase: 'freeze-drift', freeze: 'restored' },
  { phase: 'control-plane', freeze: 'kept' },
  { phase: 'bake', freeze: 'kept' },
  { phase: 'node-groups', freeze: 'kept' },
  { phase: 'karpenter-drift', freeze: 'kept' },
  { phase: 'add-ons-target', freeze: 'lifted' },
  { phase: 'validation', freeze: 'lifted' },
];

describe('abort on the board', () => {
  test.each(MIDDLES)('T14: in the middle of $phase: freeze $freeze', async ({ phase, freeze }) => {
    if (phase === 'karpenter-drift') play = await theatre.play('sluggish-1', { speed: 400 });
    else await begin({ speed: phase === 'control-plane' ? SLOWLY : undefined });
    const aborted = play.inTheMiddle(phase, async () => {
      expect(await play.pressBoard(ALEX, 'abort')).toMatch(/^Aborting: /);
    });
    await play.start();
    await aborted;
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted', status: { headline: 'Aborted by alex' } });
    await play.says(/Abort requested by alex/);
    await play.says(new RegExp(`Aborted: ${play.cluster} 1.31 → 1.32. Aborted by alex`));
    if (freeze === 'kept') {
      await expectKept(play);
      expectReportsKept(play);
      await expectWatchedToItsEnd(play);
    } else {
      await expectRestored(play);
      expectReportsNothing(play);
      expect(play.controlPlaneUpdates()).toHaveLength(freeze === 'lifted' ? 1 : 0);
    }
    // Whatever EKS had begun was seen through, not left running.
    expect(play.world.eks.updates.filter(({ status }) => status === 'InProgress')).toEqual([]);
  });

  test('at a gate of a step: the run ends as aborted by the one who pressed, and the step with it', async () => {
    await begin({
      faults: ['eks:side-effect=nodepool.limits'],
      decide: (id) => (id.startsWith('unexpected-change:') ? 'abort' : undefined),
    });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    const headline = 'Aborted by sam: nodepools default: spec.limits.cpu changed, although the step did not request it';
    expect(play.record()).toMatchObject({ outcome: 'aborted', status: { headline } });
    await play.says(new RegExp(`Aborted: ${play.cluster} 1.31 → 1.32. Aborted by sam`));
    expect(
      play
        .record()
        .decisions.map(({ gate }) => gate.id)
        .filter((id) => id.startsWith('failed:')),
    ).toEqual([]);
  });

  test('a worker that is dead hears of it when it is back', async () => {
    await begin({ speed: SLOWLY });
    const aborted = play.inTheMiddle('control-plane', async () => {
      theatre.kill('worker');
      expect(await play.pressBoard(ALEX, 'abort')).toBe('Recorded; no worker has answered yet, and it is applied as soon as one does.');
    });
    await play.start();
    await aborted;
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted', status: { headline: 'Aborted by alex' } });
    await expectLeft('kept');
  });
});

type Moment = 'before' | 'during' | 'after';
/** Runs `act` before, while and after the control plane moves. */
async function runAnd(moment: Moment, act: () => Promise<void>): Promise<void> {
  const gate = moment === 'before' ? 'before:control-plane@1.32#1' : 'before:node-groups@1.32#1';
  await begin({ decide: moment === 'during' ? undefined : at(gate, 'ignore'), speed: moment === 'during' ? SLOWLY : undefined });
  const middle = moment === 'during' ? play.inTheMiddle('control-plane', act) : undefined;
  await play.start();
  if (middle !== undefined) return await middle;
  await play.gate(gate);
  await act();
}

const MOMENTS: { moment: Moment; freeze: 'restored' | 'kept' }[] = [
  { moment: 'before', freeze: 'restored' },
  { moment: 'during', freeze: 'kept' },
  { moment: 'after', freeze: 'kept' },
];

describe('from Temporal', () => {
  test.each(MOMENTS)('T14: cancelled $moment the control plane moved: freeze $freeze', async ({ moment, freeze }) => {
    await runAnd(moment, async () => void (await theatre.client.workflow.getHandle(play.workflowId).cancel()));
    expect(await play.closed()).toBe('CANCELLED');
    expect(play.record()).toMatchObject({ outcome: 'aborted', status: { headline: 'Cancelled in Temporal' } });
    await play.says(/Aborted: .+ Cancelled in Temporal/);
    if (moment !== 'during') await play.says(/\*Withdrawn\* .+: the run is being stopped/);
    await expectLeft(freeze);
  });

  test.each(MOMENTS)('T15: terminated $moment the control plane moved: freeze $freeze', async ({ moment, freeze }) => {
    await runAnd(moment, async () => void (await theatre.client.workflow.getHandle(play.workflowId).terminate('by hand')));
    expect(await play.closed()).toBe('TERMINATED');
    // Nobody is left to write a record: the guard of the freeze does its part and says it.
    if (freeze === 'kept') {
      await expectKept(play);
      expect(replacements(play)).toEqual([]);
      await expectWatchedToItsEnd(play);
    } else {
      await play.says(/The freeze is lifted \(the run was cancelled or has ended\); budgets are as before on default/);
      await expectRestored(play);
      expect(play.controlPlaneUpdates()).toEqual([]);
    }
  });
});

describe('a worker killed without warning', () => {
  test.each([
    { moment: 'before', phase: 'freeze-drift' },
    { moment: 'during', phase: 'control-plane' },
    { moment: 'after', phase: 'node-groups' },
  ])('$moment the control plane moved: the run continues, nothing is done twice, and its gates still stop it', async ({ phase }) => {
    const gate = phase === 'freeze-drift' ? 'before:control-plane@1.32#1' : 'before:karpenter-drift@1.32#1';
    await begin({ decide: at(gate, 'reject') });
    const killed = play.inTheMiddle(phase, () => theatre.kill('worker'));
    await play.start();
    await killed;
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'stopped' });
    const made = [...play.accepted('eks'), ...play.accepted('kubernetes')].map(({ operation, resource }) => `${operation} ${resource}`);
    const before = ['UpdateAddon addon/coredns', 'patch nodepools nodepools/default'];
    expect(made.toSorted()).toEqual(
      phase === 'freeze-drift'
        ? [...before, 'patch nodepools nodepools/default'].toSorted()
        : [...before, 'UpdateClusterVersion cluster', 'UpdateNodegroupVersion nodegroup/default'].toSorted(),
    );
    await expectLeft(phase === 'freeze-drift' ? 'restored' : 'kept');
  });
});

describe('a step that fails', () => {
  const FAILED = 'failed:control-plane@1.32#1';

  test('A6: the control plane, then Retry: a new update with a new token, and the run completes', async () => {
    await begin({ faults: ['control-plane-fails'] });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'completed', leftBehind: [] });
    expect(play.record().decisions.map(({ gate, decision }) => `${gate.id} ${decision?.choice}`)).toContain(`${FAILED} retry`);
    expect(play.controlPlaneUpdates().map(({ status }) => status)).toEqual(['Failed', 'Successful']);
    const tokens = play.accepted().flatMap(({ operation, token }) => (operation === 'UpdateClusterVersion' ? [token] : []));
    expect(tokens).toEqual([expect.stringMatching(/^belay-[0-9a-f]{32}$/), expect.stringMatching(/^belay-[0-9a-f]{32}$/)]);
    expect(new Set(tokens).size).toBe(2);
    await play.says(/Control plane .+ failed.*: \*Fixed: continue\* by <@U0SAM>/);
    await expectRestored(play);
    expect(play.stage.built.unmet()).toEqual([]);
  });

  test('the control plane, then Abort: it has not moved, so the freeze is lifted', async () => {
    await begin({ faults: ['control-plane-fails'], decide: at(FAILED, 'abort') });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted', status: { headline: 'Aborted by sam: Control plane 1.31 → 1.32 failed' } });
    expect(play.world.eks.cluster.version).toBe('1.31');
    await expectRestored(play);
    expectReportsNothing(play);
  });

  test('the control plane, and nobody decides: the run stops and the freeze is lifted', async () => {
    play = await theatre.play('hasty-4', { faults: ['control-plane-fails'], decide: at(FAILED, 'ignore') });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'stopped' });
    expect(play.record().status.headline).toMatch(/^Control plane 1.31 → 1.32 failed and nobody decided in time: /);
    await expectRestored(play);
    expectReportsNothing(play);
  });

  test('A20: a node group, then Abort: the freeze is kept', async () => {
    await begin({ faults: ['node-group-fails'], decide: at('failed:node-groups@1.32#1', 'abort') });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted' });
    await expectLeft('kept');
  });

  test('a node group, then Skip with a reason: the run continues without it, and the record has the reason', async () => {
    await begin({
      faults: ['node-group-fails'],
      decide: (id) => (id === 'failed:node-groups@1.32#1' || id === 'failed:validation@1.32#1' ? 'skip' : undefined),
    });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'completed', leftBehind: [] });
    expect(play.record().status.steps.find(({ id }) => id === 'node-groups@1.32')?.state).toBe('skipped');
    await play.says(/Node groups .+ failed.*: \*Skip\* by <@U0SAM>.*\n> rehearsal: skip by the persona/);
    await expectRestored(play);
    expect(play.stage.built.unmet()).not.toEqual([]);
  });
});

describe('a freeze that was kept, later', () => {
  const GATE = 'kept:freeze-drift@1.32#1';

  test('Lift and roll: budgets are as before, and Karpenter replaces what lags', async () => {
    await begin({ decide: (id) => (id === GATE ? 'ignore' : id === 'before:karpenter-drift@1.32#1' ? 'reject' : undefined) });
    await play.start();
    await play.closed();
    await expectLeft('kept');
    await play.press(SAM, GATE, 'lift-and-roll', 'the night shift watches');
    await play.says(/The freeze is lifted \(Lift and roll was chosen\)/);
    await expectRestored(play);
    await eventually('Karpenter replaces nodes', () => replacements(play).length > 0);
  });

  test('Hold the AMIs: nodes stay, budgets are as before, and the pins are said', async () => {
    await begin({ decide: (id) => (id === GATE ? 'ignore' : id === 'before:karpenter-drift@1.32#1' ? 'reject' : undefined) });
    await play.start();
    await play.closed();
    await expectLeft('kept');
    await play.press(SAM, GATE, 'hold-amis', 'the app team needs a week');
    await play.says(/AMIs are held on default/);
    await play.says(/The freeze is lifted \(Hold the AMIs was chosen\)/);
    expect(play.stage.built.diff().map(({ resource }) => resource)).not.toContain('nodepools/default');
    expect(play.stage.built.diff().map(({ kind }) => kind)).toContain('ami-selector');
    expect(replacements(play)).toEqual([]);
  });

  test('the next upgrade takes the freeze over, and in the end restores the budgets of before the first', async () => {
    play = await theatre.play('later-1', {
      decide: (id) => (id === GATE ? 'ignore' : id === 'before:node-groups@1.32#1' ? 'reject' : undefined),
    });
    await play.start();
    await play.closed();
    await expectLeft('kept');
    await play.start('1.33');
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'completed', leftBehind: [] });
    await expectRestored(play);
    expect(play.world.store.list('nodes').map(kubeletMinor)).toEqual(play.world.store.list('nodes').map(() => '1.33'));
    expect(play.openGates().has(GATE)).toBe(false);
  });
});

test('a conversion webhook that points nowhere: the thread names it before anything moves; mended, the upgrade continues', async () => {
  const failed = 'failed:pre-checks@1.32#1';
  play = await theatre.play('conversion-1', { decide: at(failed, 'ignore') });
  await play.start();
  const said = wordsOf(await play.gate(failed));
  expect(said).toContain('• FAILED Conversion webhooks have endpoints: 3 CustomResourceDefinitions whose objects cannot be converted: ');
  expect(said).toContain('Service karpenter/karpenter is not there');
  await play.press(SAM, failed, 'retry');
  expect(await play.closed()).toBe('COMPLETED');
  const decided = play.record().decisions.map(({ gate, decision }) => `${gate.id} ${decision?.choice}`);
  // 1.2 knows v1 alone: people are asked before.
  const leaving = 'before:karpenter-controller@1.32#1 approve';
  expect(decided.slice(0, 4)).toEqual([
    'before:pre-checks@1.32#1 approve',
    `${failed} retry`,
    leaving,
    'before:control-plane@1.32#1 approve',
  ]);
  await expectRestored(play);
  expectReportsNothing(play);
  expect(play.stage.built.unmet()).toEqual([]);
});
