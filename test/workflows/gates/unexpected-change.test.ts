/** Something else than what a step was meant to change has changed: its gate, and what people make of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { withEffects } from '../../../domain/run/side-effects/envelope.ts';
import type { GateDefinition } from '../../../domain/gates/gate.ts';
import type { SideEffect } from '../../../domain/run/side-effects/side-effect.ts';
import { count, type FakeWorld, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const ROLE: SideEffect = {
  resource: { eks: 'add-on', cluster: 'prod', name: 'kube-proxy' },
  during: 'the update of add-on kube-proxy',
  differences: [{ path: 'serviceAccountRoleArn', pointer: '/serviceAccountRoleArn', before: '"role/a"', putBack: 'aws eks update-addon' }],
  moreCount: 0,
};
const GATE = 'unexpected-change:add-ons-target@1.32/1#1';

/** As the worker hands a result over. */
const found = <T>(result: T, effects: SideEffect[]): T => withEffects(result, effects) as T;

function setting(left: SideEffect[] = [ROLE]) {
  const fake = fakeActivities({ plan: plan(['add-ons-target', 'validation']) });
  let isTold = false;
  const activities = withChange(fake, {
    startAddOnUpdate: async () => ({ updateId: 'u-1', adopted: false, alreadyThere: false, before: { addonVersion: 'v1' } }),
    awaitUpdate: async () => {
      const outcome = { status: 'Successful' as const, errors: [] };
      if (isTold) return outcome;
      isTold = true;
      return found(outcome, [ROLE]);
    },
    lookAtSideEffects: async () => ({ effects: left }),
  });
  return { fake, activities };
}

/** As people read it. */
const gateIn = (world: FakeWorld): GateDefinition | undefined =>
  world.published
    .map(({ notification }) => (notification.kind === 'gate' ? notification.state.gate : undefined))
    .find((gate) => gate?.id === GATE);

/** The status may still show a gate that has just been decided. */
const others: Decider = (gate, seen) => (gate.id === GATE ? undefined : approveAll(gate, seen));

async function atGate<T>(activities: BelayActivities, main: Parameters<typeof withUpgrade<T>>[2]): Promise<T> {
  return await withUpgrade(env, activities, async (run) => {
    await run.until(({ gates }) => gates.some(({ id }) => id === GATE), others);
    return await main(run);
  });
}

describe('RA1: a difference beside the change stops the step at a gate', () => {
  test('that names field, old and new value, and the way back; going on needs a reason', async () => {
    const { fake, activities } = setting();
    await atGate(activities, async (run) => {
      await run.until(
        () => gateIn(fake.world) !== undefined,
        () => undefined,
      );
      const gate = gateIn(fake.world);
      expect(gate?.title).toBe('Something else changed: add-on kube-proxy: serviceAccountRoleArn');
      expect(gate?.evidence[0]).toEqual({ title: 'Before → now', lines: ['add-on kube-proxy: serviceAccountRoleArn: "role/a" → absent'] });
      expect(gate?.evidence[2]?.lines).toEqual(['`aws eks update-addon`']);
      expect(gate?.choices.map(({ id, needsReason }) => [id, needsReason ?? false])).toEqual([
        ['look-again', false],
        ['accept-change', true],
        ['abort', false],
      ]);
      await expect(run.decide(GATE, 'accept-change', { reason: '' })).rejects.toThrow();
      expect(count(fake.world, 'awaitAddOnHealthy')).toBe(0);
      await run.decide(GATE, 'accept-change', { reason: 'the role is not needed' });
      expect(await run.finish(others)).toMatchObject({ outcome: 'completed' });
      // What the add-on was before went to whoever watched its update.
      expect(inputs(fake.world, 'awaitUpdate')[0]).toMatchObject({ updateId: 'u-1', before: { addonVersion: 'v1' } });
    });
  });

  test('looking again goes on where it was put back, and asks again where it was not', async () => {
    const { activities } = setting([]);
    await atGate(activities, async (run) => {
      await run.decide(GATE, 'look-again');
      expect(await run.finish(others)).toMatchObject({ outcome: 'completed' });
    });
    const second = setting();
    await atGate(second.activities, async (run) => {
      await run.decide(GATE, 'look-again');
      await run.until(({ gates }) => gates.some(({ id }) => id === 'unexpected-change:add-ons-target@1.32/2#1'));
    });
  });

  test('an abort ends the run there', async () => {
    const { fake, activities } = setting();
    await atGate(activities, async (run) => {
      await run.decide(GATE, 'abort');
      expect(await run.finish(others)).toMatchObject({ outcome: 'aborted' });
      expect(count(fake.world, 'awaitAddOnHealthy')).toBe(0);
    });
  });
});
