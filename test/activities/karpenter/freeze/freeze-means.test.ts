/** Freezes that are no plain budget: nodes held one by one and let go by the pace, and entries that end by themselves. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { freezeFacts, nodeFreezeOf } from '../../../../activities/karpenter/freeze/by-annotation.ts';
import type { ClusterNode, NodePool } from '../../../../activities/clients/kubernetes/objects.ts';
import { leftMs } from '../../../../activities/karpenter/freeze/expiry.ts';
import type { FreezeMeans } from '../../../../domain/policy/freeze-means.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeObject, nodePoolObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { eventually } from '../../../support/eventually.ts';

const cluster = CLUSTER;
const REASONS = ['Drifted', 'Underutilized', 'Empty'];
const GUARD = 'eks-upgrade/111122223333/eu-central-1/prod/freeze-drift@1.33';
const POOL = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
const BUDGETS = { budgets: [{ nodes: '20%' }] };
const HOUR_MS = 3_600_000;
const node = (name: string) => ({ apiVersion: 'v1', plural: 'nodes', name });
const claim = (name: string) => ({ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims', name: `claim-${name}` });

function world(means: FreezeMeans, nodes: readonly string[] = []) {
  const port = new FakeKubernetes().put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', BUDGETS));
  const add = (name: string, minor = '1.32', annotations?: Record<string, string>): void => {
    port.put('v1', 'nodes', nodeObject(name, minor, { annotations }));
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`claim-${name}`, name));
  };
  for (const name of nodes) add(name);
  const karpenter = createKarpenterActivities(depsOf(port));
  const asked = (pace: string) => ({ cluster, nodes: pace, reasons: REASONS, means, guard: GUARD });
  const cut = new AbortController();
  return {
    port,
    karpenter,
    add,
    freeze: (guard = GUARD) => karpenter.freezeDrift({ cluster, guard, reasons: REASONS, means }),
    pace: (to: string) => karpenter.setDriftPace(asked(to)),
    check: (at = '0') => karpenter.checkFreeze(asked(at)),
    /** As the guard does it: until somebody has reverted it, or until `cut`. */
    watch: (at = '0') =>
      runWithin({ signal: cut.signal }, () => karpenter.watchFreeze({ ...asked(at), timing: quickTiming({ freezeCheckMs: 5 }) })),
    cut,
    restore: () => karpenter.restoreBudgets({ cluster }),
    drift: (...names: string[]) =>
      names.forEach((name, index) =>
        port.edit(claim(name), ({ status }) =>
          (status as { conditions: unknown[] }).conditions.push({
            type: 'Drifted',
            status: 'True',
            lastTransitionTime: `2031-01-01T00:0${index}:00Z`,
          }),
        ),
      ),
    gone: (name: string) => {
      port.remove(node(name));
      port.remove(claim(name));
    },
    annotations: (name: string) => port.look(node(name)).metadata.annotations,
    held: () => nodes.filter((name) => port.look(node(name)).metadata.annotations?.['belay.dev/freeze-guard'] !== undefined),
    budgets: () => (port.look(POOL).spec as { disruption?: { budgets?: unknown[] } }).disruption?.budgets,
  };
}

const BY_NODE: FreezeMeans = { usual: 'budget', byNode: ['default'] };
const HELD = { 'karpenter.sh/do-not-disrupt': 'true', 'belay.dev/do-not-disrupt-before': 'null', 'belay.dev/freeze-guard': GUARD };

