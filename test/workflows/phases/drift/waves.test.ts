/** Karpenter's nodes in waves: held before the freeze is lifted, released one by one, given back on every way out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { looksBefore } from '../../../../domain/policy/irreversible.ts';
import type { NodeWaves } from '../../../../domain/policy/policy.ts';
import { count, fakeActivities, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

function inWaves(waves: NodeWaves) {
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'karpenter-drift'], (s) =>
      s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves } } : s,
    ),
  });
  const activities = withChange(fake, {
    holdWaves: async () => ({
      waves: [
        { name: 'eu-1b', nodeCount: 1 },
        { name: 'eu-1a', nodeCount: 2 },
      ],
    }),
  });
  return { ...fake, activities };
}

const WATCHED = ['holdWaves', 'setDriftPace', 'releaseWave', 'watchDrift', 'restoreBudgets'];

describe('waves', () => {
  test('each is released, rolled and watched before the next; at the end nothing is held', async () => {
    const { world, activities } = inWaves({ by: 'zone' });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const order = world.calls.map(({ name }) => name).filter((name) => WATCHED.includes(name));
    expect(order[0]).toBe('holdWaves');
    expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }, { wave: 'eu-1a' }]);
    const last = inputs(world, 'watchDrift').at(-1);
    expect(last).not.toHaveProperty('dueOnly');
    // Going up everything is frozen and rolls, NodePools that are created meanwhile too.
    for (const name of ['freezeDrift', 'setDriftPace', 'holdWaves', 'watchDrift'] as const)
      for (const input of inputs(world, name)) expect(input, name).not.toHaveProperty('onlyPools');
    expect(inputs(world, 'watchDrift').slice(0, -1)).toEqual(
      inputs(world, 'watchDrift')
        .slice(0, -1)
        .map(() => expect.objectContaining({ dueOnly: true })),
    );
    expect(JSON.stringify(world.published)).toContain(
      'Nodes roll in 2 waves by zone: eu-1b (1 node), then eu-1a (2 nodes). Nodes of later waves are held until their turn.',
    );
  });

  test('people decide between waves where they want to; a rejection freezes, and gives back what is held', async () => {
    const { world, activities } = inWaves({ by: 'zone', gate: true });
    const gates: string[] = [];
    const decider: Decider = (gate) => {
      gates.push(gate.id);
      if (gate.id === 'wave:karpenter-drift@1.32/1#1') return 'reject';
      return gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0);
    };
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('aborted');
    expect(gates).toContain('wave:karpenter-drift@1.32/1#1');
    expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }]);
    // Not by the activity that lets a wave roll: that one looks at alerts and exclusions first, which may be what has stopped the roll.
    expect(count(world, 'releaseWaves')).toBe(1);
    expect(looksBefore('releaseWaves')).toEqual([]);
    expect(JSON.stringify(world.published)).toContain('Continuing with zone eu-1a was rejected; drift is frozen again');
    const gate = world.published.flatMap(({ notification }) =>
      notification.kind === 'gate' && notification.state.gate.id.startsWith('wave') ? [notification.state.gate] : [],
    )[0];
    expect(gate).toMatchObject({
      title: 'Zone eu-1b is finished: continue with zone eu-1a?',
      next: 'Karpenter replaces 2 nodes of zone eu-1a.',
      undo: 'Nodes already replaced stay; those of later waves are held until their turn.',
    });
  });

  test('marks that cannot be removed are said loudly and stand in the report', async () => {
    const { world, activities } = inWaves({ by: 'zone' });
    const failing = withChange(
      { world, activities },
      {
        watchDrift: async () => ({ kind: 'unhealthy', why: 'NodePool default is not ready', replacedCount: 0, remainingCount: 3 }),
        setDriftPace: async ({ nodes }) => ({ intact: nodes !== '0', reverted: ['default'], pools: ['default'] }),
      },
    );
    const report = await withUpgrade(env, failing, (run) =>
      run.finish((gate) => (gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0))),
    );
    expect(report.leftBehind.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['freeze of Karpenter drift', 'do-not-disrupt on nodes of later waves']),
    );
    expect(inputs(world, 'releaseWave')).toMatchObject([{ wave: 'eu-1b' }]);
    expect(count(world, 'releaseWaves')).toBe(0);
  });
});
