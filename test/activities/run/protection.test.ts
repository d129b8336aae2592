/** What is looked at before a change that nobody can take back: in the same activity, before the first request that changes something. */
import { describe, expect, test } from 'vitest';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { protectAll, type ProtectionDeps } from '../../../activities/run/protection.ts';
import { looksBefore, type Protection, REVERSAL } from '../../../domain/policy/irreversible.ts';
import { EFFECTS, REVERSALS } from '../../../workflows/runtime/activity-effects.ts';
import { CLUSTER } from '../../support/facts.ts';
import { beforeChange } from '../../../activities/runtime/before-change.ts';

const FREEZE: Protection = { freeze: { guard: 'guard', reasons: ['Drifted'] } };

function world(change: Partial<ProtectionDeps> = {}) {
  const order: string[] = [];
  let isIntact = true;
  const deps: ProtectionDeps = {
    freeze: {
      checkFreeze: async () => (order.push('look'), { intact: isIntact, reverted: isIntact ? [] : ['default'], pools: ['default'] }),
      freezeDrift: async () => {
        order.push('freeze');
        await beforeChange();
        isIntact = true;
        return { pools: ['default'], adopted: [], previousGuards: [] };
      },
    },
    exclusion: async () => ({ kind: 'open' }),
    alerts: async () => ({ kind: 'quiet' }),
    ...change,
  };
  const bare = {
    startControlPlaneUpdate: async () => {
      order.push('adopt?');
      await beforeChange();
      order.push('send');
      return { updateId: 'u-1', adopted: false, alreadyThere: false };
    },
    deletePod: async () => {
      await beforeChange();
      order.push('send');
    },
    readClock: async () => ({ eks: 'now' }),
  } as unknown as BelayActivities;
  const activities = protectAll(bare, deps);
  const update = (protect?: Protection) =>
    activities.startControlPlaneUpdate({
      cluster: CLUSTER,
      to: '1.32',
      token: 't',
      notBefore: 'x',
      ...(protect === undefined ? {} : { protect }),
    });
  return { order, update, activities, revert: () => void (isIntact = false) };
}

describe('RD2: before UpdateClusterVersion', () => {
  test('RD2: the freeze is looked at after the search for an update to adopt, and before the request', async () => {
    const { order, update } = world();
    expect(await update(FREEZE)).toEqual({ updateId: 'u-1', adopted: false, alreadyThere: false });
    expect(order).toEqual(['adopt?', 'look', 'send']);
  });

  test('RD2: where no exclusion has begun and no alert fires, it is sent; a run that protects nothing is not held up', async () => {
    const { order, update } = world();
    await update({ exclusion: 'control-plane', alerts: { ignore: [] } });
    await update();
    expect(order).toEqual(['adopt?', 'send', 'adopt?', 'send']);
  });

  test('RD2: a freeze that was reverted is put back and looked at again; the run is told', async () => {
    const { order, update, revert } = world();
    revert();
    expect(await update(FREEZE)).toMatchObject({ updateId: 'u-1', refrozen: ['default'] });
    expect(order).toEqual(['adopt?', 'look', 'freeze', 'look', 'send']);
  });

  test('RD2: a freeze that does not hold: nothing is sent', async () => {
    const { order, update } = world({
      freeze: {
        checkFreeze: async () => ({ intact: false, reverted: ['default'], pools: ['default'] }),
        freezeDrift: async () => ({ pools: ['default'], adopted: [], previousGuards: [] }),
      },
    });
    await expect(update(FREEZE)).rejects.toMatchObject({
      type: 'NotProtected',
      nonRetryable: true,
      message: expect.stringContaining('default'),
    });
    expect(order).not.toContain('send');
  });

  test.each<[string, Partial<ProtectionDeps>, Protection, string]>([
    [
      'an exclusion has begun',
      { exclusion: async () => ({ kind: 'closed', why: 'maintenance exclusion "peak"', now: 'now' }) },
      { exclusion: 'control-plane' },
      'maintenance exclusion "peak"',
    ],
    [
      'whether one has is not known',
      { exclusion: async () => ({ kind: 'unknown', why: 'belay.yaml is gone' }) },
      { exclusion: 'control-plane' },
      'belay.yaml is gone',
    ],
    [
      'alerts cannot be read',
      { alerts: async () => ({ kind: 'unknown', why: 'no Prometheus' }) },
      { alerts: { ignore: [] } },
      'no Prometheus',
    ],
  ])('RD2: %s: nothing is sent, and what people have waived is not asked', async (_title, change, protect, why) => {
    const { order, update } = world(change);
    await expect(update(protect)).rejects.toMatchObject({ type: 'NotProtected', message: expect.stringContaining(why) });
    expect(order).not.toContain('send');
    await update({});
    expect(order).toContain('send');
  });
});

test('RD2: deleting a pod looks at exclusions and alerts, not at a freeze that is at a pace', async () => {
  const { order, activities } = world();
  await activities.deletePod({ cluster: CLUSTER, namespace: 'shop', name: 'cart', protect: FREEZE } as never);
  expect(order).toEqual(['send']);
  expect(looksBefore('deletePod')).toEqual(['exclusion', 'alerts']);
});

test('RD2: whatever changes something is classed, and nothing else is', () => {
  const changing = Object.entries(EFFECTS).flatMap(([name, effect]) => (effect === 'changes' ? [name] : []));
  expect(Object.keys(REVERSALS).toSorted()).toEqual(changing.toSorted());
});

test('RD2: what moves versions, deletes or retires is never classed as undone', () => {
  const forGood = Object.entries(REVERSAL).filter(([name]) => /^(start.*Update|delete|retire|remove|restart|roll)/.test(name));
  expect(forGood.length).toBeGreaterThan(8);
  for (const [name, reversal] of forGood) expect([name, Array.isArray(reversal)]).toEqual([name, true]);
});
