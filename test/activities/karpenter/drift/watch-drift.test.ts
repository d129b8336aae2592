/** Watching Karpenter replace nodes: done, blocked by name, unhealthy, paced, timed out; with a clock that survives attempts. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import type { DriftOutcome, DriftSeen } from '../../../../activities/contract/karpenter.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import {
  budgetObject,
  condition,
  nodeClaimObject,
  nodeClassObject,
  nodeObject,
  nodePoolObject,
  podObject,
  workloadObject,
} from '../../../support/kubernetes-objects.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const NODES = { apiVersion: 'v1', plural: 'nodes' };
const CLAIMS = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' };
const POOL = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };

/** Nodes a and b are old and drifted, c is new. */
function world(): FakeKubernetes {
  const port = new FakeKubernetes()
    .put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }))
    .put('karpenter.k8s.aws/v1', 'ec2nodeclasses', nodeClassObject('default'));
  for (const name of ['a', 'b']) addNode(port, name, '1.32', { drifted: true });
  addNode(port, 'c', '1.33');
  return port;
}

function addNode(port: FakeKubernetes, name: string, minor: string, change: { drifted?: boolean } = {}): void {
  port.put('v1', 'nodes', nodeObject(name, minor)).put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`claim-${name}`, name, change));
}

function replace(port: FakeKubernetes, name: string): void {
  port.remove({ ...NODES, name });
  port.remove({ ...CLAIMS, name: `claim-${name}` });
  addNode(port, `${name}-new`, '1.33');
}

function watch(
  port: FakeKubernetes,
  change: {
    timing?: Partial<Timing>;
    watchMs?: number;
    ignoreNodes?: string[];
    ignorePools?: string[];
    ownerKeys?: string[];
    pools?: string[];
    asked?: string[];
    toldCount?: number;
    seen?: DriftSeen;
  } = {},
): Promise<DriftOutcome> {
  return createKarpenterActivities(depsOf(port)).watchDrift({
    cluster: CLUSTER,
    timing: quickTiming(change.timing),
    to: '1.33',
    watchMs: change.watchMs,
    ignoreNodes: change.ignoreNodes ?? [],
    ignorePools: change.ignorePools,
    ownerKeys: change.ownerKeys,
    pools: change.pools,
    asked: change.asked,
    toldCount: change.toldCount,
    seen: change.seen,
    startedAt: '2026-01-01T00:00:00Z',
  });
}

/** A single-replica Deployment on node a, held by a PodDisruptionBudget. */
function holdNodeA(port: FakeKubernetes, selector: Record<string, unknown> = { matchLabels: { app: 'ledger' } }): void {
  port
    .put('apps/v1', 'deployments', workloadObject('Deployment', 'shop', 'ledger'))
    .put('apps/v1', 'replicasets', {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: 'ledger-5d4f',
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'ledger', uid: 'd', controller: true }],
      },
    })
    .put('v1', 'pods', podObject('shop', 'ledger-5d4f-x', { node: 'a', owner: { kind: 'ReplicaSet', name: 'ledger-5d4f' } }))
    .put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', selector));
}

test('RD6: a NodePool of the plan that is deleted ends the watch, once', async () => {
  const port = world();
  port.put('v1', 'nodes', nodeObject('p', '1.32', { pool: 'gpu' }));
  expect(await watch(port, { pools: ['default', 'gpu'] })).toMatchObject({ kind: 'pools-gone', pools: ['gpu'] });
  replace(port, 'a');
  replace(port, 'b');
  expect(await watch(port, { pools: ['default', 'gpu'], ignorePools: ['gpu'] })).toMatchObject({ kind: 'done', remainingCount: 0 });
});

test('RD8: a quarter of the roll further ends the watch with counts, and no sooner', async () => {
  const port = world();
  for (const name of ['d', 'e', 'f']) addNode(port, name, '1.33');
  expect(await watch(port, { toldCount: 1 })).toMatchObject({ kind: 'progress', replacedCount: 4, remainingCount: 2 });
  expect(await watch(port, { toldCount: 2, watchMs: 20 })).toMatchObject({ kind: 'pace-elapsed' });
});

test('RA3: nodes that people were asked about are no news while they are held, and news once they are not', async () => {
  const port = world();
  holdNodeA(port);
  const blocked = await watch(port);
  expect(blocked).toMatchObject({ kind: 'blocked', node: { node: 'a' } });
  expect(await watch(port, { asked: ['a'], watchMs: 60 })).toMatchObject({ kind: 'pace-elapsed' });
  port.remove({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'shop', name: 'ledger' });
  expect(await watch(port, { asked: ['a'] })).toMatchObject({ kind: 'freed' });
});