describe('node by node', () => {
  test('every node is held and given back exactly; the NodePool is not touched', async () => {
    const { port, freeze, check, restore, annotations, add } = world(BY_NODE, ['a', 'b']);
    add('theirs', '1.32', { 'karpenter.sh/do-not-disrupt': '30m', team: 'x' });
    const pool = port.look(POOL);
    expect(await freeze()).toEqual({ pools: ['default'], adopted: [], previousGuards: [] });
    expect(annotations('a')).toEqual(HELD);
    expect(await check()).toMatchObject({ intact: true });
    await freeze();
    expect(port.patches).toHaveLength(3);
    expect(await restore()).toEqual({ restored: ['default'], changedByOthers: [], failed: [] });
    expect(annotations('a')).toBeUndefined();
    expect(annotations('theirs')).toEqual({ 'karpenter.sh/do-not-disrupt': '30m', team: 'x' });
    expect(port.look(POOL)).toEqual(pool);
    expect((await restore()).restored).toEqual([]);
  });

  test.each([
    ['is refused for good: told, with why', 'AccessDenied', [{ pool: 'marks on nodes', why: 'patching nodes/a: the server says no' }]],
    ['fails in a way that passes: the call is repeated', 'Unavailable', undefined],
  ] as const)('taking the marks off %s', async (_title, type, failed) => {
    const { port, freeze, restore, annotations } = world(BY_NODE, ['a']);
    await freeze();
    port.beforePatch = () => {
      throw failureOf(type, 'patching nodes/a: the server says no');
    };
    if (failed === undefined) await expect(restore()).rejects.toThrow('the server says no');
    else expect((await restore()).failed).toEqual(failed);
    expect(annotations('a')).toEqual(HELD);
  });

  test('nodes of another pool say nothing of this one', () => {
    const { port } = world(BY_NODE);
    port.put('v1', 'nodes', nodeObject('a', '1.32', { pool: 'batch', annotations: HELD }));
    const frozen = port.look(node('a')) as ClusterNode;
    expect(nodeFreezeOf('batch', [frozen])).toEqual({ guard: GUARD, stands: true });
    expect(nodeFreezeOf('default', [frozen])).toBeUndefined();
  });

  test('a NodePool that nothing freezes, by its nodes or its budgets, is said to be free', () => {
    const { port } = world(BY_NODE);
    port.put('v1', 'nodes', nodeObject('a', '1.32', { pool: 'batch', annotations: HELD }));
    const frozen = port.look(node('a')) as ClusterNode;
    const pool = (name: string, annotations = {}) => nodePoolObject(name, undefined, { annotations }) as unknown as NodePool;
    expect(freezeFacts(pool('default'), [frozen])).toEqual({});
    expect(freezeFacts(pool('batch'), [frozen])).toEqual({ frozenBy: GUARD, freezeStands: true });
    expect(freezeFacts(pool('default', { 'belay.dev/freeze-guard': GUARD }), [frozen])).toEqual({ frozenBy: GUARD, freezeStands: false });
  });

  test('an attempt that is cut off is taken up, and the next guard hears of the one before', async () => {
    const { port, freeze, held } = world(BY_NODE, ['a', 'b', 'c']);
    let answers = 0;
    port.afterPatch = () => {
      answers += 1;
      if (answers === 2) throw new Error('the worker is gone');
    };
    await expect(freeze('earlier')).rejects.toThrow();
    port.afterPatch = undefined;
    expect(await freeze()).toEqual({ pools: ['default'], adopted: ['default'], previousGuards: ['earlier'] });
    expect(held()).toEqual(['a', 'b', 'c']);
  });

  test('the pace lets drifted nodes go, the first marked first, and the next when one is gone', async () => {
    const { port, freeze, pace, drift, held, gone, annotations } = world(BY_NODE, ['a', 'b', 'c', 'd']);
    await freeze();
    await pace('1');
    expect(held()).toEqual(['a', 'b', 'c', 'd']);
    drift('c', 'a', 'b');
    await pace('1');
    await pace('1');
    expect(held()).toEqual(['a', 'b', 'd']);
    expect(annotations('c')).toBeUndefined();
    // Karpenter replaces it: it counts until it is gone.
    port.edit(node('c'), (object) => Object.assign(object, { spec: { taints: [{ key: 'karpenter.sh/disrupted' }] } }));
    await pace('1');
    expect(held()).toEqual(['a', 'b', 'd']);
    port.remove(node('c'));
    port.remove(claim('c'));
    await pace('50%');
    expect(await pace('50%')).toEqual({ intact: true, reverted: [], pools: ['default'] });
    // Half of three, rounded up; d has not drifted.
    expect(['a', 'b', 'd'].filter((name) => annotations(name) !== undefined)).toEqual(['d']);
    gone('a');
    await pace('0');
    expect(annotations('b')).toEqual(HELD);
  });

  test('a slower pace takes back what Karpenter has not begun', async () => {
    const { port, freeze, pace, drift, held } = world(BY_NODE, ['a', 'b', 'c']);
    await freeze();
    drift('a', 'b', 'c');
    await pace('100%');
    expect(held()).toEqual([]);
    port.edit(node('a'), (object) => Object.assign(object, { spec: { taints: [{ key: 'karpenter.sh/disrupted' }] } }));
    await pace('1');
    expect(held()).toEqual(['b', 'c']);
  });

  test('nodes that people skipped or that wait for their wave stay held, whoever lets go first', async () => {
    const { karpenter, freeze, pace, drift, annotations, restore } = world(BY_NODE, ['a', 'b']);
    await freeze();
    drift('a', 'b');
    await karpenter.holdWaves({ cluster, to: '1.33', by: 'count', nodesPerWave: 1 });
    await karpenter.holdNode({ cluster, node: 'b' });
    await pace('100%');
    expect(annotations('a')).toMatchObject({ ...HELD, 'belay.dev/roll-wave': '1 of 2' });
    await karpenter.releaseWaves({ cluster });
    expect(annotations('a')).toEqual(HELD);
    await pace('100%');
    expect(annotations('a')).toBeUndefined();
    await restore();
    expect(annotations('b')).toMatchObject({ 'karpenter.sh/do-not-disrupt': 'true', 'belay.dev/node-skipped': 'true' });
    await karpenter.releaseNode({ cluster, node: 'b' });
    expect(annotations('b')).toBeUndefined();
  });

  test('the guard holds new nodes, goes on letting nodes go, and says when others take the annotation off', async () => {
    const { port, freeze, watch, add, annotations, drift, pace, gone, cut } = world(BY_NODE, ['a', 'b']);
    await freeze();
    add('new');
    const frozen = watch();
    await eventually(() => annotations('new') !== undefined);
    port.edit(node('a'), ({ metadata }) => delete metadata.annotations?.['karpenter.sh/do-not-disrupt']);
    expect(await frozen).toEqual({ intact: false, reverted: ['default'], pools: ['default'] });
    expect(annotations('a')).toEqual(HELD);
    drift('a', 'b');
    await pace('1');
    const paced = watch('1');
    gone('a');
    await eventually(() => annotations('b') === undefined);
    cut.abort();
    await expect(paced).rejects.toThrow('cancelled');
  });

  test('nodes that wait for their turn are not taken for blocked', async () => {
    const { karpenter, freeze, drift } = world(BY_NODE, ['a', 'b']);
    await freeze();
    drift('a', 'b');
    const seen = await karpenter.watchDrift({
      cluster,
      timing: quickTiming({ driftBlockedAfterMs: 30, driftNamedAfterMs: 10 }),
      to: '1.33',
      watchMs: 100,
      ignoreNodes: [],
      startedAt: '2026-01-01T00:00:00Z',
    });
    expect(seen).toMatchObject({ kind: 'pace-elapsed', remainingCount: 2 });
  });

  test('a freeze by budget that an earlier run has left becomes one by nodes, and the other way round', async () => {
    const { port, karpenter, freeze, budgets, annotations, restore } = world(BY_NODE, ['a']);
    await karpenter.freezeDrift({ cluster, guard: 'earlier', reasons: REASONS });
    expect(await freeze()).toMatchObject({ previousGuards: ['earlier'] });
    expect([budgets(), annotations('a')]).toEqual([BUDGETS.budgets, HELD]);
    expect(port.look(POOL).metadata.annotations).toEqual({ 'karpenter.sh/nodepool-hash': '377058807571762610' });
    await karpenter.freezeDrift({ cluster, guard: 'later', reasons: REASONS });
    expect(annotations('a')).toBeUndefined();
    expect(budgets()).toHaveLength(2);
    await restore();
    expect(budgets()).toEqual(BUDGETS.budgets);
  });
});

