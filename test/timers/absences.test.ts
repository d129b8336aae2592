/** Nobody at work: the worker is away for two hours in each phase, Temporal for one. The run continues where it was, asks nobody, and ends right. */
import { expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import { ALL_PHASES, BACK_PHASES, PHASES, type PhaseId } from '../../domain/core/phases.ts';
import { count, type FakeWorld } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { expectEndedWell, longLived } from './long-life.ts';
import { DAY, type Fake, HOUR, later, MINUTE, type Patience, soon, withPatience } from './support.ts';

/** What each phase waits for while nobody is there. */
const WAITS: Record<PhaseId, keyof BelayActivities> = {
  'pre-checks': 'runPreChecks',
  'control-plane-logging': 'startLogging',
  'karpenter-migration': 'readKarpenterMigration',
  'karpenter-controller': 'awaitKarpenterVersion',
  istio: 'awaitProxies',
  'add-ons-bridge': 'awaitUpdate',
  'freeze-drift': 'freezeDrift',
  'control-plane': 'awaitUpdate',
  bake: 'verifyControlPlane',
  'node-groups': 'awaitUpdate',
  'other-nodes': 'awaitFargate',
  'karpenter-drift': 'watchDrift',
  'add-ons-target': 'awaitUpdate',
  validation: 'validateCluster',
  'rollback-checks': 'checkWayBack',
  'add-ons-back': 'awaitUpdate',
  'control-plane-back': 'awaitUpdate',
  'node-classes-back': 'awaitAmis',
};

const never = async (): Promise<never> => later('not the matter here', 60 * DAY);
const stepOfCall = (): string => Context.current().info.workflowExecution?.workflowId.split('/').at(-1) ?? '';

/** Each phase finds at its first look that it has to wait longer than anybody is away. `waiting`: steps that do. */
function waitingInEach(phases: PhaseId[]): { fake: Fake; waiting: Set<string> } {
  const waiting = new Set<string>();
  const fake = longLived(plan(phases), () => ({
    watchFreeze: never,
    watchCluster: never,
    watchHealth: never,
    awaitUnrequestedRollback: never,
  }));
  const patient = Object.entries(fake.activities).map(([name, call]) => {
    const look = (input: never): unknown => {
      const step = stepOfCall();
      const isWaitedFor = ALL_PHASES.some((phase) => step.startsWith(`${phase}@`) && WAITS[phase] === name);
      if (!isWaitedFor || waiting.has(step)) return (call as (input: never) => unknown)(input);
      waiting.add(step);
      return later('not there yet', 3 * HOUR);
    };
    return [name, look];
  });
  return { fake: { world: fake.world, activities: { ...fake.activities, ...Object.fromEntries(patient) } }, waiting };
}

/** Gates of the plan that the thread shows as open. What is asked beyond it is answered by nobody, so that a run which has given something up gets no further. */
function asked({ published }: FakeWorld): string[] {
  const last = new Map(
    published.flatMap(({ notification: told }) => (told.kind === 'gate' ? [[told.state.gate.id, told.state.kind]] : [])),
  );
  return [...last].flatMap(([id, kind]) => (kind === 'open' && /^(before|retire|wave):/.test(id) ? [id] : []));
}

const reported = ({ published }: FakeWorld): boolean => published.some(({ notification: { kind } }) => kind === 'report');

/** Lets the time pass, and people approve what the thread shows as open, until it is seen. Nobody asks the run itself: a worker on its way back may not answer. */
async function forward({ run, pass }: Patience, { world }: Fake, seen: () => boolean, what: string): Promise<void> {
  for (let look = 0; look < 300; look += 1) {
    for (const gate of asked(world)) await run.decide(gate, 'approve');
    if (seen()) return;
    await pass(10 * MINUTE);
    // The worker may have just come back.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It never came to this: ${what}; ${world.calls.map(({ name }) => name).join(' ')}`);
}

// Three runs: one of all phases would have to end within one test's time on a busy machine.
const [FREEZE, THAWED] = [PHASES.indexOf('freeze-drift'), PHASES.indexOf('add-ons-target')];

test.each([
  ['an upgrade until the freeze', PHASES.slice(0, FREEZE)],
  ['an upgrade from the freeze to nodes', PHASES.slice(FREEZE, THAWED)],
  ['an upgrade from nodes on', PHASES.slice(THAWED)],
  ['a way back', ['freeze-drift', ...BACK_PHASES] satisfies PhaseId[]],
] as [string, PhaseId[]][])(
  'the worker is away for two hours in each phase of %s: nothing is given up, and nobody is asked',
  async (_what, phases) => {
    const { fake, waiting } = waitingInEach(phases);
    // Nodes go back before the control plane does.
    if (phases.includes('control-plane-back')) fake.world.nodes = { '1.32': 5 };
    const main = async (patience: Patience): Promise<void> => {
      for (const phase of phases) {
        await forward(patience, fake, () => waiting.has(`${phase}@1.32`), `${phase} waits`);
        // What goes to the board has gone.
        await patience.pass(MINUTE);
        const calls = fake.world.calls.length;
        await patience.withoutWorker(async () => {
          await patience.pass(2 * HOUR);
          expect(fake.world.calls).toHaveLength(calls);
        });
        await patience.pass(HOUR);
      }
      await forward(patience, fake, () => reported(fake.world), 'the end');
      await expectEndedWell(patience, fake, await patience.run.handle.result());
    };
    await withPatience(fake, main);
  },
  900_000,
);

test('Temporal is away for an hour, first while a gate is open, then while EKS moves the control plane: both go on when it is back', async () => {
  const steps: PhaseId[] = ['freeze-drift', 'control-plane', 'karpenter-drift'];
  const gate = 'before:control-plane@1.32#1';
  const { fake, waiting } = waitingInEach(steps);
  await withPatience(fake, async (patience) => {
    const { run, pass, withoutTemporal } = patience;
    const away = async (): Promise<void> => {
      await pass(MINUTE);
      await withoutTemporal(() => pass(HOUR));
    };
    await soon(() => waiting.has('freeze-drift@1.32'), 'the freeze waits');
    await pass(3 * HOUR);
    await run.until(({ gates }) => gates.some(({ id }) => id === gate));
    await away();
    expect((await run.status()).gates.map(({ id }) => id)).toEqual([gate]);
    await run.decide(gate, 'approve');
    await forward(patience, fake, () => waiting.has('control-plane@1.32'), 'EKS is at work');
    await away();
    expect((await run.status()).gates).toEqual([]);
    await forward(patience, fake, () => reported(fake.world), 'the end');
    await expectEndedWell(patience, fake, await run.handle.result());
    expect(count(fake.world, 'startControlPlaneUpdate')).toBe(1);
  });
}, 540_000);
