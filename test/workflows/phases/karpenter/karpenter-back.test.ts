/** Karpenter's part of a way back: pinned under the freeze, rolled, frozen until the control plane is back, then let go; and what each other end leaves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { count, inputs, withChange } from '../../../support/fake-activities.ts';
import { karpenterGoingBack } from '../../../support/karpenter-back.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const NAMES = ['freezeDrift', 'holdAmis', 'awaitAmiMoves', 'awaitAmis', 'startControlPlaneUpdate', 'releaseAmis', 'restoreBudgets'];
const order = ({ world }: ReturnType<typeof karpenterGoingBack>['fake']): string[] =>
  world.calls
    .map(({ name }) => name)
    .filter((name) => NAMES.includes(name))
    .filter((name, index, all) => all[index - 1] !== name);
const rejecting =
  (step: string): Decider =>
  (gate) =>
    gate.id.startsWith(`before:${step}`) ? 'reject' : approveAll(gate, 0);
const GUARD = 'freeze-drift@1.32';

describe('Karpenter on a way back', () => {
  test('pinned, rolled, frozen again; let go only behind the control plane', async () => {
    const { fake, activities } = karpenterGoingBack();
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const report = await run.finish();
        expect([report.outcome, report.leftBehind]).toEqual(['completed', []]);
        const { world } = fake;
        expect(inputs(world, 'holdAmis')).toMatchObject([
          { nodeClasses: ['own'], images: { own: { ids: ['ami-132'], amiFamily: 'AL2023' } } },
        ]);
        expect(inputs(world, 'releaseAmis')[0]).toMatchObject({ nodeClasses: ['own'] });
        expect(order(fake)).toEqual([
          'freezeDrift',
          'holdAmis',
          'awaitAmiMoves',
          'awaitAmis',
          'startControlPlaneUpdate',
          'releaseAmis',
          'awaitAmiMoves',
          'awaitAmis',
          'releaseAmis',
          'restoreBudgets',
        ]);
        // The freeze stands again before the control plane is touched.
        const calls = world.calls.map(({ name }) => name);
        const moved = calls.indexOf('startControlPlaneUpdate');
        expect(calls.lastIndexOf('setDriftPace')).toBeLessThan(moved);
        expect(inputs(world, 'setDriftPace').at(-1)).toMatchObject({ nodes: '0' });
        expect(world.budgets).toBeUndefined();
        const said = JSON.stringify(world.published);
        expect(said).toContain('Belay asks for the alias again once the control plane is back');
        expect(said).toContain('set spec.amiSelectorTerms to [{alias: al2023@latest}], instead of ami-132');
      },
      { back: true },
    );
  });

  test('freeze, roll and waves are of the NodePools of the plan alone: EKS replaces the nodes of Auto Mode, within budgets of its pools', async () => {
    const { fake, activities } = karpenterGoingBack({ by: 'zone' });
    await withUpgrade(
      env,
      activities,
      async (run) => {
        expect((await run.finish()).outcome).toBe('completed');
        const { world } = fake;
        for (const name of ['freezeDrift', 'watchFreeze', 'setDriftPace', 'holdWaves', 'watchDrift'] as const) {
          expect(count(world, name), name).toBeGreaterThan(0);
          for (const input of inputs(world, name)) expect(input, name).toMatchObject({ onlyPools: ['default'] });
        }
        expect(inputs(world, 'startControlPlaneUpdate')[0]).toMatchObject({ protect: { freeze: { onlyPools: ['default'] } } });
      },
      { back: true },
    );
  });

  test('stopped before a node has moved: pins and freeze go, pins first', async () => {
    const { fake, activities } = karpenterGoingBack();
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const report = await run.finish(rejecting('karpenter-drift'));
        expect([report.outcome, report.leftBehind]).toEqual(['stopped', []]);
        expect(order(fake).slice(-2)).toEqual(['releaseAmis', 'restoreBudgets']);
        expect(count(fake.world, 'startControlPlaneUpdate')).toBe(0);
      },
      { back: true },
    );
  });

  test('stopped when the nodes are back and the control plane is not: both stay, and people choose', async () => {
    const { fake, activities } = karpenterGoingBack();
    await withUpgrade(
      env,
      activities,
      async (run) => {
        const report = await run.finish(rejecting('control-plane-back'));
        expect(report.outcome).toBe('stopped');
        expect(fake.world.budgets?.nodes).toBe('0');
        expect(count(fake.world, 'releaseAmis')).toBe(0);
        const guard = env.client.workflow.getHandle(`${run.workflowId}/${GUARD}`);
        await run.decide(`kept:${GUARD}#1`, 'lift-and-roll', { reason: 'we go up again' });
        await guard.result();
        expect(order(fake).slice(-2)).toEqual(['releaseAmis', 'restoreBudgets']);
      },
      { back: true },
    );
  });

  test('nodes that are not back yet are not let go: skipped, the freeze is kept', async () => {
    const { fake, activities } = karpenterGoingBack();
    const lagging = withChange(
      { ...fake, activities },
      { readSkew: async (input) => ({ ...(await activities.readSkew(input)), nodes: { '1.31': 1, '1.32': 4 } }) },
    );
    await withUpgrade(
      env,
      lagging,
      async (run) => {
        const report = await run.finish((gate) => (gate.id.startsWith('failed') ? 'skip' : approveAll(gate, 0)));
        expect(report.status.steps.find(({ id }) => id.startsWith('node-classes-back'))?.state).toBe('skipped');
        expect(JSON.stringify(fake.world.published)).toContain('nodes are not at 1.32 (1 at 1.31)');
        expect(count(fake.world, 'releaseAmis')).toBe(0);
        expect(fake.world.budgets?.nodes).toBe('0');
        await env.client.workflow.getHandle(`${run.workflowId}/${GUARD}`).terminate('end of test');
      },
      { back: true },
    );
  });
});
