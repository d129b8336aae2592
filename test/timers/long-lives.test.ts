/** A week at a gate under guard: histories and thread stay small, and the run ends right. */
import { expect, test } from '@jest/globals';
import { Context } from '@temporalio/activity';
import type { BelayActivities } from '../../activities/contract.ts';
import { DEFAULT_TIMING } from '../../domain/config/defaults.ts';
import { type FakeWorld, fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { approveAll, type Decider } from '../support/upgrade.ts';
import { DAY, type Fake, HOUR, later, type Patience, soon, toldOf, withPatience } from './support.ts';

/** Temporal ends a history at 51,200 events and warns at 10,240. */
const MOST_EVENTS = 10_000;
const MOST_MESSAGES = 60;

const STEPS = ['freeze-drift', 'control-plane', 'karpenter-drift'] as const;
const GATE = 'before:control-plane@1.32#1';

const isFirstLook = (): boolean => Context.current().info.attempt === 1;

/** What production watches in a loop is a look that fails and is tried again: this server's clock stands still while an activity runs. */
function patient(change: (world: FakeWorld) => Partial<BelayActivities>, policy: Parameters<typeof quickPolicy>[0] = {}): Fake {
  const fake = fakeActivities({
    plan: plan([...STEPS]),
    policy: quickPolicy({ watch: true, ...policy, timing: { ...DEFAULT_TIMING, gateDeadlineMs: 8 * DAY, ...policy.timing } }),
  });
  const watched: Partial<BelayActivities> = {
    watchFreeze: async () => later('the freeze stands', HOUR),
    watchCluster: async () => later('nothing is wrong', HOUR),
  };
  return { world: fake.world, activities: withChange(fake, { ...watched, ...change(fake.world) }) };
}

/** Everything that stands in the thread: what is edited in place counts once. */
const messages = (world: FakeWorld): string[] => [...new Set(world.published.map(({ key }) => key))];

async function expectSmall({ events }: Patience, { world }: Fake): Promise<void> {
  const counted = await Promise.all(
    [undefined, ...STEPS.map((phase) => `${phase}@1.32`)].map(async (step) => ({ history: step ?? 'the run', events: await events(step) })),
  );
  expect(counted.filter((history) => history.events >= MOST_EVENTS)).toEqual([]);
  expect(messages(world).length).toBeLessThan(MOST_MESSAGES);
}

const ignoring: Decider = (gate, seen) => (gate.id === GATE ? undefined : approveAll(gate, seen));

test('T9: a gate waits for a week, while GitOps reverts the freeze three times a day: nothing outgrows its history, and a decision counts', async () => {
  let reverts = 0;
  const fake = patient((world) => ({
    watchFreeze: async () => {
      if (isFirstLook()) return later('the freeze stands', 8 * HOUR);
      reverts += 1;
      world.budgets = { nodes: '10%', guard: world.budgets?.guard ?? '' };
      return { intact: false, reverted: ['default'], pools: ['default'] };
    },
  }));
  await withPatience(fake, async (patience) => {
    const { run, pass } = patience;
    await run.until((status) => status.gates.some(({ id }) => id === GATE), ignoring);
    const stale = await run.decide(GATE, 'approve', { revision: 9 }).catch((error: unknown) => error);
    expect(stale).toMatchObject({ name: 'WorkflowUpdateFailedError' });
    for (let look = 1; look <= 21; look += 1) {
      await pass(8 * HOUR);
      await soon(() => reverts >= look && fake.world.budgets?.nodes === '0', `revert ${look} is put back`);
      expect((await run.status()).gates.map(({ id }) => id)).toContain(GATE);
    }
    await run.decide(GATE, 'approve');
    expect((await run.finish()).outcome).toBe('completed');
    expect(toldOf(fake.world, GATE).at(-1)?.state).toMatchObject({ kind: 'decided', gate: { revision: 1 } });
    expect(fake.world.budgets).toBeUndefined();
    await expectSmall(patience, fake);
  });
});
