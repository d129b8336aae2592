/** What people read about a node that drift cannot replace, and that what was done for it is undone on every way out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BlockedNode } from '../../../../activities/contract/karpenter.ts';
import type { GateDefinition } from '../../../../domain/gates/gate.ts';
import { abortUpgrade } from '../../../../workflows/contract/messages.ts';
import { count, fakeActivities, type FakeWorld, quickPolicy, withChange } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, SAM, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const NODE: BlockedNode = {
  node: 'ip-10-0-1-7',
  nodePool: 'default',
  pod: { namespace: 'shop', name: 'cart-0', controller: { kind: 'ReplicaSet', name: 'cart-6d4f' } },
  pdb: { namespace: 'shop', name: 'cart', disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 },
  workload: { kind: 'Deployment', namespace: 'shop', name: 'cart', replicas: 1, autoscaler: 'cart-hpa' },
  people: ['owner ana', 'team payments'],
  reason: 'pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now',
  sinceMs: 60_000,
};

/** Blocked by `node` until somebody lets go. */
function blockedBy(node: BlockedNode): { world: FakeWorld; activities: ReturnType<typeof withChange>; letGo: () => void } {
  const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
  let blocked = true;
  const activities = withChange(fake, {
    watchDrift: async () =>
      blocked
        ? { kind: 'blocked', node, replacedCount: 2, remainingCount: 1 }
        : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 },
  });
  return { world: fake.world, activities, letGo: () => (blocked = false) };
}

const gateOf = ({ published }: FakeWorld): GateDefinition | undefined =>
  published.flatMap(({ notification }) =>
    notification.kind === 'gate' && notification.state.gate.id.startsWith('blocked') ? [notification.state.gate] : [],
  )[0];

const notesOf = ({ published }: FakeWorld): string =>
  published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : [])).join('\n');

