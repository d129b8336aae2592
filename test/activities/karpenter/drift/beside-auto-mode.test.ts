/** A cluster with Karpenter and EKS Auto Mode: their nodes have the same labels of NodePools, and each is replaced by its own. */
import { describe, expect, test } from 'vitest';
import type { KarpenterActivities } from '../../../../activities/contract/karpenter.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { defined } from '../../../../domain/core/defined.ts';
import type { FreezeMeans } from '../../../../domain/policy/freeze-means.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject, nodePoolObject } from '../../../support/kubernetes-objects.ts';

const AUTO = { group: 'eks.amazonaws.com' };

/** NodePools "default" of Karpenter, "batch" of Auto Mode, one node each. */
function world(minors: { karpenter: string; auto: string }) {
  const port = new FakeKubernetes()
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', {}))
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('batch', {}, AUTO))
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'))
    .put('v1', 'nodes', nodeObject('k', minors.karpenter))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-k', 'k', { drifted: minors.karpenter !== '1.33' }))
    .put('v1', 'nodes', nodeObject('a', minors.auto, { pool: 'batch', labels: { 'eks.amazonaws.com/compute-type': 'auto' } }))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { pool: 'batch', drifted: minors.auto !== '1.33', ...AUTO }));
  const karpenter = createKarpenterActivities(depsOf(port));
  const watch = (change: Partial<Parameters<KarpenterActivities['watchDrift']>[0]>) =>
    karpenter.watchDrift({
      cluster: CLUSTER,
      timing: quickTiming({ driftTimeoutMs: 0, driftBlockedAfterMs: 600_000 }),
      to: '1.33',
      ignoreNodes: [],
      startedAt: '2026-01-01T00:00:00Z',
      ...change,
    });
  return { port, karpenter, watch };
}

test('Auto Mode is waited for by its own nodes: those that Karpenter has still to replace are not its business', async () => {
  const { port, watch } = world({ karpenter: '1.32', auto: '1.33' });
  // One that Karpenter has marked and whose node has not come up yet.
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-late', undefined, { drifted: true }));
  expect(await watch({ owner: 'auto-mode' })).toEqual({ kind: 'done', replacedCount: 1, remainingCount: 0, skippedCount: 0 });
  expect(await watch({})).toMatchObject({ kind: 'timed-out', replacedCount: 1, remainingCount: 2 });
});

test('a node of Auto Mode that is not replaced yet is waited for', async () => {
  const { port, watch } = world({ karpenter: '1.33', auto: '1.32' });
  expect(await watch({ owner: 'auto-mode' })).toMatchObject({ kind: 'timed-out', replacedCount: 0, remainingCount: 1 });
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-late', undefined, { pool: 'batch', drifted: true, ...AUTO }));
  expect(await watch({ owner: 'auto-mode' })).toMatchObject({ remainingCount: 2 });
});

describe('onlyPools, as on a way back: EKS replaces the nodes of Auto Mode itself', () => {
  const onlyPools = ['default'];
  const REASONS = ['Drifted'];
  const pool = (name: string) => ({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name });

  test.each<[string, FreezeMeans | undefined]>([
    ['by budgets', undefined],
    ['by entries that end by themselves', { usual: 'self-expiring', lastsMs: 3_600_000 }],
    ['node by node', { usual: 'node-annotation' }],
  ])('the freeze touches no other pool, and none is missed: %s', async (_title, means) => {
    const { port, karpenter } = world({ karpenter: '1.34', auto: '1.34' });
    const [auto, node] = [port.look(pool('batch')), port.look({ apiVersion: 'v1', plural: 'nodes', name: 'a' })];
    const freeze = { cluster: CLUSTER, reasons: REASONS, guard: 'guard', onlyPools, ...defined({ means }) };
    const stands = { intact: true, reverted: [], pools: ['default'] };
    expect((await karpenter.freezeDrift(freeze)).pools).toEqual(['default']);
    expect(await karpenter.checkFreeze({ ...freeze, nodes: '0' })).toEqual(stands);
    expect(await karpenter.setDriftPace({ ...freeze, nodes: '1' })).toEqual(stands);
    const recover = { ...freeze, nodes: '0', recover: true as const, timing: quickTiming({ freezeCheckMs: 5 }) };
    expect(await karpenter.watchFreeze(recover)).toEqual(stands);
    expect(port.look(pool('batch'))).toEqual(auto);
    expect(port.look({ apiVersion: 'v1', plural: 'nodes', name: 'a' })).toEqual(node);
    expect(await karpenter.restoreBudgets({ cluster: CLUSTER })).toMatchObject({ restored: ['default'], failed: [] });
  });

  test('the guard takes no other pool for one that was reverted', async () => {
    const { port, karpenter } = world({ karpenter: '1.34', auto: '1.34' });
    const freeze = { cluster: CLUSTER, reasons: REASONS, guard: 'guard', onlyPools };
    await karpenter.freezeDrift(freeze);
    const watching = karpenter.watchFreeze({ ...freeze, nodes: '0', timing: quickTiming({ freezeCheckMs: 5 }) });
    await new Promise((resolve) => setTimeout(resolve, 30));
    port.edit(pool('default'), ({ spec }) => Object.assign(spec as object, { disruption: { budgets: [] } }));
    expect(await watching).toEqual({ intact: false, reverted: ['default'], pools: ['default'] });
  });

  test('the roll waits for nodes of these pools alone, and its waves hold no others', async () => {
    const { port, karpenter, watch } = world({ karpenter: '1.33', auto: '1.34' });
    expect(await watch({ onlyPools })).toEqual({ kind: 'done', replacedCount: 1, remainingCount: 0, skippedCount: 0 });
    expect(await watch({})).toMatchObject({ kind: 'timed-out', remainingCount: 1 });
    port.put('v1', 'nodes', nodeObject('k2', '1.34'));
    const waves = await karpenter.holdWaves({ cluster: CLUSTER, to: '1.33', by: 'nodepool', onlyPools });
    expect(waves).toEqual({ waves: [{ name: 'default', nodeCount: 1 }] });
    expect(port.look({ apiVersion: 'v1', plural: 'nodes', name: 'a' }).metadata.annotations).toBeUndefined();
  });
});