describe('the end', () => {
  test('nothing is left: done, with what was replaced', async () => {
    const port = world();
    replace(port, 'a');
    replace(port, 'b');
    expect(await watch(port)).toEqual({ kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 });
  });

  test('nodes of pools whose AMIs are pinned are not waited for', async () => {
    const port = world();
    replace(port, 'a');
    replace(port, 'b');
    port.put('v1', 'nodes', nodeObject('p', '1.32', { pool: 'gpu' }));
    expect(await watch(port, { ignorePools: ['gpu'] })).toMatchObject({ kind: 'done', replacedCount: 3 });
    expect(await watch(port, { timing: { driftTimeoutMs: 0 } })).toMatchObject({ kind: 'timed-out', remainingCount: 1 });
  });

  test('nodes that people skip are counted and not waited for', async () => {
    const port = world();
    replace(port, 'a');
    expect(await watch(port, { ignoreNodes: ['b'] })).toEqual({ kind: 'done', replacedCount: 2, remainingCount: 0, skippedCount: 1 });
  });

  test('nodes of others (node groups) are no business of this watch', async () => {
    const port = world();
    replace(port, 'a');
    replace(port, 'b');
    port.put('v1', 'nodes', { ...nodeObject('mng', '1.32'), metadata: { name: 'mng', labels: {} } });
    expect((await watch(port)).kind).toBe('done');
  });

  test('a node that is being drained is not done yet', async () => {
    const port = world();
    replace(port, 'a');
    port.put('v1', 'nodes', nodeObject('b', '1.32', { deleting: true }));
    expect(await watch(port, { watchMs: 10 })).toMatchObject({ kind: 'pace-elapsed', replacedCount: 2, remainingCount: 1 });
  });

  test('a new kubelet on a drifted NodeClaim still has to go', async () => {
    const port = world();
    replace(port, 'a');
    replace(port, 'b');
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-c', 'c', { drifted: true }));
    expect(await watch(port, { watchMs: 10 })).toMatchObject({ kind: 'pace-elapsed', remainingCount: 1 });
  });

  test('the pace is over before the nodes are', async () => {
    expect(await watch(world(), { watchMs: 10 })).toMatchObject({ kind: 'pace-elapsed', replacedCount: 1, remainingCount: 2 });
  });

  test('the time for the whole step is over', async () => {
    expect(await watch(world(), { timing: { driftTimeoutMs: 10 } })).toEqual({ kind: 'timed-out', replacedCount: 1, remainingCount: 2 });
  });
});

