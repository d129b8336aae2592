/** Groups of one's own whose instances Belay refreshes: what people are told and asked, and what goes on meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { RefreshOutcome } from '../../../../activities/contract/self-managed.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../../support/fake-activities.ts';
import { eventually } from '../../../support/eventually.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { approveAll, type Decider, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const groups = [{ name: 'batch', size: 2 }];
const other = step('other-nodes', {
  params: { phase: 'other-nodes', to: '1.32', selfManaged: { nodeCount: 2, groups, refresh: { minHealthyPercent: 100 } } },
});
const fakeRun = (timing: Partial<Timing> = {}) => {
  const policy = quickPolicy();
  return fakeActivities({ plan: plan(['other-nodes'], () => other), policy: { ...policy, timing: { ...policy.timing, ...timing } } });
};
const CHANGE = 'change:other-nodes@1.32/batch#1';
const STOP = 'blocked:other-nodes@1.32/batch#1';
const NODE = {
  node: 'ip-10-0-1-7',
  nodePool: '',
  leaving: true,
  reason: 'pod shop/cart is blocked by PodDisruptionBudget shop/cart',
  sinceMs: 60_000,
};

test('agreed, held, refreshed, and the hook is gone; what blocks a drain is asked about without a way to skip', async () => {
  const fake = fakeRun();
  let looks = 0;
  const offered: string[][] = [];
  const activities = withChange(fake, {
    watchInstanceRefresh: async () => {
      if (looks++ === 0) return { kind: 'blocked', node: NODE, percent: 50, leftCount: 1 };
      while (offered.length === 0) await sleepBeating(20);
      return { kind: 'done' };
    },
  });
  const decider: Decider = (open) => {
    if (open.id.endsWith('/ip-10-0-1-7#1')) offered.push(open.choices);
    return open.id === STOP ? undefined : open.id.endsWith('/ip-10-0-1-7#1') ? 'wait' : approveAll(open, 0);
  };
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('completed');
  expect(offered[0]).toEqual(['wait']);
  expect(inputs(fake.world, 'startInstanceRefresh')).toMatchObject([
    { group: 'batch', template: { id: 'lt-1', version: '2' }, minHealthyPercent: 100 },
  ]);
  expect([count(fake.world, 'holdTerminating'), count(fake.world, 'releaseTerminating'), count(fake.world, 'stopInstanceRefresh')]).toEqual(
    [1, 1, 0],
  );
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('Drained by Belay: no lifecycle hook does it');
  expect(told).toContain('Node ip-10-0-1-7 cannot be drained: what now?');
  expect(told).toContain('self-managed nodes are at 1.32');
});

test('an abort while the template is being made: nothing is held, and no refresh begins', async () => {
  const fake = fakeRun();
  let isAborted = false;
  const activities = withChange(fake, {
    addTemplateVersion: async () => {
      while (!isAborted) await sleepBeating(50);
      await sleepBeating(200);
      return { version: '2', adopted: false };
    },
  });
  const report = await withUpgrade(env, activities, async (run) => {
    await run.until(() => count(fake.world, 'addTemplateVersion') === 1, approveAll);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM, reason: 'enough' }] });
    isAborted = true;
    return await run.finish();
  });
  expect(report.outcome).toBe('aborted');
  expect([count(fake.world, 'holdTerminating'), count(fake.world, 'startInstanceRefresh')]).toEqual([0, 0]);
});

test.each([
  ['roll-back', 'RollbackSuccessful', 'batch was rolled back, as decided'],
  ['stop', 'Cancelled', 'the refresh of batch was stopped, as decided'],
] as const)('%s by a button', async (choice, status, told) => {
  const fake = fakeRun();
  let stopped = (): void => undefined;
  const pressed = new Promise<void>((resolve) => (stopped = resolve));
  const activities = withChange(fake, {
    watchInstanceRefresh: async () => {
      await pressed;
      return { kind: 'ended', status, why: 'by customer' };
    },
    stopInstanceRefresh: async () => stopped(),
    awaitSelfManaged: async () => ({ timedOut: false, left: [] }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish((open) => (open.id === STOP ? choice : approveAll(open, 0))));
  expect(report.outcome).toBe('completed');
  expect(inputs(fake.world, 'stopInstanceRefresh')).toMatchObject([{ how: choice === 'stop' ? 'cancel' : 'roll-back' }]);
  expect(count(fake.world, 'releaseTerminating')).toBe(1);
  expect(JSON.stringify(fake.world.published)).toContain(told);
});

describe('while people are asked about a node', () => {
  const COUNTS = { percent: 50, leftCount: 1 };
  const OTHER = { ...NODE, node: 'ip-10-0-1-8', reason: 'pod shop/web is blocked by PodDisruptionBudget shop/web' };
  type Watch = Parameters<BelayActivities['watchInstanceRefresh']>[0];
  const ABOUT_NODE = 'blocked:other-nodes@1.32/ip-10-0-1-7';
  const notBlocked: Decider = (open) => (open.id.startsWith('blocked:') ? undefined : approveAll(open, 0));
  const isAsked = ({ gates }: { gates: { id: string }[] }, id = `${ABOUT_NODE}#1`): boolean => gates.some((gate) => gate.id === id);

  /** `now`: what the watch sees at each of its looks. Its own time is over as the activity's is. */
  const watching = (now: (input: Watch) => RefreshOutcome | undefined, timing: Partial<Timing> = {}) => {
    const fake = fakeRun(timing);
    const activities = withChange(fake, {
      watchInstanceRefresh: async (input) => {
        for (const startedAtMs = Date.now(); ; await sleepBeating(20)) {
          const outcome = now(input);
          if (outcome !== undefined) return outcome;
          if (Date.now() - startedAtMs >= (input.timeoutMs ?? Number.POSITIVE_INFINITY)) return { kind: 'timed-out', why: '50 %' };
        }
      },
    });
    const gates = () =>
      fake.world.published.flatMap(({ notification }) =>
        notification.kind === 'gate' && notification.state.gate.id.startsWith(ABOUT_NODE) ? [notification.state] : [],
      );
    return { fake, activities, gates, watches: () => inputs(fake.world, 'watchInstanceRefresh') as Watch[] };
  };

  test('instances are drained and held all the while, and their time is not the refresh’s; the gate closes by itself once the node is free', async () => {
    let [isHeld, looksLeft] = [true, 3];
    const { fake, activities, gates, watches } = watching(
      ({ asked = [] }) => {
        if (isHeld) return asked.length === 0 ? { kind: 'blocked', node: NODE, ...COUNTS, heldMs: { a: 60_000 } } : undefined;
        if (asked.length > 0) return { kind: 'freed', ...COUNTS };
        looksLeft -= 1;
        return looksLeft === 0 ? { kind: 'done' } : undefined;
      },
      { nodeGroupTimeoutMs: 8_000 },
    );
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until((status) => isAsked(status), notBlocked);
      await new Promise((resolve) => setTimeout(resolve, 8_500));
      isHeld = false;
      return await run.finish(notBlocked);
    });
    expect(report.outcome).toBe('completed');
    expect(watches().map(({ asked, heldMs }) => [asked, heldMs])).toEqual([
      [[], undefined],
      [[NODE.node], { a: 60_000 }],
      [[], undefined],
    ]);
    expect(watches()[1]?.timeoutMs).toBeUndefined();
    expect(gates().at(-1)).toMatchObject({ kind: 'withdrawn', why: 'ip-10-0-1-7 is no longer blocked' });
    expect(count(fake.world, 'stopInstanceRefresh')).toBe(0);
  });

  test('a large group has as long for each tenth: only a refresh that no longer moves counts as late', async () => {
    const { activities, watches } = watching(({ told }) => (told === 0 ? { kind: 'progress', ...COUNTS } : { kind: 'done' }), {
      nodeGroupTimeoutMs: 4_000,
    });
    const report = await withUpgrade(env, activities, (run) => run.finish(notBlocked));
    expect(report.outcome).toBe('completed');
    expect(watches().map(({ told, timeoutMs }) => [told, timeoutMs])).toEqual([
      [0, 4_000],
      [COUNTS.percent, 4_000],
    ]);
  });

  test('another node that cannot be drained is asked about with it, and neither can be skipped', async () => {
    let isMore = false;
    const { activities, gates } = watching(({ asked = [] }) => {
      if (asked.length === 0) return isMore ? { kind: 'done' } : { kind: 'blocked', node: NODE, ...COUNTS };
      return isMore && asked.length === 1 ? { kind: 'blocked', node: NODE, more: [OTHER], ...COUNTS } : undefined;
    });
    await withUpgrade(env, activities, async (run) => {
      await run.until((status) => isAsked(status), notBlocked);
      isMore = true;
      await run.until((status) => isAsked(status, `${ABOUT_NODE}#2`), notBlocked);
      // The status is ahead of what is posted, and the run ends with this function.
      await eventually('the second gate is posted', () => gates().at(-1)?.gate.id === `${ABOUT_NODE}#2`);
    });
    const withdrawn = gates().find(({ kind }) => kind === 'withdrawn');
    expect(withdrawn).toMatchObject({ why: 'the list of blocked nodes has changed: ip-10-0-1-7, ip-10-0-1-8' });
    const { title, next, undo, choices } = gates().at(-1)?.gate ?? {};
    expect([title, next, undo]).toEqual([
      '2 nodes cannot be drained: what now?',
      'A choice applies to every node listed. The instances are held until they are empty; Auto Scaling gives up after an hour without progress, and terminates an instance after two days.',
      'Waiting changes nothing.',
    ]);
    expect(choices?.map(({ id }) => id)).toEqual(['wait']);
  });

  test('what is chosen for it fails: the refresh is stopped before its hook is removed', async () => {
    const workload = { kind: 'Deployment' as const, namespace: 'shop', name: 'cart', replicas: 1 };
    const { fake, activities } = watching(({ asked = [] }) =>
      asked.length === 0 ? { kind: 'blocked', node: { ...NODE, workload }, ...COUNTS } : undefined,
    );
    const order: string[] = [];
    const changed = withChange(
      { ...fake, activities },
      {
        scaleByOne: async () =>
          Promise.reject(ApplicationFailure.create({ type: 'AccessDenied', message: 'scaling shop/cart: forbidden', nonRetryable: true })),
        stopInstanceRefresh: async () => void order.push('stopped'),
        releaseTerminating: async () => void order.push('hook removed'),
      },
    );
    const decider: Decider = (open) =>
      open.id.startsWith('failed:') ? 'abort' : open.id.startsWith(ABOUT_NODE) ? 'scale' : notBlocked(open, 0);
    const report = await withUpgrade(env, changed, (run) => run.finish(decider));
    expect(report.outcome).toBe('aborted');
    expect(order).toEqual(['stopped', 'hook removed']);
    expect(JSON.stringify(fake.world.published)).toContain('scaling shop/cart: forbidden');
  });
});