describe('the gate of a blocked node', () => {
  test.each<[string, NonNullable<BlockedNode['pod']>['controller'], RegExp[]]>([
    [
      'a Job',
      { kind: 'Job', name: 'report' },
      [
        /It belongs to Job shop\/report, which runs to completion/,
        /the work of Job report in it is lost/,
        /Waits for Job report to finish/,
      ],
    ],
    [
      'nothing',
      null,
      [/No controller will recreate this pod/, /for good: it has no controller/, /A deleted pod without a controller is gone for good/],
    ],
  ])('says what deletion means for a pod of %s', async (_what, controller, says) => {
    const { workload: _none, ...node } = NODE;
    const { world, activities, letGo } = blockedBy({ ...node, pod: { namespace: 'shop', name: 'cart-0', controller } });
    await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('blocked')) letGo();
        return gate.id.startsWith('blocked') ? 'wait' : approveAll(gate, 0);
      }),
    );
    const gate = gateOf(world);
    expect(gate?.choices.map(({ id }) => id)).toEqual(['wait', 'delete-pod', 'skip-node']);
    for (const what of says) expect(JSON.stringify(gate)).toMatch(what);
    expect(JSON.stringify(gate)).not.toContain('recreated by its workload');
  });

  test('K12: names pod, budget with its numbers, what sets the replicas, and people; deletion says what eviction refuses', async () => {
    const { world, activities, letGo } = blockedBy(NODE);
    await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('blocked')) letGo();
        return gate.id.startsWith('blocked') ? 'wait' : approveAll(gate, 0);
      }),
    );
    const gate = gateOf(world);
    expect(gate?.title).toBe('Node ip-10-0-1-7 cannot be replaced: what now?');
    expect(gate?.evidence[0]?.lines).toEqual([
      'Pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which allows no disruption now',
      'PodDisruptionBudget shop/cart: 0 disruptions allowed, 1 pod healthy, at least 1 required',
      'Deployment shop/cart has 1 replica, set by HorizontalPodAutoscaler cart-hpa, which may remove an extra one at once',
      'Owner: owner ana, team payments',
      'Node ip-10-0-1-7 of NodePool default',
      expect.stringMatching(/^As of \d{4}-\d\d-\d\d \d\d:\d\d UTC: 2 nodes replaced, 1 to go$/),
    ]);
    expect(gate?.choices.map(({ id, needsReason }) => [id, needsReason === true])).toEqual([
      ['scale', false],
      ['wait', false],
      ['delete-pod', true],
      ['skip-node', false],
    ]);
    expect(gate?.choices.map(({ does }) => does)).toEqual(
      expect.arrayContaining([
        'Scales Deployment shop/cart to 2 so that its budget allows a disruption, and back afterwards. HorizontalPodAutoscaler cart-hpa may undo it at once: raise its minReplicas instead.',
        'Cordons the node and deletes shop/cart-0. Its PodDisruptionBudget or annotation blocks eviction; deleting the pod bypasses both, and a service with one replica is down until the pod runs elsewhere.',
      ]),
    );
  });

  test('a budget that one more replica would not satisfy: nobody is offered to scale, and what helps is said', async () => {
    const reason = 'pod shop/cart-0 is blocked by PodDisruptionBudget shop/cart, which never allows a disruption: maxUnavailable is 0';
    const { world, activities, letGo } = blockedBy({ ...NODE, noUseScaling: true, reason });
    await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('blocked')) letGo();
        return gate.id.startsWith('blocked') ? 'wait' : approveAll(gate, 0);
      }),
    );
    const gate = gateOf(world);
    expect(gate?.choices.map(({ id }) => id)).toEqual(['wait', 'delete-pod', 'skip-node']);
    expect(gate?.evidence[0]?.lines).toContain(
      'One more replica would not help: the budget has to change, for example to maxUnavailable: 1',
    );
    expect(JSON.stringify([gate?.next, gate?.undo])).not.toContain('replica');
  });

  test('a node that Karpenter removes already: when it ends by force, and that skipping does not keep it', async () => {
    const { world, activities, letGo } = blockedBy({ ...NODE, removing: { forcedAt: '2031-01-01T01:00:00.000Z' } });
    await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('blocked')) letGo();
        return gate.id.startsWith('blocked') ? 'wait' : approveAll(gate, 0);
      }),
    );
    const gate = gateOf(world);
    expect(gate?.evidence[0]?.lines[1]).toBe(
      'Karpenter is removing this node already, and deletes what is left by force at 2031-01-01 01:00 UTC, whatever budgets and annotations say',
    );
    expect(gate?.choices.at(-1)).toMatchObject({
      id: 'skip-node',
      label: 'Continue without it',
      does: expect.stringContaining('which Karpenter still removes'),
    });
    expect(gate?.undo).toMatch(/The node goes either way\.$/);
  });

  test('K15: a volume on a node that is gone can be waited for or left, nothing else', async () => {
    const { world, activities, letGo } = blockedBy({
      ...NODE,
      gone: true,
      nodePool: '',
      reason: 'volume pvc-1 is still attached to this node',
    });
    await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('blocked')) letGo();
        return gate.id.startsWith('blocked') ? 'skip-node' : approveAll(gate, 0);
      }),
    );
    expect(gateOf(world)?.title).toBe('Node ip-10-0-1-7 is gone, but a volume is still attached to it: what now?');
    expect(gateOf(world)?.choices.map(({ label }) => label)).toEqual(['Wait', 'Continue without it']);
  });

  test('RS6: without the right to delete pods the thread says which role gives it, and people are asked again', async () => {
    const { world, activities, letGo } = blockedBy(NODE);
    const refused =
      'deleting pods cart-0: Kubernetes answered 403 (pods "cart-0" is forbidden); apply deploy/kubernetes-rbac-delete-pods.yaml';
    const lacking = withChange(
      { world, activities },
      {
        deletePod: async () => {
          throw ApplicationFailure.nonRetryable(refused, 'AccessDenied');
        },
      },
    );
    const asked: string[] = [];
    const report = await withUpgrade(env, lacking, (run) =>
      run.finish((gate) => {
        if (!gate.id.startsWith('blocked')) return approveAll(gate, 0);
        asked.push(gate.id);
        if (new Set(asked).size === 1) return 'delete-pod';
        letGo();
        return 'wait';
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(new Set(asked).size).toBe(2);
    expect(notesOf(world)).toContain(`Pod shop/cart-0 was NOT deleted: ${refused}`);
    expect(notesOf(world)).not.toContain('deleted, as decided');
  });

  test('RS1: a step that is retried has gates of its own: what was decided before is for none of them, and both are recorded', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']), policy: quickPolicy() });
    let step: 'blocked' | 'fails' | 'again' | 'done' = 'blocked';
    const activities = withChange(fake, {
      watchDrift: async () => {
        if (step === 'fails') {
          step = 'again';
          throw ApplicationFailure.nonRetryable('watching nodes: Kubernetes answered 403', 'AccessDenied');
        }
        return step === 'done'
          ? { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 }
          : { kind: 'blocked', node: NODE, replacedCount: 2, remainingCount: 1 };
      },
      // From the pod's deletion on, so that no look comes in between.
      deletePod: async () => {
        step = 'fails';
      },
    });
    const [first, second] = [1, 101].map((round) => `blocked:karpenter-drift@1.32/${NODE.node}#${round}`);
    await withUpgrade(env, activities, async (run) => {
      const others = (open: { id: string; choices: string[] }) => (open.id.startsWith('blocked') ? undefined : approveAll(open, 0));
      const reached = (gate: string | undefined) => run.until(({ gates }) => gates.some(({ id }) => id === gate), others);
      await reached(first);
      await run.decide(first ?? '', 'delete-pod');
      await reached(second);
      await expect(run.decide(first ?? '', 'delete-pod', { reason: 'sent again' })).rejects.toMatchObject({
        cause: { message: expect.stringContaining(`There is no gate ${first}`) },
      });
      expect(count(fake.world, 'deletePod')).toBe(1);
      await run.decide(second ?? '', 'wait');
      step = 'done';
      expect((await run.finish(others)).outcome).toBe('completed');
    });
    const votes = fake.world.audit.filter(({ kind, gate }) => kind === 'vote' && gate?.startsWith('blocked') === true);
    expect(votes.map(({ gate, choice }) => [gate, choice])).toEqual([
      [first, 'delete-pod'],
      [second, 'wait'],
    ]);
  });

  test('an abort in the middle of it gives replicas back', async () => {
    const { world, activities } = blockedBy(NODE);
    const report = await withUpgrade(env, activities, async (run) => {
      await run.until(
        () => world.scaled.length > 0,
        (gate) => (gate.id.endsWith('#1') ? approveAll(gate, 0) : undefined),
      );
      await run.handle.executeUpdate(abortUpgrade, { args: [{ actor: SAM }] });
      return run.finish(() => undefined);
    });
    expect(report.outcome).toBe('aborted');
    expect(count(world, 'scaleBack')).toBe(1);
    expect(world.scaled).toEqual([]);
  });
});