describe('a blocked node', () => {
  test.each([
    ['matchLabels', { matchLabels: { app: 'ledger' } }],
    [
      'matchExpressions',
      {
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['ledger', 'books'] },
          { key: 'canary', operator: 'DoesNotExist' },
        ],
      },
    ],
    ['an empty selector', {}],
  ])('held by a budget (%s) is named with pod, budget and what can be scaled, while others go on', async (_title, selector) => {
    const port = world();
    holdNodeA(port, selector);
    // Others are replaced one after the other, so that the watch is never stalled.
    const others = setInterval(() => addNode(port, `n${Math.random()}`, '1.33'), 5);
    const outcome = await watch(port);
    clearInterval(others);
    expect(outcome).toMatchObject({
      kind: 'blocked',
      remainingCount: 2,
      node: {
        node: 'a',
        nodePool: 'default',
        pod: { namespace: 'shop', name: 'ledger-5d4f-x' },
        pdb: { namespace: 'shop', name: 'ledger' },
        workload: { kind: 'Deployment', namespace: 'shop', name: 'ledger', replicas: 1 },
        reason: 'pod shop/ledger-5d4f-x is blocked by PodDisruptionBudget shop/ledger, which allows no disruption now',
      },
    });
    expect(outcome.kind === 'blocked' && outcome.node.sinceMs).toBeGreaterThanOrEqual(60);
  });

  test('K12: what cannot go by itself is named within driftNamedAfter, with numbers, autoscaler and people', async () => {
    const port = world();
    holdNodeA(port);
    port.put('autoscaling/v2', 'horizontalpodautoscalers', {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'ledger-hpa', namespace: 'shop' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'ledger' } },
    });
    port.put('v1', 'namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', labels: { team: 'payments' }, annotations: { owner: 'ana@example.com' } },
    });
    const others = setInterval(() => addNode(port, `n${Math.random()}`, '1.33'), 5);
    const outcome = await watch(port, { timing: { driftBlockedAfterMs: 600_000, driftNamedAfterMs: 50 }, ownerKeys: ['owner', 'team'] });
    clearInterval(others);
    expect(outcome).toMatchObject({
      kind: 'blocked',
      node: {
        node: 'a',
        pdb: { namespace: 'shop', name: 'ledger', disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
        workload: { name: 'ledger', autoscaler: 'ledger-hpa' },
        people: ['owner ana@example.com', 'team payments'],
      },
    });
  });

  test('a budget that allows nothing only while a pod of it starts is given its time', async () => {
    const port = world();
    holdNodeA(port);
    const pdb = { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'shop', name: 'ledger' };
    port.edit(pdb, (object) => void (object.status = { disruptionsAllowed: 0, expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 }));
    expect((await watch(port, { watchMs: 300, timing: { driftBlockedAfterMs: 600_000, driftNamedAfterMs: 10 } })).kind).toBe(
      'pace-elapsed',
    );
  });

  test('K15: a volume that a node took with it is named with the pod that waits for it', async () => {
    const port = world();
    port
      .put('storage.k8s.io/v1', 'volumeattachments', {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: 'csi-1' },
        spec: { nodeName: 'long-gone', source: { persistentVolumeName: 'pvc-1' } },
      })
      .put('v1', 'persistentvolumes', {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pvc-1' },
        spec: { claimRef: { namespace: 'shop', name: 'data' } },
      });
    const pod = podObject('shop', 'db-0', { node: 'c', phase: 'Pending' });
    port.put('v1', 'pods', { ...pod, spec: { ...(pod.spec as object), volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] } });
    const outcome = await watch(port, { timing: { driftBlockedAfterMs: 600_000, driftNamedAfterMs: 50 } });
    expect(outcome).toMatchObject({
      kind: 'blocked',
      node: {
        node: 'long-gone',
        gone: true,
        pod: { namespace: 'shop', name: 'db-0' },
        reason:
          'volume pvc-1 is still attached to this node, which is gone: pod shop/db-0 cannot start elsewhere (Multi-Attach). See whether the instance is really gone; then delete the VolumeAttachment (kubectl get volumeattachments)',
      },
    });
    // People went on without it.
    expect(
      (await watch(port, { watchMs: 200, ignoreNodes: ['long-gone'], timing: { driftBlockedAfterMs: 600_000, driftNamedAfterMs: 50 } }))
        .kind,
    ).toBe('pace-elapsed');
  });

  test('K12: when everything that is left is blocked, people are asked sooner', async () => {
    const port = world();
    holdNodeA(port);
    replace(port, 'b');
    const outcome = await watch(port, { timing: { driftBlockedAfterMs: 1_500 } });
    expect(outcome).toMatchObject({ kind: 'blocked', node: { node: 'a' }, remainingCount: 1 });
    expect(outcome.kind === 'blocked' && outcome.node.sinceMs).toBeLessThan(1_500);
  });

  test.each([
    [
      'the budget allows a disruption',
      (port: FakeKubernetes) =>
        void port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', { matchLabels: { app: 'ledger' } }, 1)),
    ],
    [
      'the budget selects other pods',
      (port: FakeKubernetes) =>
        void port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', { matchLabels: { app: 'other' } })),
    ],
    [
      'the budget is in another namespace',
      (port: FakeKubernetes) => (
        port.remove({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'shop', name: 'ledger' }),
        void port.put('policy/v1', 'poddisruptionbudgets', budgetObject('books', 'ledger', { matchLabels: { app: 'ledger' } }))
      ),
    ],
    [
      'the pod is finished',
      (port: FakeKubernetes) => void port.put('v1', 'pods', podObject('shop', 'ledger-5d4f-x', { node: 'a', phase: 'Succeeded' })),
    ],
    [
      'the pod stays on a node that Karpenter drains',
      (port: FakeKubernetes) =>
        port.edit({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'ledger-5d4f-x' }, (pod) => {
          pod['spec'] = { ...(pod['spec'] as object), tolerations: [{ operator: 'Exists' }] };
        }),
    ],
    [
      'Karpenter has not marked the node yet',
      (port: FakeKubernetes) => void port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a')),
    ],
  ])('is not blocked when %s', async (_title, change) => {
    const port = world();
    holdNodeA(port);
    change(port);
    expect((await watch(port, { watchMs: 200 })).kind).toBe('pace-elapsed');
  });

  test('a budget that lets go in between starts the clock anew', async () => {
    const port = world();
    holdNodeA(port);
    const pdb = { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'shop', name: 'ledger' };
    let allowed = 0;
    const flapping = setInterval(() => {
      allowed = 1 - allowed;
      port.edit(pdb, (object) => void (object.status = { disruptionsAllowed: allowed, expectedPods: 1 }));
    }, 12);
    const outcome = await watch(port, { watchMs: 3_000, timing: { driftBlockedAfterMs: 1_500 } });
    clearInterval(flapping);
    expect(outcome.kind).toBe('pace-elapsed');
  });

  test('K14: held by do-not-disrupt on a pod is found when nothing moves', async () => {
    const port = world();
    for (const node of ['a', 'b']) {
      port.put(
        'v1',
        'pods',
        podObject('jobs', `train-${node}`, {
          node,
          annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
          owner: { kind: 'StatefulSet', name: 'train' },
        }),
      );
    }
    port.put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'jobs', 'train', { replicas: 2 }));
    expect(await watch(port)).toMatchObject({
      kind: 'blocked',
      node: {
        reason: 'pod jobs/train-a has annotation karpenter.sh/do-not-disrupt: "true"',
        workload: { kind: 'StatefulSet', name: 'train', replicas: 2 },
      },
    });
  });

  test('a terminationGracePeriod: a node that waits for its turn is asked about by nobody, one that drains is, with the time of its end', async () => {
    const port = world();
    replace(port, 'b');
    holdNodeA(port);
    const claim = { ...CLAIMS, name: 'claim-a' };
    port.edit(claim, (each) => void (each.spec = { ...(each.spec as object), terminationGracePeriod: '2h' }));
    expect(await watch(port, { watchMs: 150 })).toMatchObject({ kind: 'pace-elapsed' });
    port.edit(claim, ({ metadata }) => void (metadata.deletionTimestamp = '2030-12-31T23:00:00Z'));
    expect(await watch(port)).toMatchObject({
      kind: 'blocked',
      node: { node: 'a', pdb: { name: 'ledger' }, removing: { forcedAt: '2031-01-01T01:00:00.000Z' } },
    });
    const ends = { 'karpenter.sh/nodeclaim-termination-timestamp': '2031-01-01T01:07:30Z' };
    port.edit(claim, ({ metadata }) => void (metadata.annotations = ends));
    expect(await watch(port)).toMatchObject({ node: { removing: { forcedAt: '2031-01-01T01:07:30.000Z' } } });
  });

  const NIGHT = { nodes: '0', schedule: '0 22 * * *', duration: '8h' };
  const LETS_NONE = 'NodePool default lets Karpenter replace none of its nodes: ';
  test.each([
    [
      'a schedule that is in force',
      { disruption: { budgets: [{ nodes: '10%' }, NIGHT] } },
      'its own budget is 0 until 2031-01-01 06:00 UTC (schedule "0 22 * * *" for 8h); wait, or change it',
    ],
    [
      'no schedule',
      { disruption: { budgets: [{ nodes: '0', reasons: ['Drifted'] }] } },
      'its own budget for drift is 0; remove that, or give it a schedule and a duration',
    ],
    [
      'a schedule that cannot be read',
      { disruption: { budgets: [{ ...NIGHT, schedule: 'every night at ten pm' }] } },
      'the schedule "every night at ten pm" for 8h of its own budget cannot be read, and Karpenter takes that for 0',
    ],
    [
      'static capacity without a node to spare',
      { replicas: 2, limits: { nodes: 2 } },
      'it is static, and limits.nodes (2) leaves no node for a replacement beside its 2 replicas; raise limits.nodes',
    ],
  ])('a NodePool whose own budget or limit lets no node go: %s', async (_title, spec, why) => {
    const port = world();
    port.edit(POOL, (pool) => void (pool.spec = { ...(pool.spec as object), ...spec }));
    expect(await watch(port)).toMatchObject({ kind: 'blocked', node: { node: 'a', nodePool: 'default', reason: `${LETS_NONE}${why}` } });
    port.put('karpenter.sh/v1', 'nodepools', nodePoolObject('default', { budgets: [{ nodes: '10%' }] }));
    expect(await watch(port, { asked: ['a'] })).toMatchObject({ kind: 'freed' });
  });

  test.each([
    ['a schedule that is not in force', { disruption: { budgets: [{ nodes: '10%' }, { ...NIGHT, schedule: '0 9 * * *' }] } }],
    ['a budget of other reasons', { disruption: { budgets: [{ ...NIGHT, reasons: ['Underutilized'] }] } }],
    ['static capacity with a node to spare', { replicas: 2, limits: { nodes: '3' } }],
    ['static capacity without a limit', { replicas: 2 }],
    [
      'the freeze’s entry, until the pace is set again',
      { disruption: { budgets: [{ nodes: '10%' }, { nodes: '0', reasons: ['Drifted'] }] } },
      {
        'belay.dev/budgets-before': '{"budgets":[{"nodes":"10%"}]}',
        'belay.dev/freeze-entry': '{"nodes":"0","reasons":["Drifted"]}',
      },
    ],
  ])('nobody is asked about %s', async (_title, spec, annotations?: Record<string, string>) => {
    const port = world();
    port.edit(POOL, (pool) => {
      pool.spec = { ...(pool.spec as object), ...spec };
      pool.metadata.annotations = annotations;
    });
    expect(await watch(port, { watchMs: 200 })).toMatchObject({ kind: 'pace-elapsed' });
  });

  test('K13: held by two budgets, each of which would allow it, is found when nothing moves', async () => {
    const port = world();
    replace(port, 'b');
    holdNodeA(port);
    port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'ledger', { matchLabels: { app: 'ledger' } }, 1));
    port.put('policy/v1', 'poddisruptionbudgets', budgetObject('shop', 'all', {}, 1));
    expect(await watch(port)).toMatchObject({
      kind: 'blocked',
      node: { reason: 'pod shop/ledger-5d4f-x is matched by PodDisruptionBudgets ledger and all: eviction refuses more than one' },
    });
  });

  test('held by the annotation on the node itself', async () => {
    const port = world();
    replace(port, 'b');
    port.put('v1', 'nodes', nodeObject('a', '1.32', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }));
    expect(await watch(port)).toMatchObject({
      kind: 'blocked',
      node: { node: 'a', reason: 'the node has annotation karpenter.sh/do-not-disrupt' },
    });
  });

  test("named only by Karpenter's event, on its NodeClaim", async () => {
    const port = world();
    replace(port, 'b');
    const event = (name: string, object: { kind: string; name: string }, message: string) =>
      port.put('v1', 'events', { metadata: { name, namespace: 'default' }, reason: 'DisruptionBlocked', message, involvedObject: object });
    event('e1', { kind: 'NodePool', name: 'default' }, 'No allowed disruptions for disruption reason Drifted due to blocking budget');
    event('e2', { kind: 'NodeClaim', name: 'claim-a' }, 'Node has a volume that cannot be detached');
    expect(await watch(port)).toMatchObject({
      kind: 'blocked',
      node: { node: 'a', reason: 'Karpenter says: Node has a volume that cannot be detached' },
    });
  });

  test('what Karpenter says of budgets and of the annotation that Belay itself sets is no reason', async () => {
    const port = world();
    replace(port, 'b');
    const event = (name: string, message: string) =>
      port.put('v1', 'events', {
        metadata: { name, namespace: 'default' },
        reason: 'DisruptionBlocked',
        message,
        involvedObject: { kind: 'NodeClaim', name: 'claim-a' },
      });
    event('e1', 'No allowed disruptions due to blocking budget');
    event('e2', 'Node is blocked through the "karpenter.sh/do-not-disrupt" annotation');
    const seen = await watch(port, { watchMs: 1_000 });
    expect(JSON.stringify(seen)).not.toContain('Karpenter says');
  });

  test('a drain that hangs', async () => {
    const port = world();
    replace(port, 'b');
    port.put('v1', 'nodes', nodeObject('a', '1.32', { deleting: true }));
    expect(await watch(port)).toMatchObject({ kind: 'blocked', node: { node: 'a', reason: 'the node is being removed and does not go' } });
  });

  test('a node that people skip is not asked about again', async () => {
    const port = world();
    holdNodeA(port);
    replace(port, 'b');
    expect((await watch(port, { ignoreNodes: ['a'] })).kind).toBe('done');
  });
});