test.each([
  ['stop', 'stopped', 'stop it: aws autoscaling cancel-instance-refresh'],
  ['roll-back', 'rolled back', 'roll it back: aws autoscaling rollback-instance-refresh'],
] as const)('%s that AWS refuses is said at once, and can be pressed again', async (choice, done, command) => {
  const fake = fakeRun();
  let tries = 0;
  const activities = withChange(fake, {
    watchInstanceRefresh: async () => {
      while (tries < 2) await sleepBeating(20);
      return { kind: 'ended', status: choice === 'stop' ? 'Cancelled' : 'RollbackSuccessful', why: 'by customer' };
    },
    stopInstanceRefresh: async () => {
      tries += 1;
      if (tries === 1) throw ApplicationFailure.create({ type: 'AccessDenied', message: 'AWS answered AccessDenied', nonRetryable: true });
    },
  });
  const decider: Decider = (open) => (open.id.startsWith('blocked:other-nodes@1.32/batch#') ? choice : approveAll(open, 0));
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('completed');
  const gate = 'blocked:other-nodes@1.32/batch';
  const pressed = fake.world.published.flatMap(({ notification }) =>
    notification.kind === 'gate' && notification.state.kind === 'decided' && notification.state.gate.id.startsWith(gate)
      ? [notification.state.gate.id]
      : [],
  );
  expect(pressed).toEqual([`${gate}#1`, `${gate}#2`]);
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain(
    `ALARM: The instance refresh of batch could not be ${done}: AWS answered AccessDenied. It continues until you ${command} --auto-scaling-group-name batch`,
  );
});

