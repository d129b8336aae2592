/** Nodes that cannot be replaced, asked about beside the roll: the watch goes on, the gate goes when its cause does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { BlockedNode, DriftOutcome } from '../../../../activities/contract/karpenter.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { count, fakeActivities, type FakeWorld, inputs, quickPolicy, sleepBeating, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const node = (name: string): BlockedNode => ({
  node: name,
  nodePool: 'default',
  pod: { namespace: 'shop', name: `cart-${name}`, controller: { kind: 'ReplicaSet', name: 'cart' } },
  reason: `pod shop/cart-${name} is blocked by PodDisruptionBudget shop/cart`,
  sinceMs: 60_000,
});
const [A, B] = [node('a'), node('b')];
const COUNTS = { replacedCount: 2, remainingCount: 2 };
const DONE: DriftOutcome = { kind: 'done', replacedCount: 4, remainingCount: 0, skippedCount: 0 };
type Watch = Parameters<BelayActivities['watchDrift']>[0];

/** What the watch sees of the world: `now` is asked at each of its looks, as the activity would. */
function rolling(now: (input: Watch) => DriftOutcome | undefined, timing: Partial<Timing> = {}) {
  const policy = quickPolicy();
  const fake = fakeActivities({
    plan: plan(['freeze-drift', 'karpenter-drift']),
    policy: { ...policy, timing: { ...policy.timing, ...timing } },
  });
  const activities = withChange(fake, {
    watchDrift: async (input) => {
      for (;;) {
        const outcome = now(input);
        if (outcome !== undefined) return outcome;
        await sleepBeating(20);
      }
    },
  });
  return { fake, activities };
}
const gates = ({ published }: FakeWorld) =>
  published.flatMap(({ notification }) =>
    notification.kind === 'gate' && notification.state.gate.id.startsWith('blocked') ? [notification.state] : [],
  );
const notBlocked: Decider = (gate, seen) => (gate.id.startsWith('blocked') ? undefined : approveAll(gate, seen));
const isOpen = ({ gates: open }: { gates: { id: string }[] }): boolean => open.some(({ id }) => id.startsWith('blocked'));

test('K12: what a watch has seen goes into the next one, over news', async () => {
  const seen = { held: { a: { key: 'budget', sinceMs: -40 } }, troubles: {} };
  let looks = 0;
  const { fake, activities } = rolling(() => {
    looks += 1;
    if (looks === 1) return { kind: 'progress', ...COUNTS, seen };
    return DONE;
  });
  await withUpgrade(env, activities, (run) => run.finish());
  expect(inputs(fake.world, 'watchDrift').map((input) => (input as Watch).seen)).toEqual([undefined, seen]);
});

