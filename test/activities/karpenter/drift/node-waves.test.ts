/** Waves of nodes: those that are not due are held, each is given back exactly, and an attempt that is cut off is taken up. */
import { describe, expect, test } from 'vitest';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeObject } from '../../../support/kubernetes-objects.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const cluster = CLUSTER;
const ref = (name: string) => ({ apiVersion: 'v1', plural: 'nodes', name });

/** a1, a2 in zone a; b1 in zone b, with an annotation of its owner; new1 is new; pinned belongs to another pool. */
function world() {
  const port = new FakeKubernetes();
  const add = (name: string, minor: string, zone: string, change: Parameters<typeof nodeObject>[2] = {}): void => {
    const node = nodeObject(name, minor, change);
    const labels = { ...(node.metadata as { labels?: Record<string, string> }).labels, 'topology.kubernetes.io/zone': zone };
    port.put('v1', 'nodes', { ...node, metadata: { ...node.metadata, labels } });
    port.put(
      'karpenter.sh/v1',
      'nodeclaims',
      nodeClaimObject(`claim-${name}`, name, { drifted: minor === '1.32' && change.pool === undefined }),
    );
  };
  add('a1', '1.32', 'eu-1a');
  add('a2', '1.32', 'eu-1a');
  add('b1', '1.32', 'eu-1b', { annotations: { 'karpenter.sh/do-not-disrupt': '30m', note: 'theirs' } });
  add('new1', '1.33', 'eu-1b');
  add('pinned', '1.32', 'eu-1c', { pool: 'gpu' });
  const karpenter = createKarpenterActivities(depsOf(port));
  const annotations = (name: string) => port.look(ref(name)).metadata.annotations;
  const watch = (dueOnly: boolean) =>
    karpenter.watchDrift({
      cluster,
      timing: quickTiming({ driftBlockedAfterMs: 600_000 }),
      to: '1.33',
      watchMs: 10,
      ignoreNodes: [],
      ignorePools: ['gpu'],
      dueOnly,
      startedAt: '2026-01-01T00:00:00Z',
    });
  return { port, karpenter, annotations, watch };
}

const HELD = { 'karpenter.sh/do-not-disrupt': 'true', 'belay.dev/do-not-disrupt-before': 'null' };

describe('waves', () => {
  test('by zone, the fewest nodes first: all old ones are held, and each wave is given back as it was', async () => {
    const { port, karpenter, annotations } = world();
    const hold = () => karpenter.holdWaves({ cluster, to: '1.33', by: 'zone', ignorePools: ['gpu'] });
    const waves = [
      { name: 'eu-1b', nodeCount: 1 },
      { name: 'eu-1a', nodeCount: 2 },
    ];
    expect(await hold()).toEqual({ waves });
    expect(annotations('a1')).toEqual({ ...HELD, 'belay.dev/roll-wave': 'eu-1a' });
    expect(annotations('b1')).toEqual({
      note: 'theirs',
      'karpenter.sh/do-not-disrupt': 'true',
      'belay.dev/do-not-disrupt-before': '"30m"',
      'belay.dev/roll-wave': 'eu-1b',
    });
    expect(annotations('new1')).toBeUndefined();
    expect(annotations('pinned')).toBeUndefined();
    expect(await hold()).toEqual({ waves });
    expect(port.patches).toHaveLength(3);

    expect(await karpenter.releaseWave({ cluster, wave: 'eu-1b' })).toEqual({ releasedCount: 1 });
    expect(annotations('b1')).toEqual({ note: 'theirs', 'karpenter.sh/do-not-disrupt': '30m' });
    expect(annotations('a1')).toEqual({ ...HELD, 'belay.dev/roll-wave': 'eu-1a' });
    expect(await karpenter.releaseWaves({ cluster })).toEqual({ releasedCount: 2 });
    expect([annotations('a1'), annotations('a2')]).toEqual([undefined, undefined]);
    expect(await karpenter.releaseWaves({ cluster })).toEqual({ releasedCount: 0 });
    expect(port.patches).toHaveLength(6);
  });

  test.each([
    ['nodepool' as const, undefined, [{ name: 'default', nodeCount: 3 }]],
    [
      'count' as const,
      2,
      [
        { name: '2 of 2', nodeCount: 1 },
        { name: '1 of 2', nodeCount: 2 },
      ],
    ],
  ])('by %s', async (by, nodesPerWave, waves) => {
    const { karpenter } = world();
    expect(await karpenter.holdWaves({ cluster, to: '1.33', by, nodesPerWave, ignorePools: ['gpu'] })).toEqual({ waves });
  });

  test('an attempt whose answer was lost is taken up: no node changes its wave', async () => {
    const { port, karpenter, annotations } = world();
    let lost = 0;
    port.afterPatch = () => {
      lost += 1;
      if (lost === 2) throw new Error('the worker is gone');
    };
    const hold = () => karpenter.holdWaves({ cluster, to: '1.33', by: 'count', nodesPerWave: 1, ignorePools: ['gpu'] });
    await expect(hold()).rejects.toThrow();
    port.afterPatch = undefined;
    port.remove(ref('a1'));
    expect((await hold()).waves.map(({ name }) => name)).toEqual(['2 of 3', '3 of 3']);
    expect(annotations('a2')).toMatchObject({ 'belay.dev/roll-wave': '2 of 3' });
    await karpenter.releaseWaves({ cluster });
    expect(annotations('a2')).toBeUndefined();
  });

  test('nodes of later waves are not waited for, nor taken for blocked', async () => {
    const { karpenter, watch } = world();
    await karpenter.holdWaves({ cluster, to: '1.33', by: 'zone', ignorePools: ['gpu'] });
    expect(await watch(true)).toMatchObject({ kind: 'done' });
    await karpenter.releaseWave({ cluster, wave: 'eu-1b' });
    expect(await watch(true)).toMatchObject({ kind: 'pace-elapsed', remainingCount: 1 });
    expect(await watch(false)).toMatchObject({ kind: 'pace-elapsed', remainingCount: 3 });
  });
});