test('one that fails ends the step with Auto Scaling’s reason; others’ hooks drain, so Belay adds none', async () => {
  const fake = fakeRun();
  const { examineGroup } = fake.activities;
  const activities = withChange(fake, {
    examineGroup: async (input) => ({ ...(await examineGroup(input)), hooks: ['nth'] }) as Awaited<ReturnType<typeof examineGroup>>,
    watchInstanceRefresh: async () => ({ kind: 'ended', status: 'Failed', why: 'instances did not become healthy' }),
  });
  const decider: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : open.id === STOP ? undefined : approveAll(open, 0));
  const report = await withUpgrade(env, activities, (run) => run.finish(decider));
  expect(report.outcome).toBe('aborted');
  const told = JSON.stringify(fake.world.published);
  expect(told).toContain('Refreshing batch to 1.32: the refresh is Failed: instances did not become healthy');
  expect(told).toContain('UNKNOWN what drains the nodes');
  expect([count(fake.world, 'holdTerminating'), count(fake.world, 'releaseTerminating')]).toEqual([0, 0]);
});

test('by hand, or kept as code: asked for with the commands and the reason', async () => {
  const fake = fakeRun();
  const report = await withUpgrade(env, fake.activities, (run) =>
    run.finish((open) => (open.id === CHANGE ? 'by-hand' : open.id.startsWith('blocked:') ? undefined : approveAll(open, 0))),
  );
  expect(report.outcome).toBe('completed');
  expect(count(fake.world, 'startInstanceRefresh')).toBe(0);
  expect(JSON.stringify(fake.world.published)).toContain('(Belay does not: you chose to do it by hand)');
});

test('an abort in the middle stops the refresh and removes the hook', async () => {
  const fake = fakeRun();
  const activities = withChange(fake, { watchInstanceRefresh: async () => untilCancelled() });
  const report = await withUpgrade(env, activities, async (run) => {
    const decider: Decider = (open) => (open.id === STOP ? undefined : approveAll(open, 0));
    await run.until(() => count(fake.world, 'watchInstanceRefresh') > 0, decider);
    await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM }] });
    return run.finish(decider);
  });
  expect(report.outcome).toBe('aborted');
  expect([count(fake.world, 'stopInstanceRefresh'), count(fake.world, 'releaseTerminating')]).toEqual([1, 1]);
});