describe('RA3: while people are asked', () => {
  test('RA3: the hold goes by itself: the gate is withdrawn with the reason, and the roll ends', async () => {
    let held = true;
    const { fake, activities } = rolling(({ asked = [] }) => {
      if (held) return asked.length === 0 ? { kind: 'blocked', node: A, ...COUNTS } : undefined;
      return asked.length > 0 ? { kind: 'freed', ...COUNTS } : DONE;
    });
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen, notBlocked);
      held = false;
      return await run.finish(notBlocked);
    });
    expect(report.outcome).toBe('completed');
    expect(gates(fake.world).at(-1)).toMatchObject({ kind: 'withdrawn', why: expect.stringContaining('a is no longer blocked') });
  });

  test('RA3: the roll turns unhealthy: drift is frozen, and the gate goes', async () => {
    let isBad = false;
    const { fake, activities } = rolling(({ asked = [] }) => {
      if (isBad) return { kind: 'unhealthy', why: 'NodePool default is not ready', ...COUNTS };
      return asked.length === 0 ? { kind: 'blocked', node: A, ...COUNTS } : undefined;
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen, notBlocked);
      isBad = true;
      await run.until(
        (s) => s.gates.some(({ id }) => id.startsWith('failed:karpenter-drift')) && gates(fake.world).at(-1)?.kind !== 'open',
        notBlocked,
      );
      expect(fake.world.budgets?.nodes).toBe('0');
      expect(gates(fake.world).at(-1)).toMatchObject({ kind: 'withdrawn', why: expect.stringContaining('drift is frozen again') });
      await run.finish((g, seen) => (g.id.startsWith('failed') ? 'abort' : approveAll(g, seen)));
    });
  });

  test('RA3: several held nodes are one gate, a longer list a new one; a choice holds for all of them', async () => {
    let more = false;
    const { fake, activities } = rolling(({ asked = [], ignoreNodes }) => {
      if (ignoreNodes.length === 2) return DONE;
      if (asked.length === 0) return { kind: 'blocked', node: A, ...COUNTS };
      return more && asked.length === 1 ? { kind: 'blocked', node: A, more: [B], ...COUNTS } : undefined;
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(isOpen, notBlocked);
      more = true;
      await run.until((s) => s.gates.some(({ id }) => id.endsWith('/a#2')), notBlocked);
      expect((await run.status()).gates).toHaveLength(1);
      const report = await run.finish((g, seen) => (g.id.startsWith('blocked') ? 'skip-node' : approveAll(g, seen)));
      expect(report.outcome).toBe('completed');
    });
    expect(
      gates(fake.world).some((state) => state.kind === 'withdrawn' && state.why.includes('the list of blocked nodes has changed: a, b')),
    ).toBe(true);
    expect(gates(fake.world).at(-1)?.gate).toMatchObject({ title: '2 nodes cannot be replaced: what now?' });
    expect(inputs(fake.world, 'holdNode')).toMatchObject([{ node: 'a' }, { node: 'b' }]);
  });

  test('RA3: a longer list that comes while a choice is carried out is asked about once', async () => {
    let [isDeciding, isDone] = [false, false];
    const { fake, activities } = rolling(
      ({ asked = [], ignoreNodes }) => {
        if (ignoreNodes.length === 2) return DONE;
        if (asked.length === 0) return { kind: 'blocked', node: A, ...(isDeciding ? { more: [B] } : {}), ...COUNTS };
        return isDeciding && asked.length === 1 ? { kind: 'blocked', node: A, more: [B], ...COUNTS } : undefined;
      },
      { driftBlockedAfterMs: 300 },
    );
    const deletePod: BelayActivities['deletePod'] = async () => {
      isDeciding = true;
      while (!isDone) await sleepBeating(20);
      throw ApplicationFailure.create({ type: 'AccessDenied', message: 'pods is forbidden', nonRetryable: true });
    };
    await withUpgrade(env, withChange({ ...fake, activities }, { deletePod }), async (run) => {
      await run.until(
        () => isDeciding && (inputs(fake.world, 'watchDrift').at(-1) as Watch).asked?.length === 2,
        (g, seen) => (g.id.startsWith('blocked') ? 'delete-pod' : approveAll(g, seen)),
      );
      isDone = true;
      await run.until((s) => s.gates.some(({ id }) => id.endsWith('/a#2')), notBlocked);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await run.finish((g, seen) => (g.id.startsWith('blocked') ? 'skip-node' : approveAll(g, seen)));
    });
    expect(gates(fake.world).filter(({ kind }) => kind === 'withdrawn')).toEqual([]);
  });

  test('two longer lists that come while a choice is carried out: the last one is asked about, and its gate stays open', async () => {
    const C = node('c');
    let [isDeciding, isDone] = [false, false];
    const { fake, activities } = rolling(({ asked = [], ignoreNodes }) => {
      if (ignoreNodes.length === 3) return DONE;
      if (asked.length === 0) return { kind: 'blocked', node: A, ...(isDeciding ? { more: [B, C] } : {}), ...COUNTS };
      if (!isDeciding || asked.length === 3) return undefined;
      return { kind: 'blocked', node: A, more: asked.length === 1 ? [B] : [B, C], ...COUNTS };
    });
    const deletePod: BelayActivities['deletePod'] = async () => {
      isDeciding = true;
      while (!isDone) await sleepBeating(20);
    };
    const report = await withUpgrade(env, withChange({ ...fake, activities }, { deletePod }), async (run) => {
      await run.until(
        () => isDeciding && (inputs(fake.world, 'watchDrift').at(-1) as Watch).asked?.length === 2,
        (g, seen) => (g.id.startsWith('blocked') ? 'delete-pod' : approveAll(g, seen)),
      );
      // The list of three is heard by now, and waits for the gate of the list of two to close.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      isDone = true;
      return await run.finish((g, seen) => (g.id.startsWith('blocked') ? 'skip-node' : approveAll(g, seen)));
    });
    expect(report.outcome).toBe('completed');
    expect(gates(fake.world).at(-1)).toMatchObject({ kind: 'decided', gate: { title: '3 nodes cannot be replaced: what now?' } });
  });

  test('RA3: Wait is not asked again while nothing changes', async () => {
    let held = true;
    const { fake, activities } = rolling(({ asked = [] }) => {
      if (!held) return DONE;
      return asked.length === 0 ? { kind: 'blocked', node: A, ...COUNTS } : undefined;
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until(
        (s) => gates(fake.world).some(({ kind }) => kind === 'decided') && !isOpen(s),
        (g, seen) => (g.id.startsWith('blocked') ? 'wait' : approveAll(g, seen)),
      );
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(isOpen(await run.status())).toBe(false);
      expect((inputs(fake.world, 'watchDrift').at(-1) as Watch).asked).toEqual(['a']);
      held = false;
      await run.finish(notBlocked);
    });
    expect(new Set(gates(fake.world).map(({ gate }) => gate.id)).size).toBe(1);
  });
});