describe('the clock over the watches of a roll', () => {
  /** As a pace, news or a gate ends one watch before the next; what is sent in between is JSON. */
  const seenIn = (outcome: DriftOutcome): DriftSeen | undefined =>
    'seen' in outcome ? (JSON.parse(JSON.stringify(outcome.seen)) as DriftSeen) : undefined;

  test('K12: a node that was held in the watch before is not held "just now"', async () => {
    const port = world();
    holdNodeA(port);
    const first = await watch(port, { watchMs: 80, timing: { driftBlockedAfterMs: 600_000 } });
    expect(first.kind).toBe('pace-elapsed');
    const looksBefore = port.lists.filter(({ plural }) => plural === 'nodes').length;
    const next = await watch(port, { seen: seenIn(first), timing: { driftBlockedAfterMs: 50 } });
    expect(next).toMatchObject({ kind: 'blocked', node: { node: 'a' } });
    expect(next.kind === 'blocked' && next.node.sinceMs).toBeGreaterThanOrEqual(50);
    // The first look of the second watch was enough.
    expect(port.lists.filter(({ plural }) => plural === 'nodes').length).toBe(looksBefore + 1);
  });

  test('K12: one that was let go in between begins anew', async () => {
    const port = world();
    holdNodeA(port);
    const first = await watch(port, { watchMs: 80, timing: { driftBlockedAfterMs: 600_000 } });
    port.remove({ apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'shop', name: 'ledger' });
    const second = await watch(port, { seen: seenIn(first), watchMs: 20, timing: { driftBlockedAfterMs: 600_000 } });
    expect(seenIn(second)?.held).toEqual({});
  });

  test('K12: a node whose pod waits for its turn at a budget is not held while others of it go', async () => {
    const port = world();
    for (const name of ['a', 'b']) port.put('v1', 'pods', podObject('shop', `web-${name}`, { node: name, labels: { app: 'web' } }));
    const budget = budgetObject('shop', 'web', { matchLabels: { app: 'web' } });
    port.put('policy/v1', 'poddisruptionbudgets', {
      ...budget,
      status: { disruptionsAllowed: 0, expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 },
    });
    const timing = { driftBlockedAfterMs: 60_000 };
    const first = seenIn(await watch(port, { watchMs: 10, timing }));
    if (first === undefined) throw new Error('nothing was seen');
    const longAgo = Object.fromEntries(Object.entries(first.held).map(([name, { key }]) => [name, { key, sinceMs: -120_000 }]));
    expect(Object.keys(longAgo)).toEqual(['a', 'b']);
    const seen = { ...first, held: longAgo };
    expect(await watch(port, { seen, watchMs: 10, timing })).toMatchObject({ kind: 'blocked' });
    port.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'web-a' });
    replace(port, 'a');
    expect(await watch(port, { seen, watchMs: 10, timing })).toMatchObject({ kind: 'pace-elapsed', remainingCount: 1 });
  });

  test('K11: new nodes that were given up are counted on', async () => {
    const port = world();
    const starting = (name: string): void =>
      void port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(name, undefined, { initialized: false }));
    const timing = { driftBlockedAfterMs: 600_000 };
    starting('boot-1');
    const first = await watch(port, { watchMs: 10, timing });
    port.remove({ ...CLAIMS, name: 'boot-1' });
    starting('boot-2');
    const second = await watch(port, { seen: seenIn(first), watchMs: 10, timing });
    expect(second.kind).toBe('pace-elapsed');
    port.remove({ ...CLAIMS, name: 'boot-2' });
    starting('boot-3');
    expect(await watch(port, { seen: seenIn(second), watchMs: 10, timing })).toMatchObject({
      kind: 'unhealthy',
      why: expect.stringMatching(/^new nodes have failed 2 times/),
    });
  });
});

