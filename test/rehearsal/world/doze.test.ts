/** A world at rest costs next to nothing, and is awake as soon as somebody touches it. */
import { afterEach, expect, test } from 'vitest';
import { buildWorld } from '../../../rehearsal/world/build.ts';
import { Doze } from '../../../rehearsal/world/doze.ts';
import { FaultBoard, noFaults } from '../../../rehearsal/world/faults.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';
import { createRunner } from '../../../rehearsal/world/run-controllers.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { eventually } from '../../support/eventually.ts';
import { MINUTE_MS, steppedWorld } from '../support.ts';

/** A settled world whose clock the test steps; nothing ticks. */
function still(): { world: World; pass: (minutes: number) => void; doze: Doze } {
  const { world } = steppedWorld('small');
  const doze = new Doze(world);
  expect(doze.asleep()).toBe(false);
  const pass = (minutes: number): void => {
    if (world.clock instanceof ManualClock) world.clock.step(minutes * MINUTE_MS);
  };
  return { world, pass, doze };
}

test('a world falls asleep when nothing has changed for a quarter of an hour', () => {
  const { pass, doze } = still();
  pass(14);
  expect(doze.asleep()).toBe(false);
  pass(1);
  expect(doze.asleep()).toBe(true);
});

test.each<[string, (world: World, doze: Doze) => void | Promise<void>]>([
  [
    'a client writes an object',
    (world) => void world.store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } }),
  ],
  [
    'a client changes something in AWS',
    (world) => world.journal.record({ api: 'eks', operation: 'UpdateAddon', resource: 'addon/coredns', accepted: true }),
  ],
  ['a client only asks', (_world, doze) => doze.touch()],
  ['somebody of the world does something', (world) => world.journal.tell('somebody opens a pull request')],
])('it wakes when %s, and sleeps again a quarter of an hour later', async (_name, act) => {
  const { world, pass, doze } = still();
  pass(20);
  expect(doze.asleep()).toBe(true);
  await act(world, doze);
  expect(doze.asleep()).toBe(false);
  pass(15);
  expect(doze.asleep()).toBe(true);
});

test.each<[string, (world: World) => () => void]>([
  [
    'an update of EKS',
    ({ eks, clock }) => {
      const update: World['eks']['updates'][number] = {
        id: 'one',
        resource: { kind: 'cluster' },
        type: 'VersionUpdate',
        status: 'InProgress',
        params: [],
        createdAtMs: clock.nowMs(),
        errors: [],
      };
      eks.updates.push(update);
      return () => void (update.status = 'Successful');
    },
  ],
  [
    'a refresh of insights',
    ({ eks, clock }) => {
      eks.insightsRefresh = { startedMs: clock.nowMs(), endsMs: clock.nowMs() + 60 * MINUTE_MS };
      return () => delete eks.insightsRefresh;
    },
  ],
  [
    'a node group',
    ({ eks }) => {
      const [group] = eks.nodeGroups;
      if (group !== undefined) group.status = 'UPDATING';
      return () => void (group !== undefined && (group.status = 'ACTIVE'));
    },
  ],
  [
    'a fault that ends by itself',
    (world) => {
      const order = { text: 'pdb:blocks=46m', name: 'pdb:blocks' as const, times: 1, lastsMs: 46 * MINUTE_MS };
      world.faults = new FaultBoard([order], { nowMs: () => world.clock.nowMs(), tell: () => undefined });
      world.faults.begin();
      return () => void (world.faults = noFaults());
    },
  ],
])('it stays awake while %s is under way, however little is seen of it', (_name, begin) => {
  const { world, pass, doze } = still();
  const end = begin(world);
  for (let quarters = 0; quarters < 3; quarters += 1) {
    pass(15);
    expect(doze.asleep()).toBe(false);
  }
  end();
  pass(15);
  expect(doze.asleep()).toBe(true);
});

test('a Lease that is renewed for ever keeps nothing awake', () => {
  const built = steppedWorld('small');
  const doze = new Doze(built.world);
  const before = built.world.store.resourceVersion();
  built.step(30 * MINUTE_MS);
  expect(built.world.store.resourceVersion()).toBeGreaterThan(before);
  doze.asleep();
  built.step(15 * MINUTE_MS);
  expect(doze.asleep()).toBe(true);
});

test('one that sleeps is looked after once an hour', () => {
  const { pass, doze } = still();
  pass(15);
  expect([doze.asleep(), doze.napIsOver()]).toEqual([true, false]);
  pass(45);
  expect([doze.asleep(), doze.napIsOver(), doze.napIsOver()]).toEqual([true, true, false]);
});

let stop = (): void => undefined;
afterEach(() => stop());

test('controllers of a world that dozes do not tick, and go on when a node is cordoned', async () => {
  const { world } = buildWorld({ scenario: 'small', speed: 3600 });
  let ticks = 0;
  const counting = { name: 'counting', everyMs: 500, tick: () => void (ticks += 1) };
  const runner = createRunner(world, [counting], new Doze(world));
  stop = () => runner.stop();
  runner.start();
  await eventually(() => ticks > 0);
  // Asleep: from one look to the next, three world minutes each, nothing has ticked. A nap in between is one tick.
  let before = -1;
  await eventually('the world sleeps', () => {
    const same = ticks === before;
    before = ticks;
    return same;
  });
  const asleep = ticks;
  const [node] = world.store.list('nodes');
  world.store.update('nodes', node?.metadata.name ?? '', undefined, (copy) => void (copy.spec.unschedulable = true));
  await eventually('it is awake', () => ticks > asleep + 3);
});
