/** The freeze: exact both ways, one patch per pool, robust against lost answers, GitOps and other people. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodePoolObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const POOL = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
const REASONS = ['Drifted', 'Underutilized', 'Empty'];
const OURS = { nodes: '0', reasons: REASONS };
const GUARD = 'eks-upgrade/111122223333/eu-central-1/prod/freeze-drift@1.33';

function world(disruption: Record<string, unknown> | undefined, annotations?: Record<string, string>) {
  const port = new FakeKubernetes().put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', disruption, { annotations }));
  const activities = createKarpenterActivities(depsOf(port));
  return {
    port,
    freeze: (guard = GUARD) => activities.freezeDrift({ cluster: CLUSTER, guard, reasons: REASONS }),
    check: (nodes = '0') => activities.checkFreeze({ cluster: CLUSTER, nodes, reasons: REASONS }),
    pace: (nodes: string) => activities.setDriftPace({ cluster: CLUSTER, nodes, reasons: REASONS }),
    restore: () => activities.restoreBudgets({ cluster: CLUSTER }),
    frozen: async () => (await activities.findFrozen({ cluster: CLUSTER })).pools,
    activities,
    budgets: () => (port.look(POOL).spec as { disruption?: { budgets?: unknown[] } }).disruption?.budgets,
    annotations: () => port.look(POOL).metadata.annotations ?? {},
    setBudgets: (budgets: unknown[] | undefined) =>
      port.edit(POOL, (pool) => {
        const spec = pool.spec as { disruption: { budgets?: unknown[] } };
        if (budgets === undefined) delete spec.disruption.budgets;
        else spec.disruption.budgets = budgets;
      }),
  };
}

const SCHEDULED = { nodes: '0', reasons: ['Drifted'], schedule: '0 9 * * mon-fri', duration: '8h' };
const BASE = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' };

describe('freeze and restore', () => {
  const table: [title: string, disruption: Record<string, unknown> | undefined, frozen: unknown[]][] = [
    ['the key is absent: the default of 10 % applies', BASE, [{ nodes: '10%' }, OURS]],
    ['spec.disruption is absent as a whole', undefined, [{ nodes: '10%' }, OURS]],
    ['[] means no limit', { ...BASE, budgets: [] }, [OURS]],
    ['the default written out', { ...BASE, budgets: [{ nodes: '10%' }] }, [{ nodes: '10%' }, OURS]],
    [
      'several with schedules',
      { ...BASE, budgets: [{ nodes: '20%' }, SCHEDULED, { nodes: '5' }] },
      [{ nodes: '20%' }, SCHEDULED, { nodes: '5' }, OURS],
    ],
    ['an entry equal to ours that belongs to others', { ...BASE, budgets: [OURS, { nodes: '3' }] }, [OURS, { nodes: '3' }, OURS]],
  ];
  test.each(table)('%s', async (_title, disruption, frozen) => {
    const { port, freeze, pace, restore, budgets, check, frozen: found } = world(disruption);
    const before = structuredClone(port.look(POOL));
    expect(await found()).toEqual([]);

    expect(await freeze()).toEqual({ pools: ['default'], adopted: [], previousGuards: [] });
    expect(budgets()).toEqual(frozen);
    expect(port.patches).toHaveLength(1);
    expect(await check()).toEqual({ intact: true, reverted: [], pools: ['default'] });

    expect(await pace('25%')).toEqual({ intact: true, reverted: [], pools: ['default'] });
    expect(budgets()).toEqual([...frozen.slice(0, -1), { nodes: '25%', reasons: REASONS }]);
    expect(await found()).toEqual(['default']);

    expect(await restore()).toEqual({ restored: ['default'], changedByOthers: [], failed: [] });
    const after = port.look(POOL);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.annotations).toEqual(before.metadata.annotations);
    expect(await found()).toEqual([]);
    expect(port.patches).toHaveLength(3);
  });

  test('any list comes back as it was, whatever happens to the pace', async () => {
    const entry = fc.record(
      { nodes: fc.constantFrom('0', '1', '10%'), reasons: fc.constantFrom(REASONS, ['Drifted'], []), schedule: fc.constantFrom('@daily') },
      { requiredKeys: ['nodes'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.array(entry, { maxLength: 4 })),
        fc.array(fc.constantFrom('0', '1', '10%'), { maxLength: 3 }),
        async (list, paces) => {
          const { port, freeze, pace, restore } = world(list === null ? { ...BASE } : { ...BASE, budgets: list });
          const before = port.look(POOL).spec;
          await freeze();
          for (const nodes of paces) expect((await pace(nodes)).intact).toBe(true);
          await freeze();
          expect((await restore()).restored).toEqual(['default']);
          expect(port.look(POOL).spec).toEqual(before);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('the before-image on the object is enough for a human', async () => {
    const { freeze, annotations } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    expect(annotations()).toMatchObject({
      'karpenter.sh/nodepool-hash': '377058807571762610',
      'belay.dev/budgets-before': '{"budgets":[{"nodes":"20%"}]}',
      'belay.dev/freeze-guard': GUARD,
      'belay.dev/freeze-entry': JSON.stringify(OURS),
    });
  });

  test('a pool without annotations gets none left', async () => {
    const { port, freeze, restore } = world({ ...BASE, budgets: [] });
    port.edit(POOL, (pool) => delete pool.metadata.annotations);
    await freeze();
    await restore();
    expect(port.look(POOL).metadata.annotations).toBeUndefined();
  });

  test('RD9: NodePools are frozen whoever their node classes belong to', async () => {
    const { port, freeze } = world({ ...BASE });
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('auto', { ...BASE }, { group: 'eks.amazonaws.com' }));
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('test', { ...BASE }, { group: 'karpenter.kwok.sh' }));
    expect((await freeze()).pools).toEqual(['default', 'auto', 'test']);
  });

  test.each(['freezeDrift', 'checkFreeze', 'setDriftPace', 'restoreBudgets'] as const)(
    '%s: a server that does not know NodePools is no cluster without them',
    async (call) => {
      const activities = createKarpenterActivities(depsOf(new FakeKubernetes()));
      await expect(activities[call]({ cluster: CLUSTER, guard: GUARD, nodes: '0', reasons: REASONS })).rejects.toMatchObject({
        type: 'Unavailable',
        message: 'listing nodepools: the server does not serve karpenter.sh/v1; look at its CustomResourceDefinitions',
      });
    },
  );
});

describe('calls that are repeated', () => {
  test.each(['freeze', 'pace', 'restore'] as const)('K10: the answer to %s is lost: the retry changes nothing more', async (call) => {
    const it = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    if (call !== 'freeze') await it.freeze();
    const act = { freeze: () => it.freeze(), pace: () => it.pace('1'), restore: () => it.restore() }[call];
    const patchesBefore = it.port.patches.length;
    it.port.afterPatch = () => {
      throw failureOf('Unavailable', 'patching nodepools default: the connection was reset');
    };
    await expect(act()).rejects.toThrow('the connection was reset');
    it.port.afterPatch = undefined;
    const accepted = structuredClone(it.port.look(POOL));
    await act();
    expect(it.port.look(POOL)).toEqual(accepted);
    expect(it.port.patches).toHaveLength(patchesBefore + 1);
  });

  test('K9: somebody changes the pool between look and patch: looked at again, both changes stand', async () => {
    const { port, freeze, restore, budgets, setBudgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    let once = true;
    port.beforePatch = () => {
      if (once) setBudgets([{ nodes: '33%' }]);
      once = false;
    };
    await freeze();
    expect(budgets()).toEqual([{ nodes: '33%' }, OURS]);
    await restore();
    expect(budgets()).toEqual([{ nodes: '33%' }]);
  });

  test('a failed test that comes as 422 is looked at again; a refusal of the content is not', async () => {
    const { port, freeze, setBudgets } = world({ ...BASE });
    let tries = 0;
    port.beforePatch = () => {
      tries += 1;
      if (tries === 1) setBudgets([{ nodes: '1' }]);
      if (tries === 1) throw failureOf('InvalidRequest', 'patching: the server rejected our request due to an error in our request');
    };
    expect((await freeze()).pools).toEqual(['default']);

    const refusing = world({ ...BASE });
    refusing.port.beforePatch = () => {
      throw failureOf('InvalidRequest', 'patching: must have at most 50 items');
    };
    await expect(refusing.freeze()).rejects.toThrow('must have at most 50 items');
  });

  test.each(['freeze', 'pace', 'restore'] as const)('a pool that goes away before %s is no failure, and in no list', async (call) => {
    const it = world({ ...BASE });
    if (call !== 'freeze') await it.freeze();
    it.port.beforePatch = () => it.port.remove(POOL);
    const nothing = {
      freeze: { pools: [], adopted: [], previousGuards: [] },
      pace: { intact: true, reverted: [], pools: [] },
      restore: { restored: [], changedByOthers: [], failed: [] },
    };
    const act = { freeze: () => it.freeze(), pace: () => it.pace('1'), restore: () => it.restore() };
    expect(await act[call]()).toEqual(nothing[call]);
  });
});

describe('a freeze that was left behind', () => {
  test('is adopted: the old before-image stays, the guard changes, the previous one is named', async () => {
    const { port, freeze, restore, budgets, annotations } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze('eks-upgrade/1/eu-central-1/prod/freeze-drift@1.32');
    expect(await freeze()).toEqual({
      pools: ['default'],
      adopted: ['default'],
      previousGuards: ['eks-upgrade/1/eu-central-1/prod/freeze-drift@1.32'],
    });
    expect(annotations()['belay.dev/freeze-guard']).toBe(GUARD);
    expect(budgets()).toEqual([{ nodes: '20%' }, OURS]);
    await restore();
    expect(budgets()).toEqual([{ nodes: '20%' }]);
    expect(port.look(POOL).metadata.annotations).toEqual({ 'karpenter.sh/nodepool-hash': '377058807571762610' });
  });

  test('in the middle of a pace is frozen again by replacing our entry, not by a second one', async () => {
    const { freeze, pace, budgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    await pace('10%');
    await freeze();
    expect(budgets()).toEqual([{ nodes: '20%' }, OURS]);
  });
});

describe('others change budgets meanwhile', () => {
  test('K9: GitOps puts the list back: seen, repaired, restored exactly', async () => {
    const { freeze, check, restore, budgets, setBudgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    setBudgets([{ nodes: '20%' }]);
    expect(await check()).toEqual({ intact: false, reverted: ['default'], pools: ['default'] });
    expect((await freeze()).adopted).toEqual(['default']);
    expect(budgets()).toEqual([{ nodes: '20%' }, OURS]);
    expect((await check()).intact).toBe(true);
    await restore();
    expect(budgets()).toEqual([{ nodes: '20%' }]);
  });

  test("GitOps takes our entry away where others' equal one stays: that one is not ours", async () => {
    const { freeze, check, pace, budgets, setBudgets } = world({ ...BASE, budgets: [OURS] });
    await freeze();
    setBudgets([OURS]);
    expect((await check()).reverted).toEqual(['default']);
    await pace('1');
    expect(budgets()).toEqual([OURS, { nodes: '1', reasons: REASONS }]);
  });

  test('GitOps removes the key: restoring leaves it removed', async () => {
    const { port, freeze, restore, setBudgets } = world({ ...BASE });
    await freeze();
    setBudgets(undefined);
    expect(await restore()).toEqual({ restored: ['default'], changedByOthers: [], failed: [] });
    expect(port.look(POOL).spec).toMatchObject({ disruption: BASE });
  });

  test('the default that GitOps writes out in its place goes with our freeze: the key was absent before', async () => {
    const { port, freeze, restore, setBudgets } = world({ ...BASE });
    const before = port.look(POOL).spec;
    await freeze();
    setBudgets([{ nodes: '10%' }]);
    expect(await restore()).toEqual({ restored: ['default'], changedByOthers: [], failed: [] });
    expect(port.look(POOL).spec).toEqual(before);
  });

  test('GitOps removes all of spec.disruption, which was not there before: nothing is left of the freeze', async () => {
    const { port, freeze, restore, annotations } = world(undefined);
    const before = port.look(POOL).spec;
    await freeze();
    port.edit(POOL, (pool) => void (pool.spec = before));
    expect(await restore()).toEqual({ restored: ['default'], changedByOthers: [], failed: [] });
    expect(port.look(POOL).spec).toEqual(before);
    expect(Object.keys(annotations())).toEqual(['karpenter.sh/nodepool-hash']);
  });

  test('the pace puts a missing entry back and says so', async () => {
    const { freeze, pace, budgets, setBudgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    setBudgets([{ nodes: '20%' }]);
    expect(await pace('1')).toEqual({ intact: true, reverted: ['default'], pools: ['default'] });
    expect(budgets()).toEqual([{ nodes: '20%' }, { nodes: '1', reasons: REASONS }]);
  });

  test('a pool that came into the world later is not under the freeze', async () => {
    const { port, freeze, check, pace } = world({ ...BASE });
    await freeze();
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('new', { ...BASE }));
    expect(await check()).toEqual({ intact: false, reverted: ['new'], pools: ['default', 'new'] });
    expect((await pace('1')).intact).toBe(false);
    await freeze();
    expect((await check()).intact).toBe(true);
  });

  const changes: [title: string, now: unknown[] | undefined, left: unknown[] | undefined][] = [
    ['another entry was added', [{ nodes: '20%' }, OURS, { nodes: '7' }], [{ nodes: '20%' }, { nodes: '7' }]],
    ['the first entry was edited', [{ nodes: '50%' }, OURS], [{ nodes: '50%' }]],
    ['all but ours is gone: the default, not "no limit"', [OURS], undefined],
    ['the list is gone', undefined, undefined],
    [
      'ours was edited by hand: it is theirs now',
      [{ nodes: '20%' }, { nodes: '2', reasons: ['Drifted'] }],
      [{ nodes: '20%' }, { nodes: '2', reasons: ['Drifted'] }],
    ],
  ];
  test.each(changes)('%s: only our entry goes, and people are told', async (_title, now, left) => {
    const { freeze, restore, budgets, setBudgets, annotations } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    setBudgets(now);
    expect(await restore()).toEqual({ restored: [], changedByOthers: ['default'], failed: [] });
    expect(budgets()).toEqual(left);
    expect(Object.keys(annotations())).toEqual(['karpenter.sh/nodepool-hash']);
  });

  test('a before-image that was edited: nothing is guessed, the pool is named', async () => {
    const { port, freeze, restore, budgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
    await freeze();
    port.edit(POOL, ({ metadata }) => void (metadata.annotations = { ...metadata.annotations, 'belay.dev/budgets-before': '{"budgets":' }));
    expect(await restore()).toEqual({
      restored: [],
      changedByOthers: [],
      failed: [
        {
          pool: 'default',
          why: 'annotation belay.dev/budgets-before was edited and cannot be read: set spec.disruption.budgets by hand, then remove the belay.dev annotations',
        },
      ],
    });
    expect(budgets()).toEqual([{ nodes: '20%' }, OURS]);
  });

  test('K9: one pool refuses: the others are restored all the same', async () => {
    const { port, freeze, restore } = world({ ...BASE });
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('second', { ...BASE }));
    await freeze();
    port.beforePatch = ({ name }) => {
      if (name === 'default') throw failureOf('AccessDenied', 'patching nodepools/default: Kubernetes answered 403');
    };
    expect(await restore()).toEqual({
      restored: ['second'],
      changedByOthers: [],
      failed: [{ pool: 'default', why: 'patching nodepools/default: Kubernetes answered 403' }],
    });
  });

  test.each([
    ['transient', failureOf('Unavailable', 'patching nodepools/default: the connection was reset')],
    ['unheard of', new Error('the connection was reset')],
  ])('%s on one pool: the others first, then the call fails and is repeated', async (_title, failure) => {
    const { port, freeze, restore, budgets } = world({ ...BASE });
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('second', { ...BASE }));
    await freeze();
    port.beforePatch = ({ name }) => {
      if (name === 'default') throw failure;
    };
    await expect(restore()).rejects.toThrow('the connection was reset');
    expect(port.look({ ...POOL, name: 'second' }).spec).toMatchObject({ disruption: BASE });
    port.beforePatch = undefined;
    expect((await restore()).restored).toEqual(['default']);
    expect(budgets()).toBeUndefined();
  });
});

test('the guard watches until somebody reverts', async () => {
  const { activities, freeze, setBudgets } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
  await freeze();
  const watching = activities.watchFreeze({ cluster: CLUSTER, timing: quickTiming(), nodes: '0', reasons: REASONS });
  setTimeout(() => setBudgets([{ nodes: '20%' }]), 15);
  expect(await watching).toEqual({ intact: false, reverted: ['default'], pools: ['default'] });
});

test('RA5: a guard that may not look waits longer before each look, and returns once the freeze stands again', async () => {
  const { activities, freeze, setBudgets, port } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
  await freeze();
  setBudgets([{ nodes: '20%' }]);
  let refused = 0;
  port.beforePatch = () => {
    refused += 1;
    if (refused <= 4) throw failureOf('AccessDenied', 'patching nodepools/default: Kubernetes answered 403');
  };
  const startedMs = Date.now();
  const timing = quickTiming({ freezeCheckMs: 20 });
  const back = await activities.watchFreeze({ cluster: CLUSTER, timing, nodes: '3', reasons: REASONS, guard: GUARD, recover: true });
  expect(back).toMatchObject({ intact: true, pools: ['default'] });
  // At once, then after 20, 20, 40 and 80 ms: each pause is as long as all before it.
  expect(Date.now() - startedMs).toBeGreaterThanOrEqual(150);
  expect(refused).toBeGreaterThan(4);
});

test('a guard says in its heartbeats when it last saw the NodePools: not while it may not look, and on from the attempt before', async () => {
  const { activities, freeze, setBudgets, port } = world({ ...BASE, budgets: [{ nodes: '20%' }] });
  await freeze();
  const beats: unknown[] = [];
  const lookedAt = (beat: unknown): string | undefined => {
    const at = field(field(beat, 'details'), 'lookedAt');
    return typeof at === 'string' ? at : undefined;
  };
  const watch = (surroundings: Parameters<typeof runWithin>[0], recover = false) =>
    runWithin({ beat: (details) => void beats.push(details), ...surroundings }, () =>
      activities.watchFreeze({
        cluster: CLUSTER,
        timing: quickTiming({ freezeCheckMs: 5 }),
        nodes: '0',
        reasons: REASONS,
        ...(recover ? { guard: GUARD, recover } : {}),
      }),
    );
  setTimeout(() => setBudgets([{ nodes: '20%' }]), 40);
  await watch({});
  // The first is sent before the first look.
  expect(beats.map(lookedAt)[0]).toBeUndefined();
  const last = beats.map(lookedAt).findLast((at) => at !== undefined);
  expect(Date.now() - Date.parse(last ?? '')).toBeLessThan(60_000);

  const lastBeat = beats.findLast((beat) => lookedAt(beat) === last);
  beats.length = 0;
  let refused = 0;
  port.beforePatch = () => {
    refused += 1;
    if (refused <= 3) throw failureOf('AccessDenied', 'patching nodepools/default: Kubernetes answered 403');
  };
  await watch({ lastBeat }, true);
  // While it may not: when the attempt before did. What is done meanwhile beats for itself.
  const waiting = beats.filter((beat) => field(beat, 'kind') === 'waiting');
  expect(waiting.length).toBeGreaterThan(0);
  expect(new Set(waiting.map(lookedAt))).toEqual(new Set([last]));
});