describe('what is done for held nodes', () => {
  const workload = (name: string) => ({ kind: 'Deployment' as const, namespace: 'shop', name, replicas: 1 });
  const [cart, web] = [
    { ...A, workload: workload('cart') },
    { ...B, workload: workload('web') },
  ];
  /** Each message of the thread that is about them, with what it said one after the other. */
  const said = ({ published }: FakeWorld): string[][] => {
    const notes = published.flatMap(({ key, notification: n }) =>
      n.kind === 'note' && /scaled|deleted/.test(n.text) ? [{ key, text: n.text }] : [],
    );
    return [...new Set(notes.map(({ key }) => key))].map((key) => notes.filter((note) => note.key === key).map(({ text }) => text));
  };
  /** Both are held until the thread says what was done for each: what is under way when a roll ends is cut off. */
  const heldBoth = () => {
    const { fake, activities } = rolling(({ asked = [] }) => {
      const lines = said(fake.world)[0]?.at(-1)?.split('\n') ?? [];
      if (lines.length === 3) return DONE;
      return asked.length === 0 ? { kind: 'blocked', node: cart, more: [web], ...COUNTS } : undefined;
    });
    return { fake, activities };
  };

  test('RA3: scaled workloads are one message, which is edited when they are back', async () => {
    const { fake, activities } = heldBoth();
    await withUpgrade(env, activities, (run) => run.finish());
    expect(said(fake.world)).toHaveLength(1);
    expect(said(fake.world)[0]?.at(-1)).toBe(
      [
        'Done for nodes that could not be replaced (2 of 2 workloads scaled back):',
        '• Deployment shop/cart scaled 1 → 2, and back at 1 replica',
        '• Deployment shop/web scaled 1 → 2, and back at 1 replica',
      ].join('\n'),
    );
  });

  test('RA3: one that somebody else has changed since is named there, beside the alarm', async () => {
    const { fake, activities } = heldBoth();
    const scaleBack: BelayActivities['scaleBack'] = async ({ name }) => ({ restored: name !== 'web', changedByOthers: name === 'web' });
    await withUpgrade(env, withChange({ ...fake, activities }, { scaleBack }), (run) => run.finish());
    expect(said(fake.world)[0]?.at(-1)).toContain(
      '• Deployment shop/web scaled 1 → 2; not scaled back, because somebody else has changed it since',
    );
  });

  test('RA3: a change that is on its way when the roll ends has arrived before it is put back', async () => {
    let isScaling = false;
    const order: string[] = [];
    const { fake, activities } = rolling(({ asked = [] }) => {
      if (isScaling) return DONE;
      return asked.length === 0 ? { kind: 'blocked', node: cart, ...COUNTS } : undefined;
    });
    const scaleByOne: BelayActivities['scaleByOne'] = async () => {
      isScaling = true;
      // A request to Kubernetes that takes its time: it is not called back by a cancellation.
      await sleepBeating(60_000).catch(() => new Promise((resolve) => setTimeout(resolve, 500)));
      order.push('scaled');
      return { before: 1, after: 2, ready: false };
    };
    const scaleBack: BelayActivities['scaleBack'] = async () => {
      order.push('scaled back');
      return { restored: true, changedByOthers: false };
    };
    const report = await withUpgrade(env, withChange({ ...fake, activities }, { scaleByOne, scaleBack }), (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(order).toEqual(['scaled', 'scaled back']);
  });

  /** Cordons, deletions and what undoes them, in order. */
  const noting = (denied: readonly string[] = []) => {
    const done: string[] = [];
    const note = (verb: string, name: string): void => {
      if (denied.includes(verb)) throw ApplicationFailure.nonRetryable(`may not ${verb}`, 'AccessDenied');
      done.push(`${verb} ${name}`);
    };
    const change: Partial<BelayActivities> = {
      cordonNode: async ({ node: name }) => note('cordon', name),
      uncordonNode: async ({ node: name }) => note('uncordon', name),
      deletePod: async ({ name }) => note('delete', name),
      holdNode: async ({ node: name }) => note('hold', name),
    };
    return { done, change };
  };
  const DELETE: Decider = (gate, seen) => (gate.id.startsWith('blocked') ? 'delete-pod' : approveAll(gate, seen));

  test('all nodes are cordoned before the first pod goes, so that its successor starts on none of them, and uncordoned in the end', async () => {
    const { fake, activities } = heldBoth();
    const { done, change } = noting();
    await withUpgrade(env, withChange({ ...fake, activities }, change), (run) => run.finish(DELETE));
    expect(done).toEqual(['cordon a', 'cordon b', 'delete cart-a', 'delete cart-b', 'uncordon a', 'uncordon b']);
    expect(gates(fake.world)[0]?.gate.choices.find(({ id }) => id === 'delete-pod')?.does).toMatch(/^Cordons the nodes and deletes /);
    expect(gates(fake.world)[0]?.gate.undo).toContain('Nodes that stay are uncordoned.');
  });

  test('a node that is skipped afterwards takes pods again at once', async () => {
    const { done, change } = noting();
    const { fake, activities } = rolling(({ ignoreNodes, asked = [] }) => {
      if (ignoreNodes.length === 2) return DONE;
      if (asked.length === 0) return { kind: 'blocked', node: cart, ...COUNTS };
      return asked.length === 1 && done.includes('delete cart-a') ? { kind: 'blocked', node: cart, more: [web], ...COUNTS } : undefined;
    });
    await withUpgrade(env, withChange({ ...fake, activities }, change), (run) =>
      run.finish((gate, seen) => {
        if (!gate.id.startsWith('blocked')) return approveAll(gate, seen);
        return gate.id.endsWith('#1') ? 'delete-pod' : 'skip-node';
      }),
    );
    expect(done).toEqual(['cordon a', 'delete cart-a', 'hold a', 'uncordon a', 'hold b']);
  });

  test.each([
    ['cordon nodes', 'cordon', []],
    ['delete pods', 'delete', ['cordon a', 'uncordon a']],
  ])('without the right to %s nothing stays changed, and the choice is asked again', async (_right, denied, changed) => {
    const { fake, activities } = rolling(({ ignoreNodes, asked = [] }) => {
      if (ignoreNodes.includes('a')) return DONE;
      return asked.length === 0 ? { kind: 'blocked', node: cart, ...COUNTS } : undefined;
    });
    const { done, change } = noting([denied]);
    await withUpgrade(env, withChange({ ...fake, activities }, change), (run) =>
      run.finish((gate, seen) => {
        if (!gate.id.startsWith('blocked')) return approveAll(gate, seen);
        return gate.id.endsWith('#1') ? 'delete-pod' : 'skip-node';
      }),
    );
    expect(said(fake.world)[0]?.at(-1)).toBe(`Pod shop/cart-a was NOT deleted: may not ${denied}.`);
    expect(done.filter((each) => !each.startsWith('hold'))).toEqual(denied === 'cordon' ? ['uncordon a'] : changed);
  });

  test('what cannot be uncordoned is said, and the run completes', async () => {
    const { fake, activities } = heldBoth();
    const { change } = noting(['uncordon']);
    const report = await withUpgrade(env, withChange({ ...fake, activities }, change), (run) => run.finish(DELETE));
    expect(report.outcome).toBe('completed');
    expect(report.leftBehind.map(({ what, why }) => `${what}: ${why}`)).toEqual(
      ['a', 'b'].map((name) => expect.stringMatching(new RegExp(`^scheduling on node ${name}: .*may not uncordon`))),
    );
  });

  test('a node that Karpenter removes already is tainted: it is not cordoned', async () => {
    let isDone = false;
    const { fake, activities } = rolling(({ asked = [] }) => {
      if (isDone) return DONE;
      return asked.length === 0 ? { kind: 'blocked', node: { ...cart, removing: {} }, ...COUNTS } : undefined;
    });
    const { done, change } = noting();
    const deletePod: BelayActivities['deletePod'] = async (input) => {
      await change.deletePod?.(input);
      isDone = true;
    };
    await withUpgrade(env, withChange({ ...fake, activities }, { ...change, deletePod }), (run) => run.finish(DELETE));
    expect(done).toEqual(['delete cart-a']);
  });

  test('RA3: deleted pods are one message of warning', async () => {
    const { fake, activities } = heldBoth();
    await withUpgrade(env, activities, (run) =>
      run.finish((gate, seen) => (gate.id.startsWith('blocked') ? 'delete-pod' : approveAll(gate, seen))),
    );
    expect(said(fake.world)).toHaveLength(1);
    expect(said(fake.world)[0]?.at(-1)).toBe(
      'Done for nodes that could not be replaced:\n• Pod shop/cart-a deleted, as decided, with its node cordoned\n• Pod shop/cart-b deleted, as decided, with its node cordoned',
    );
  });
});

test('RD6: a NodePool that is deleted is named once, and its nodes are not counted any more', async () => {
  const { fake, activities } = rolling(({ ignorePools = [], pools = [] }) =>
    pools.includes('default') && !ignorePools.includes('default')
      ? { kind: 'pools-gone', pools: ['default'], replacedCount: 0, remainingCount: 0 }
      : DONE,
  );
  await withUpgrade(env, activities, (run) => run.finish());
  const said = JSON.stringify(fake.world.published);
  expect(said.split('was deleted while nodes roll')).toHaveLength(2);
  expect(said).toContain('NodePool default was deleted while nodes roll');
  expect(count(fake.world, 'watchDrift')).toBeGreaterThan(1);
});

test('a gate says as of when it counts, and board, next gate and decision say what was counted last', async () => {
  let step = 0;
  const counts = [
    { replacedCount: 2, remainingCount: 30 },
    { replacedCount: 8, remainingCount: 24 },
    { replacedCount: 12, remainingCount: 20 },
    { replacedCount: 20, remainingCount: 12 },
  ] as const;
  const { fake, activities } = rolling(({ asked = [], toldCount = 0, ignoreNodes }) => {
    if (ignoreNodes.length > 0) return DONE;
    if (asked.length === 0) return { kind: 'blocked', node: A, ...counts[0] };
    if (step === 1 && toldCount < 8) return { kind: 'progress', ...counts[1] };
    if (step === 3 && toldCount < 20) return { kind: 'progress', ...counts[3] };
    return step === 2 && asked.length === 1 ? { kind: 'blocked', node: A, more: [B], ...counts[2] } : undefined;
  });
  const evidence = (id: string): string[] =>
    gates(fake.world)
      .filter(({ gate }) => gate.id.endsWith(id))
      .flatMap(({ gate }) => gate.evidence.at(-1)?.lines.at(-1) ?? []);
  await withUpgrade(env, activities, async (run) => {
    const rolled = (doneCount: number) => run.until(({ steps }) => steps.some((s) => s.rolled?.doneCount === doneCount), notBlocked);
    await run.until(isOpen, notBlocked);
    step = 1;
    // The board goes on, and what the gate said of a moment ago is no contradiction.
    const later = await rolled(8);
    expect(later.steps.at(-1)?.note).toBe('8 nodes are at 1.32, 24 to go.');
    expect(
      later.gates
        .find(({ id }) => id.startsWith('blocked'))
        ?.evidence?.at(-1)
        ?.lines.at(-1),
    ).toMatch(/^As of \d{4}-\d\d-\d\d \d\d:\d\d UTC: 2 nodes replaced, 30 to go$/);
    step = 2;
    // A list that has changed is another gate: board and gate have one count.
    expect((await rolled(12)).steps.at(-1)?.rolled).toMatchObject({ doneCount: 12, totalCount: 32 });
    await run.until((s) => s.gates.some(({ id }) => id.endsWith('/a#2')), notBlocked);
    expect(new Set(evidence('/a#2').map((line) => line.replace(/^.*UTC: /, '')))).toEqual(new Set(['12 nodes replaced, 20 to go']));
    step = 3;
    await rolled(20);
    await run.finish((g, seen) => (g.id.startsWith('blocked') ? 'skip-node' : approveAll(g, seen)));
  });
  const notes = fake.world.published.flatMap(({ notification: n }) => (n.kind === 'board' ? n.status.steps.map(({ note }) => note) : []));
  expect(notes).toContain('2 nodes: Skip the nodes. 20 nodes replaced, 12 to go.');
});

test('RD8: the message of the pace and the status move together, from one count', async () => {
  let step = 0;
  const { fake, activities } = rolling(({ toldCount }) => {
    if (step === 0 && toldCount === 0) return { kind: 'progress', replacedCount: 3, remainingCount: 9 };
    return step === 0 ? undefined : { ...DONE, replacedCount: 12 };
  });
  const paced = plan(['freeze-drift', 'karpenter-drift'], (s) =>
    s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, paces: ['1'], offeredPaces: ['freeze', '1', '10%'] } } : s,
  );
  await withUpgrade(env, { ...activities, makePlan: async () => ({ kind: 'plan', plan: paced }) }, async (run) => {
    const counted = await run.until(({ steps }) => steps.some(({ rolled }) => rolled?.doneCount === 3), approveAll);
    expect(counted.steps.at(-1)).toMatchObject({
      rolled: { doneCount: 3, totalCount: 12 },
      note: expect.stringContaining('3 nodes are at 1.32, 9 to go'),
    });
    const shown = () =>
      fake.world.published
        .flatMap(({ notification: n }) => (n.kind === 'pace' ? [[n.pace.replacedCount, n.pace.remainingCount]] : []))
        .at(-1);
    const end = Date.now() + 5000;
    while (shown()?.[0] !== 3 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(shown()).toEqual([3, 9]);
    step = 1;
    await run.finish();
    expect(shown()?.[0]).toBe(12);
  });
});