describe('the clock over attempts', () => {
  interface Beat {
    elapsedMs: number;
    details: { remainingCount: number; memory: { held: Record<string, unknown> } };
  }

  /** Runs one attempt that is cut off by a heartbeat, as a killed worker is, and gives that heartbeat as Temporal would. */
  async function attempt(port: FakeKubernetes, until: (beat: Beat) => boolean): Promise<Beat> {
    const stop = new AbortController();
    let last: Beat | undefined;
    const beat = (details: unknown): void => {
      if (stop.signal.aborted) return;
      last = JSON.parse(JSON.stringify(details)) as Beat;
      if (until(last)) stop.abort();
    };
    await expect(runWithin({ signal: stop.signal, beat }, () => watch(port, { timing: { driftBlockedAfterMs: 600_000 } }))).rejects.toThrow(
      'cancelled',
    );
    if (last === undefined) throw new Error('no heartbeat');
    return last;
  }

  test('a node that was held in earlier attempts is not held "just now"', async () => {
    const port = world();
    holdNodeA(port);
    const carried = await attempt(port, ({ elapsedMs, details }) => elapsedMs > 60 && details.memory.held['a'] !== undefined);
    const looksBefore = port.lists.filter(({ plural }) => plural === 'nodes').length;
    const outcome = await runWithin({ lastBeat: carried }, () => watch(port, { timing: { driftBlockedAfterMs: 50 } }));
    expect(outcome).toMatchObject({ kind: 'blocked', node: { node: 'a' } });
    expect(outcome.kind === 'blocked' && outcome.node.sinceMs).toBeGreaterThanOrEqual(50);
    // The first look of the second attempt was enough.
    expect(port.lists.filter(({ plural }) => plural === 'nodes').length).toBe(looksBefore + 1);
  });

  test("the server's clock is never asked: it may be years ahead", async () => {
    const port = world();
    holdNodeA(port);
    expect(port.serverDate()).toBe('2031-01-01T00:00:00.000Z');
    expect((await watch(port, { watchMs: 20, timing: { driftBlockedAfterMs: 60_000 } })).kind).toBe('pace-elapsed');
  });

  test('K5: heartbeats say how it goes and stay small with thousands of nodes', async () => {
    const port = world();
    for (let index = 0; index < 2_000; index += 1)
      addNode(port, `ip-10-0-${index}.eu-central-1.compute.internal`, '1.32', { drifted: true });
    const last = await attempt(port, ({ details }) => details.remainingCount > 0);
    expect(last).toMatchObject({ details: { replacedCount: 1, remainingCount: 2_002 } });
    expect(JSON.stringify(last).length).toBeLessThan(2_000);
  });
});

