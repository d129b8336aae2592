/** A thousand nodes in a day, thirty of which cannot be replaced: one question at a time, one message of what was done, histories that stay small. */
import { expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import { AskedNodes } from '../../activities/kubernetes/drain/nodes-in-gate.ts';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { BlockedNode, DriftOutcome } from '../../activities/contract/karpenter.ts';
import { DEFAULT_TIMING } from '../../domain/policy/config/defaults.ts';
import type { GateState } from '../../domain/gates/gate.ts';
import type { FakeWorld } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { approveAll, type Decider } from '../support/upgrade.ts';
import { expectEndedWell, longLived } from './long-life.ts';
import { DAY, HOUR, later, MINUTE, soon, withPatience } from './support.ts';

const NODE_COUNT = 1000;
const HELD_COUNT = 30;
const EVERY_MS = (23 * HOUR) / NODE_COUNT;
const ASKED_AT_ONCE = 20;

type WatchInput = Parameters<BelayActivities['watchDrift']>[0];

const PLAN = plan(['freeze-drift', 'karpenter-drift'], (step) =>
  step.params.phase === 'karpenter-drift'
    ? { ...step, params: { ...step.params, nodeCount: NODE_COUNT, paces: ['1', '10%'], offeredPaces: ['freeze', '1', '10%'] } }
    : step,
);

/** Nodes whose turn comes one after the other; now and then one is held by its workload's budget, until that has another replica. */
class Roll {
  readonly #freed = new Set<string>();
  #startMs: number | undefined;
  /**
   * At its next look the watch says again what people are asked about already, so that none is under way when they decide: this server's clock may stop
   * for good where an activity is called back between two attempts.
   */
  repeats = false;

  async watch({ asked = [], watchMs, toldCount = 0 }: WatchInput, { scaled }: FakeWorld): Promise<DriftOutcome> {
    const { scheduledTimestampMs, currentAttemptScheduledTimestampMs: nowMs } = Context.current().info;
    this.#startMs ??= nowMs;
    for (const name of scaled) this.#freed.add(name);
    const turns = Math.min(NODE_COUNT, Math.floor((nowMs - this.#startMs) / EVERY_MS));
    const held = this.#heldAt(turns);
    const counts = { replacedCount: turns - held.length, remainingCount: NODE_COUNT - turns + held.length };
    if (counts.remainingCount === 0) return { kind: 'done', ...counts, remainingCount: 0, skippedCount: 0 };
    const due = held.slice(0, ASKED_AT_ONCE);
    const elapsedMs = nowMs - scheduledTimestampMs;
    const news = new AskedNodes(asked, DEFAULT_TIMING.driftBlockedAfterMs).compare(due, new Set(held), elapsedMs);
    if (news === 'freed') return { kind: 'freed', ...counts };
    const [node, ...more] = due.map(blocked);
    if ((news === 'changed' || this.repeats) && node !== undefined) return { kind: 'blocked', node, more, ...counts };
    if (counts.replacedCount - toldCount >= NODE_COUNT / 4) return { kind: 'progress', ...counts };
    const leftMs = (watchMs ?? DAY) - elapsedMs;
    return leftMs <= 0 ? { kind: 'pace-elapsed', ...counts } : later('nodes roll', Math.min(leftMs, 10 * MINUTE));
  }

  /** Every thirty-third, as far as its turn has come. */
  #heldAt(turns: number): string[] {
    const all = Array.from({ length: HELD_COUNT }, (_, index) => ({ name: `cart-${index + 1}`, turn: (index + 1) * 33 }));
    return all.filter(({ name, turn }) => turn <= turns && !this.#freed.has(name)).map(({ name }) => name);
  }
}

const blocked = (name: string): BlockedNode => ({
  node: name,
  nodePool: 'default',
  pod: { namespace: 'shop', name: `${name}-0`, controller: { kind: 'ReplicaSet', name } },
  workload: { kind: 'Deployment', namespace: 'shop', name, replicas: 1 },
  reason: `pod shop/${name}-0 is blocked by PodDisruptionBudget shop/${name}`,
  sinceMs: 10 * MINUTE,
});

const isHeldGate = ({ id }: { id: string }): boolean => id.startsWith('blocked');
const notHeld: Decider = (gate, seen) => (isHeldGate(gate) ? undefined : approveAll(gate, seen));
const heldGates = ({ published }: FakeWorld): GateState[] =>
  published.flatMap(({ notification: n }) => (n.kind === 'gate' && isHeldGate(n.state.gate) ? [n.state] : []));

test('1,000 nodes roll in a day; 30 cannot be replaced, at first by night: one gate lists all, and what was scaled is one message', async () => {
  const roll = new Roll();
  const fake = longLived(PLAN, (world) => ({ watchDrift: (input) => roll.watch(input, world) }));
  await withPatience(fake, async (patience) => {
    const { run, pass } = patience;
    const { world } = fake;
    await run.until((s) => s.steps[1]?.state === 'running', notHeld);
    const held = async () => (await run.status()).gates.filter(isHeldGate);
    for (let hour = 1; hour <= 24; hour += 1) {
      await pass(50 * MINUTE);
      const open = await held();
      expect(open.length).toBeLessThanOrEqual(1);
      // Nobody is there for the first eight hours: the gate of the first node waits, and lists the others.
      if (hour === 7) expect(JSON.stringify(open)).toContain('8 nodes cannot be replaced');
      roll.repeats = hour >= 8;
      await pass(10 * MINUTE);
      if (!roll.repeats) continue;
      roll.repeats = false;
      for (const { id, revision } of await held()) {
        await run.decide(id, 'scale', { revision });
        await soon(async () => (await held()).length === 0, `${id} is decided`);
      }
    }
    const report = await run.finish(notHeld);
    expect(report.status.steps.at(-1)).toMatchObject({ state: 'completed' });
    await expectEndedWell(patience, fake, report);
    const decided = heldGates(world)
      .flatMap((state) => (state.kind === 'decided' ? [JSON.stringify(state.gate)] : []))
      .join();
    for (let index = 1; index <= HELD_COUNT; index += 1) expect(decided).toMatch(new RegExp(`cart-${index}\\b`));
    const done = world.published.flatMap(({ key, notification: n }) => (n.kind === 'note' && key.startsWith('blocked/') ? [n.text] : []));
    expect(done.at(-1)).toContain('(30 of 30 workloads scaled back)');
  });
}, 540_000);