describe('an entry that ends by itself', () => {
  const EXPIRING: FreezeMeans = { usual: 'self-expiring', lastsMs: 24 * HOUR_MS };
  const entry = (nodes: string, schedule: string) => ({ nodes, reasons: REASONS, schedule, duration: '24h' });

  test('is written for the server’s clock, renewed by the guard when half is over, and removed exactly', async () => {
    const { port, freeze, pace, check, watch, cut, budgets, restore } = world(EXPIRING);
    const before = structuredClone(port.look(POOL));
    port.now = '2031-12-31T18:20:30.000Z';
    await freeze();
    expect(budgets()).toEqual([{ nodes: '20%' }, entry('0', '20 18 31 12 *')]);
    port.now = '2032-01-01T06:00:00.000Z';
    await freeze();
    expect(await check()).toMatchObject({ intact: true });
    expect(port.patches).toHaveLength(1);
    const guarded = watch();
    port.now = '2032-01-01T06:21:00.000Z';
    await eventually(() => port.patches.length === 2);
    expect(budgets()).toEqual([{ nodes: '20%' }, entry('0', '21 6 1 1 *')]);
    cut.abort();
    await expect(guarded).rejects.toThrow('cancelled');
    expect(await pace('10%')).toMatchObject({ intact: true, reverted: [] });
    expect(budgets()).toEqual([{ nodes: '20%' }, entry('10%', '21 6 1 1 *')]);
    await restore();
    expect(port.look(POOL).spec).toEqual(before.spec);
    expect(port.look(POOL).metadata.annotations).toEqual(before.metadata.annotations);
  });

  test('at another pace than is wanted is no freeze', async () => {
    const { freeze, pace, check } = world(EXPIRING);
    await freeze();
    await pace('10%');
    expect(await check('10%')).toMatchObject({ intact: true, reverted: [] });
    expect(await check('0')).toMatchObject({ intact: false, reverted: ['default'] });
  });

  test('that has ended, since nobody was there to renew it, is told apart from one that others took out', async () => {
    const { port, freeze, watch, check, budgets } = world(EXPIRING);
    await freeze();
    port.now = '2031-01-02T00:00:00.000Z';
    expect(await watch()).toEqual({ intact: false, reverted: [], lapsed: ['default'], pools: ['default'] });
    await freeze();
    expect(await check()).toMatchObject({ intact: true });
    port.edit(POOL, (pool) => Object.assign(pool.spec as object, { disruption: BUDGETS }));
    expect(await watch()).toEqual({ intact: false, reverted: ['default'], pools: ['default'] });
    expect(budgets()).toEqual(BUDGETS.budgets);
  });

  test.each([
    ['0 0 1 1 *', '24h', 24 * HOUR_MS],
    ['30 23 31 12 *', '24h', 23.5 * HOUR_MS],
    ['1 0 1 1 *', '1h30m', 1.5 * HOUR_MS + 60_000],
    ['0 9 * * mon-fri', '8h', undefined],
  ])('%s for %s, seen at the turn of the year', (schedule, duration, left) => {
    expect(leftMs({ nodes: '0', reasons: REASONS, schedule, duration }, Date.parse('2031-01-01T00:00:00Z'))).toBe(left);
  });
});
