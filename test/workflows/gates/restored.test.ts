/** Temporal's database was restored: the step whose change is refused asks, and continues only as people say. */
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { GateDefinition } from '../../../domain/gates/gate.ts';
import type { Restored } from '../../../domain/run/restores/restored.ts';
import { type FakeWorld, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const GATE = 'restored:add-ons-target@1.32/1#1';
const AT = '2026-03-03T10:07:00.000Z';
const FOUND: Restored = {
  at: AT,
  why: 'a change is not in the history any more',
  forgotten: ['2026-03-03T10:00:00Z startAddOnUpdate of add-ons-target@1.32'],
  record: ['2026-03-03T10:05:00.000Z  end      Ended completed'],
};

/** As the worker refuses it, until people have accepted the restore. */
function setting() {
  const fake = fakeActivities({ plan: plan(['add-ons-target', 'validation']) });
  const asked: unknown[] = [];
  const activities = withChange(fake, {
    startAddOnUpdate: async (input) => {
      const restored: unknown = Reflect.get(input, 'restored');
      asked.push(restored);
      if (restored === AT) return { updateId: 'u-1', adopted: true, alreadyThere: false };
      throw ApplicationFailure.create({ message: 'startAddOnUpdate was not sent', type: 'Restored', nonRetryable: true, details: [FOUND] });
    },
  });
  return { fake, activities, asked };
}

const gateIn = (world: FakeWorld): GateDefinition | undefined =>
  world.published
    .map(({ notification }) => (notification.kind === 'gate' ? notification.state.gate : undefined))
    .find((gate) => gate?.id === GATE);
const others: Decider = (gate, seen) => (gate.id.startsWith('restored:') ? undefined : approveAll(gate, seen));

test('O17: it shows what the run has forgotten; Continue makes the change, under the restore that was accepted', async () => {
  const { fake, activities, asked } = setting();
  await withUpgrade(env, activities, async (run) => {
    await run.until(() => gateIn(fake.world) !== undefined, others);
    const gate = gateIn(fake.world);
    expect(gate?.title).toMatch(/^Temporal was restored from a backup: continue with .+\?$/);
    expect(gate?.evidence.map(({ title, lines }) => [title, ...lines])).toEqual([
      ['How it was noticed', `${AT}: ${FOUND.why}`],
      ['Done before the restore, but missing in this run’s history', ...FOUND.forgotten],
      ['Latest in the audit record', ...FOUND.record],
      ['Before you decide', 'Check that nobody has changed the cluster since the backup, by another run or by hand.'],
    ]);
    expect(gate?.choices.map(({ id, needsQuorum, needsReason }) => [id, needsQuorum, needsReason ?? false])).toEqual([
      ['continue', true, true],
      ['abort', false, false],
    ]);
    // Refused once for each change that was asked for side by side, and nothing was made.
    expect(new Set(asked)).toEqual(new Set([undefined]));
    await run.decide(GATE, 'continue', { reason: 'nobody else was at it' });
    expect(await run.finish(others)).toMatchObject({ outcome: 'completed' });
    expect(inputs(fake.world, 'awaitUpdate').length).toBeGreaterThan(0);
    expect(asked.filter((one) => one === AT).length).toBeGreaterThan(0);
  });
});

test('O17: Abort ends the run, and the change is never made', async () => {
  const { activities, asked } = setting();
  await withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id === GATE), others);
    await run.decide(GATE, 'abort', { reason: 'the cluster was upgraded by hand' });
    expect(await run.finish(others)).toMatchObject({ outcome: 'aborted' });
    expect(asked).not.toContain(AT);
  });
});