describe('new nodes do not come up', () => {
  test('K11: NodeRegistrationHealthy False stops at once', async () => {
    const port = world();
    port.edit(
      POOL,
      (pool) => void (pool.status = { conditions: [condition('NodeRegistrationHealthy', 'False', 'RegistrationFailed', 'bad user data')] }),
    );
    expect(await watch(port, { timing: { driftBlockedAfterMs: 600_000 } })).toEqual({
      kind: 'unhealthy',
      why: 'NodePool default: new nodes do not register (RegistrationFailed: bad user data)',
      replacedCount: 1,
      remainingCount: 2,
    });
  });

  test('NodeRegistrationHealthy that is False from before the roll counts once no new node has come for a while', async () => {
    const port = world();
    const before = { ...condition('NodeRegistrationHealthy', 'False', 'RegistrationFailed'), lastTransitionTime: '2025-12-24T00:00:00Z' };
    port.edit(POOL, (pool) => void (pool.status = { conditions: [before] }));
    expect(await watch(port, { watchMs: 80, timing: { driftBlockedAfterMs: 600_000 } })).toMatchObject({ kind: 'pace-elapsed' });
    expect(await watch(port)).toMatchObject({
      kind: 'unhealthy',
      why: 'NodePool default: new nodes do not register (RegistrationFailed)',
    });
    const stale = { ...before, lastTransitionTime: '2026-01-02T00:00:00Z', observedGeneration: 3 };
    port.edit(POOL, (pool) => {
      pool.metadata.generation = 4;
      pool.status = { conditions: [stale] };
    });
    expect(await watch(port, { watchMs: 80, timing: { driftBlockedAfterMs: 600_000 } })).toMatchObject({ kind: 'pace-elapsed' });
  });

  test.each([
    ['NodePool', POOL, 'NodePool default is not ready (NodeClassNotReady)'],
    [
      'EC2NodeClass',
      { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' },
      'EC2NodeClass default is not ready (NodeClassNotReady)',
    ],
  ])('%s not ready for a while', async (_title, ref, why) => {
    const port = world();
    port.edit(ref, (object) => void (object.status = { conditions: [condition('Ready', 'False', 'NodeClassNotReady')] }));
    expect(await watch(port)).toMatchObject({ kind: 'unhealthy', why });
  });

  test('a class that no remaining node uses does not matter', async () => {
    const port = world();
    port.put('karpenter.k8s.aws/v1', 'ec2nodeclasses', {
      ...nodeClassObject('unused'),
      status: { conditions: [condition('Ready', 'False')] },
    });
    expect((await watch(port, { watchMs: 100 })).kind).toBe('pace-elapsed');
  });

  test('K11: launches that fail come back under new names: still one and the same trouble', async () => {
    const port = world();
    let round = 0;
    const failing = setInterval(() => {
      port.remove({ ...CLAIMS, name: `launch-${round}` });
      round += 1;
      const launched = condition('Launched', 'Unknown', 'AwaitingReconciliation', 'object is awaiting reconciliation');
      port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`launch-${round}`, undefined, { initialized: false, launched }));
    }, 10);
    const outcome = await watch(port);
    clearInterval(failing);
    expect(outcome).toMatchObject({ kind: 'unhealthy' });
    expect(outcome.kind === 'unhealthy' && outcome.why).toMatch(
      /^NodeClaim launch-\d+ does not become a node \(Launched: AwaitingReconciliation: object is awaiting reconciliation\)$/,
    );
  });

  /** A new NodeClaim every 40 ms, in place of the one before. */
  async function whileClaimsFail(launched: ReturnType<typeof condition>, watchMs?: number): Promise<DriftOutcome> {
    const port = world();
    let round = 0;
    const failing = setInterval(() => {
      port.remove({ ...CLAIMS, name: `boot-${round}` });
      round += 1;
      port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject(`boot-${round}`, undefined, { initialized: false, launched }));
    }, 40);
    const outcome = await watch(port, { watchMs, timing: { driftBlockedAfterMs: 600_000 } });
    clearInterval(failing);
    return outcome;
  }

  test.each([
    ['launched', condition('Launched'), 'Registered: no condition yet'],
    [
      'Karpenter has said why not',
      condition('Launched', 'Unknown', 'LaunchFailed', 'InvalidParameterValue: bad key'),
      'Launched: LaunchFailed: InvalidParameterValue: bad key',
    ],
  ])('K11: two new nodes that were given up, and none that came in between, stop the roll: %s', async (_title, launched, stage) => {
    const outcome = await whileClaimsFail(launched);
    expect(outcome).toMatchObject({ kind: 'unhealthy', replacedCount: 1, remainingCount: 2 });
    expect(outcome.kind === 'unhealthy' && outcome.why.replace(/boot-\d+/, 'boot-N')).toBe(
      `new nodes have failed 2 times: NodeClaim boot-N does not become a node (${stage})`,
    );
  });

  const event = (claim: string, message: string, lastTimestamp: string) => ({
    metadata: { name: `${claim}.1`, namespace: 'default' },
    reason: 'InsufficientCapacityError',
    message,
    lastTimestamp,
    involvedObject: { kind: 'NodeClaim', name: claim },
  });
  const NONE = 'NodeClaim default-x7f2k event: with fleet error(s), UnfulfillableCapacity: Unable to fulfill capacity';

  test('EC2 without capacity for longer than that, and no new node: Karpenter’s event says why', async () => {
    const port = world();
    port.put('v1', 'events', event('default-x7f2k', NONE, '2030-12-31T23:59:59Z'));
    expect(await watch(port, { timing: { driftBlockedAfterMs: 2_000 } })).toMatchObject({
      kind: 'unhealthy',
      why: `NodePool default: no new node (${NONE})`,
    });
  });

  test.each([
    ['longer ago than that', event('default-x7f2k', NONE, '2030-12-31T23:50:00Z')],
    ['of a pool that has nothing to replace', event('batch-x7f2k', NONE, '2030-12-31T23:59:59Z')],
    ['of such a pool, whose name begins as that of one that has', event('default-gpu-x7f2k', NONE, '2030-12-31T23:59:59Z')],
  ])('EC2 without capacity %s is over', async (_title, object) => {
    const port = world();
    port.put('v1', 'events', object);
    expect((await watch(port, { watchMs: 3_000, timing: { driftBlockedAfterMs: 2_000 } })).kind).toBe('pace-elapsed');
  });

  test('newer Karpenters take a missing Spot role for missing capacity: the remedy is named', async () => {
    const port = world();
    const error = 'NodeClaim default-x7f2k event: with fleet error(s), AuthFailure.ServiceLinkedRoleCreationNotPermitted: not permitted';
    port.put('v1', 'events', event('default-x7f2k', error, '2030-12-31T23:59:59Z'));
    expect(await watch(port, { timing: { driftBlockedAfterMs: 2_000 } })).toMatchObject({
      kind: 'unhealthy',
      why: `the service-linked role of EC2 Spot is missing; make it (aws iam create-service-linked-role --aws-service-name spot.amazonaws.com), then Retry. NodePool default: no new node (${error})`,
    });
  });

  test('EC2 without capacity: Karpenter deletes the NodeClaim before it says anything of its launch, which is no failed node', async () => {
    const awaiting = condition('Launched', 'Unknown', 'AwaitingReconciliation', 'object is awaiting reconciliation');
    expect((await whileClaimsFail(awaiting, 500)).kind).toBe('pace-elapsed');
  });

  test('a launch that cannot succeed by itself stops at once and names the remedy', async () => {
    const port = world();
    const error = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted: The provided credentials do not have permission';
    const launched = condition('Launched', 'Unknown', 'LaunchFailed', error);
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('spot-1', undefined, { initialized: false, launched }));
    expect(await watch(port, { timing: { driftBlockedAfterMs: 600_000 } })).toMatchObject({
      kind: 'unhealthy',
      why: `the service-linked role of EC2 Spot is missing; make it (aws iam create-service-linked-role --aws-service-name spot.amazonaws.com), then Retry. NodeClaim spot-1 does not become a node (Launched: LaunchFailed: ${error})`,
    });
  });

  test('launches that succeed one after the other are healthy, however many are under way', async () => {
    const port = world();
    port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('launch-1', undefined, { initialized: false }));
    const arriving = setInterval(() => addNode(port, `n${Math.random()}`, '1.33'), 10);
    const outcome = await watch(port, { watchMs: 3_000, timing: { driftBlockedAfterMs: 1_500 } });
    clearInterval(arriving);
    expect(outcome.kind).toBe('pace-elapsed');
  });
});

test('looks are cheap: pods are read for exhausted budgets only, never for all', async () => {
  const port = world();
  holdNodeA(port);
  await watch(port, { watchMs: 10, timing: { driftBlockedAfterMs: 600_000 } });
  const pods = port.lists.filter(({ plural }) => plural === 'pods');
  expect(new Set(pods.map(({ namespace, labelSelector }) => `${namespace} ${labelSelector}`))).toEqual(new Set(['shop app=ledger']));
});
