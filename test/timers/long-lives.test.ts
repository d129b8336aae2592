/** A week under guard: histories and thread stay small, and the run ends right. */
import { expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { approveAll, type Decider } from '../support/upgrade.ts';
import { expectEndedWell, longLived } from './long-life.ts';
import { DAY, HOUR, later, soon, toldOf, withPatience } from './support.ts';

const GATE = 'before:control-plane@1.32#1';
const WEEK_MS = 180_000;

const ignoring: Decider = (gate, seen) => (gate.id === GATE ? undefined : approveAll(gate, seen));
const isWaiting = ({ gates }: { gates: { id: string }[] }): boolean => gates.some(({ id }) => id === GATE);
const isFirstLook = (): boolean => Context.current().info.attempt === 1;

test(
  'T9: a gate waits for a week, while GitOps reverts the freeze three times a day: nothing outgrows its history, and a decision counts',
  async () => {
    let reverts = 0;
    const fake = longLived(['freeze-drift', 'control-plane', 'karpenter-drift'], (world) => ({
      watchFreeze: async () => {
        if (isFirstLook()) return later('the freeze stands', 8 * HOUR);
        reverts += 1;
        world.budgets = { nodes: '10%', guard: world.budgets?.guard ?? '' };
        return { intact: false, reverted: ['default'], pools: ['default'] };
      },
    }));
    await withPatience(fake, async (patience) => {
      const { run, pass } = patience;
      await run.until(isWaiting, ignoring);
      const stale = await run.decide(GATE, 'approve', { revision: 9 }).catch((error: unknown) => error);
      expect(stale).toMatchObject({ name: 'WorkflowUpdateFailedError' });
      for (let look = 1; look <= 21; look += 1) {
        await pass(8 * HOUR);
        await soon(() => reverts >= look && fake.world.budgets?.nodes === '0', `revert ${look} is put back`);
        expect((await run.status()).gates.map(({ id }) => id)).toContain(GATE);
      }
      await run.decide(GATE, 'approve');
      await expectEndedWell(patience, fake, await run.finish());
      expect(toldOf(fake.world, GATE).at(-1)?.state).toMatchObject({ kind: 'decided', gate: { revision: 1 } });
    });
  },
  WEEK_MS,
);

test(
  'RA5: the guard has no rights for a week: it says so once, keeps trying, and says when the freeze is guarded again',
  async () => {
    let isAllowed = true;
    let tries = 0;
    const fake = longLived(['freeze-drift', 'control-plane', 'karpenter-drift'], () => ({
      watchFreeze: async ({ recover }) => {
        if (isAllowed && recover === true) return { intact: true, reverted: [], pools: ['default'] };
        if (isAllowed || (recover !== true && isFirstLook())) return later('the freeze stands', HOUR);
        tries += 1;
        // Production's guard looks every two hours by then, within one activity.
        if (recover === true) return later('reading nodepools: Kubernetes answered 403', 2 * HOUR);
        throw ApplicationFailure.nonRetryable('reading nodepools: Kubernetes answered 403', 'AccessDenied');
      },
    }));
    const said = (words: string): number => fake.world.published.filter((it) => JSON.stringify(it).includes(words)).length;
    await withPatience(fake, async (patience) => {
      const { run, pass } = patience;
      await run.until(isWaiting, ignoring);
      isAllowed = false;
      await pass(HOUR);
      await soon(() => said('nothing guards the freeze') === 1, 'the alarm');
      for (let day = 1; day <= 7; day += 1) {
        await pass(DAY);
        await soon(() => tries > day * 12, `the guard has tried all day ${day}`);
      }
      expect(said('guarded again')).toBe(0);
      expect(isWaiting(await run.status())).toBe(true);
      isAllowed = true;
      await pass(2 * HOUR);
      await soon(() => said('The freeze is guarded again') === 1, 'the end of the alarm');
      await run.decide(GATE, 'approve');
      await expectEndedWell(patience, fake, await run.finish());
      expect(said('nothing guards the freeze')).toBe(1);
    });
  },
  WEEK_MS,
);
