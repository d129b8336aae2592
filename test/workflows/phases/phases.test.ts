/** Phases in which people decide in the middle: a blocked node, Istio's waves, the guard's patrol. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { count, fakeActivities, inputs, untilCancelled, withChange, sleepBeating } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const BLOCKED: BlockedNode = {
  node: 'ip-10-0-1-7.eu-central-1.compute.internal',
  nodePool: 'default',
  pod: { namespace: 'shop', name: 'cart-0', controller: { kind: 'ReplicaSet', name: 'cart-6d4f' } },
  pdb: { namespace: 'shop', name: 'cart' },
  workload: { kind: 'Deployment', namespace: 'shop', name: 'cart', replicas: 1 },
  reason: 'PodDisruptionBudget shop/cart allows no disruption',
  sinceMs: 600_000,
};
const GATE = `blocked:karpenter-drift@1.32/${BLOCKED.node}#1`;

describe('a node that drift cannot replace', () => {
  const cases: { choice: string; does: (world: ReturnType<typeof fakeActivities>['world']) => void }[] = [
    {
      choice: 'scale',
      does: (world) => {
        expect(inputs(world, 'scaleByOne')).toMatchObject([{ kind: 'Deployment', namespace: 'shop', name: 'cart' }]);
        expect(count(world, 'scaleBack')).toBe(1);
        expect(world.scaled).toEqual([]);
      },
    },
    {
      choice: 'wait',
      does: (world) => {
        expect(count(world, 'scaleByOne') + count(world, 'deletePod') + count(world, 'holdNode')).toBe(0);
        // The others went on meanwhile: the pace is not watched all over again.
        const [first = 0, second = 0, third = 0] = inputs(world, 'watchDrift').map((input) => (input as { watchMs: number }).watchMs);
        expect([second < first, third <= second]).toEqual([true, true]);
      },
    },
    { choice: 'delete-pod', does: (world) => expect(inputs(world, 'deletePod')).toMatchObject([{ namespace: 'shop', name: 'cart-0' }]) },
    {
      choice: 'skip-node',
      does: (world) => {
        expect(inputs(world, 'holdNode')).toMatchObject([{ node: BLOCKED.node }]);
        expect(inputs(world, 'releaseNode')).toMatchObject([{ node: BLOCKED.node }]);
        expect(inputs(world, 'watchDrift').at(-1)).toMatchObject({ ignoreNodes: [BLOCKED.node] });
      },
    },
  ];
  test.each(cases)('K12: people choose $choice; what was done for its sake is undone', async ({ choice, does }) => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
    // Held until the choice is being done; waiting does nothing, so then for a while longer.
    let isOver = false;
    const isHeld = (): boolean => !isOver && count(fake.world, 'scaleByOne') + count(fake.world, 'deletePod') === 0;
    const activities = withChange(fake, {
      watchDrift: async ({ asked = [], ignoreNodes }) => {
        if (ignoreNodes.includes(BLOCKED.node)) isOver = true;
        while (isHeld() && asked.includes(BLOCKED.node)) await sleepBeating(50);
        return isHeld()
          ? { kind: 'blocked', node: BLOCKED, replacedCount: 2, remainingCount: 1 }
          : { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
      },
    });
    const decider: Decider = (gate) => {
      if (gate.id !== GATE) return approveAll(gate, 0);
      if (choice === 'wait') setTimeout(() => (isOver = true), 1000);
      return choice;
    };
    const report = await withUpgrade(env, activities, (run) => run.finish(decider));
    expect(report.outcome).toBe('completed');
    does(fake.world);
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === `gate/${GATE}`)?.notification);
    expect(gate).toContain('Pod shop/cart-0 cannot be evicted');
    expect(gate).toContain('Deployment shop/cart has 1 replica');
  });

  test('K11: an unhealthy node class freezes drift again and asks people', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
    let ill = true;
    const activities = withChange(fake, {
      watchDrift: async () => {
        if (!ill) return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
        ill = false;
        return { kind: 'unhealthy', why: 'NodePool default: NodeRegistrationHealthy is False', replacedCount: 1, remainingCount: 2 };
      },
    });
    await withUpgrade(env, activities, async (run) => {
      const failed = await run.until(
        (s) => s.gates.some((g) => g.id.startsWith('failed:karpenter-drift')),
        (g) => (g.id.startsWith('failed') ? undefined : approveAll(g, 0)),
      );
      expect(failed.steps[1]?.note).toContain('NodeRegistrationHealthy is False; drift is frozen again');
      expect(fake.world.budgets?.nodes).toBe('0');
      expect((await run.finish()).outcome).toBe('completed');
      expect(fake.world.budgets).toBeUndefined();
    });
  });
});

describe('the guard', () => {
  test('K9: puts a reverted freeze back and raises an alarm', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'bake', 'karpenter-drift']) });
    let reverted = false;
    const activities = withChange(fake, {
      watchFreeze: async () => {
        if (reverted) return untilCancelled();
        reverted = true;
        return { intact: false, reverted: ['default'], pools: ['default'] };
      },
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(count(fake.world, 'freezeDrift')).toBe(2);
    expect(fake.world.published.some((p) => JSON.stringify(p.notification).includes('the drift freeze was reverted on default'))).toBe(
      true,
    );
  });

  test('what cannot be restored is said loudly and stands in the report', async () => {
    const fake = fakeActivities({ plan: plan(['freeze-drift', 'karpenter-drift']) });
    const activities = withChange(fake, {
      restoreBudgets: async () => ({ restored: [], changedByOthers: [], failed: [{ pool: 'default', why: 'patch is denied' }] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.leftBehind).toEqual([{ what: 'Karpenter drift freeze', why: 'default: patch is denied', kept: false }]);
    expect(
      fake.world.published.some((p) => JSON.stringify(p.notification).includes('budgets could NOT be restored: default: patch is denied')),
    ).toBe(true);
  });
});

describe('Istio', () => {
  test('moves namespaces in waves with a gate after each, and retires the old revision behind a gate of its own', async () => {
    const fake = fakeActivities({ plan: plan(['istio']) });
    const gates: string[] = [];
    const report = await withUpgrade(env, fake.activities, (run) =>
      run.finish((gate) => {
        gates.push(gate.id);
        return approveAll(gate, 0);
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(gates).toEqual(['wave:istio@1.32/1-28.1#1', 'wave:istio@1.32/1-28.2#1', 'retire:istio@1.32/1-26#1']);
    expect(inputs(fake.world, 'moveNamespaces')).toMatchObject([
      { namespaces: ['shop'], revision: '1-28' },
      { namespaces: ['pay', 'web'], revision: '1-28' },
    ]);
    const asks = fake.world.published.map((p) => p.notification).filter((n) => n.kind === 'note' && n.ask !== undefined);
    expect(asks).toMatchObject([{ ask: { component: 'istio', name: '1-28' } }, { ask: { component: 'istio-retire', name: '1-26' } }]);
  });

  /** As plans are made now: a bake, the defaults first, stray webhooks swept. */
  const retiring = (managedBy: 'argocd' | 'helm', change: Partial<BelayActivities> = {}) => {
    const fake = fakeActivities({
      plan: plan(['istio'], (s) =>
        s.params.phase === 'istio'
          ? { ...s, params: { ...s.params, managedBy, canaries: s.params.canaries.map((c) => ({ ...c, retire: { bakeMs: 50 } })) } }
          : s,
      ),
    });
    return { fake, activities: withChange(fake, change) };
  };
  const asked = (fake: ReturnType<typeof fakeActivities>) =>
    fake.world.published.flatMap(({ notification }) =>
      notification.kind === 'note' && notification.ask !== undefined ? [notification] : [],
    );

  test('the defaults are moved, and asked for where GitOps owns them, before anybody is asked to remove the old revision', async () => {
    const { fake, activities } = retiring('argocd', {
      moveDefaults: async () => ({ held: [{ what: 'ValidatingWebhookConfiguration istiod-default-validator', by: 'Argo CD' }] }),
      awaitIstioRevisionGone: async () => ({ gone: true, left: [], swept: ['MutatingWebhookConfiguration by-hand'] }),
    });
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(asked(fake).map(({ ask }) => ask?.component)).toEqual(['istio', 'istio-defaults', 'istio-retire']);
    expect(asked(fake)[1]?.text).toBe(
      'Please point ValidatingWebhookConfiguration istiod-default-validator, which belongs to Argo CD, at 1-28: set `defaultRevision: 1-28` in the values of istio-base, and tag default (revisionTags) likewise. ' +
        'A patch would be reverted. Belay asks for the removal of 1-26 once they point there.',
    );
    expect(asked(fake)[2]?.text).toBe('Please remove Istio revision 1-26. Belay continues once it is gone.');
    const order = fake.world.calls
      .map(({ name }) => name)
      .filter((name) => /^(?:moveDefaults|awaitIstioPointers|awaitIstioRevisionGone)$/.test(name));
    expect(order).toEqual(['moveDefaults', 'awaitIstioPointers', 'awaitIstioRevisionGone']);
    expect(inputs(fake.world, 'awaitIstioPointers')).toMatchObject([{ tags: [], validator: true, revision: '1-28' }]);
    expect(inputs(fake.world, 'awaitIstioRevisionGone')).toMatchObject([{ revision: '1-26', sweep: true }]);
    expect(JSON.stringify(fake.world.published)).toContain(
      'Istio: deleted webhooks that still called 1-26, whose istiod is gone: MutatingWebhookConfiguration by-hand.',
    );
  });

  test('the defaults stay with an owner who does not move them: nobody is asked to remove the old revision', async () => {
    const { fake, activities } = retiring('argocd', {
      moveDefaults: async () => ({ held: [{ tag: 'default', what: 'tag default', by: 'Flux' }] }),
      awaitIstioPointers: async () => ({ moved: false, left: ['tag default'] }),
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => (gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0))),
    );
    expect(report.outcome).toBe('aborted');
    expect(asked(fake).map(({ ask }) => ask?.component)).toEqual(['istio', 'istio-defaults']);
    expect(JSON.stringify(fake.world.published)).toContain('Retiring Istio revision 1-26: not at 1-28: tag default; 1-26 still runs');
  });

  const CNI = { kind: 'istio-cni' as const, namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.26.2', toMinor: '1.28' };
  const withAgents = () =>
    fakeActivities({
      plan: plan(['istio'], (s) =>
        s.params.phase === 'istio'
          ? { ...s, params: { ...s.params, canaries: s.params.canaries.map((c) => ({ ...c, agentsAfter: [CNI] })) } }
          : s,
      ),
    });

  test('istio-cni follows behind a gate when the old revision is gone', async () => {
    const fake = withAgents();
    const gates: string[] = [];
    const report = await withUpgrade(env, fake.activities, (run) =>
      run.finish((gate) => {
        gates.push(gate.id);
        return approveAll(gate, 0);
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(gates.slice(-2)).toEqual(['retire:istio@1.32/1-26#1', 'agents:istio@1.32/1-28#1']);
    expect(asked(fake).at(-1)?.text).toBe(
      'Please upgrade istio-cni (DaemonSet istio-system/istio-cni-node) to 1.28. Belay continues by itself once it has rolled out.',
    );
  });

  test('after a Retry a revision that is gone is neither baked nor asked about again: what comes after it goes on', async () => {
    const fake = withAgents();
    const activities = withChange(fake, { awaitIstioRevisionGone: async () => ({ gone: true, left: [] }) });
    const gates: string[] = [];
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        gates.push(gate.id);
        return gate.id.startsWith('agents') && gate.id.endsWith('#1') ? 'reject' : approveAll(gate, 0);
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(gates.slice(-4)).toEqual([
      'retire:istio@1.32/1-26#1',
      'agents:istio@1.32/1-28#1',
      'failed:istio@1.32#1',
      'agents:istio@1.32/1-28#2',
    ]);
    expect(count(fake.world, 'moveNamespaces')).toBe(2);
  });

  test('istio-cni stays where it is while the old revision is kept, and that is said', async () => {
    const fake = withAgents();
    const report = await withUpgrade(env, fake.activities, (run) =>
      run.finish((gate) => (gate.id.startsWith('retire') ? 'keep-both' : approveAll(gate, 0))),
    );
    expect(report.outcome).toBe('completed');
    expect(count(fake.world, 'awaitNodeAgent')).toBe(0);
    expect(JSON.stringify(fake.world.published)).toContain('Istio: istio-cni stays at 1.26.2, because revision 1-26 was kept.');
  });

  test('the gate before retiring says how to come back, after the bake', async () => {
    const { fake, activities } = retiring('helm');
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    const gate = fake.world.published.find(({ key }) => key === 'gate/retire:istio@1.32/1-26#1')?.notification;
    expect(gate).toMatchObject({
      state: {
        gate: {
          undo: 'After this, going back to 1-26 means installing it again: Helm keeps the record of its release, so `helm rollback` to its last deployed revision brings back the same chart and values.',
        },
      },
    });
    expect(count(fake.world, 'moveDefaults')).toBe(0);
  });

  /** Three namespaces: `shop` and `pay` select tag prod, `web` has the revision's own label. */
  const byTag = () => {
    const canary = {
      fromRevision: '1-26',
      fromVersion: '1.26.2',
      toRevision: '1-28',
      toMinor: '1.28',
      retire: { bakeMs: 0 },
      waves: [['shop'], ['pay', 'web']],
      tags: ['prod'],
    };
    const fake = fakeActivities({
      plan: {
        ...plan(['istio']),
        steps: [
          step('istio', { params: { phase: 'istio', canaries: [canary], managedBy: 'manual', moveBy: 'tag', judgedBy: 'state' as const } }),
        ],
      },
    });
    const labels: Record<string, string> = { shop: 'prod', pay: 'prod', web: '1-26' };
    const activities = withChange(fake, {
      readWave: async ({ namespaces }) => ({
        before: namespaces.map((namespace) => ({ namespace, injection: null, rev: labels[namespace] ?? null })),
      }),
    });
    return { fake, activities };
  };

  test('a tag that GitOps owns is asked for; its workloads are restarted when it points there', async () => {
    const { fake, activities } = byTag();
    let asks = 0;
    const held = { tag: 'prod', what: 'tag prod (MutatingWebhookConfiguration istio-revision-tag-prod)', by: 'Flux' };
    const report = await withUpgrade(
      env,
      {
        ...activities,
        ...withChange(fake, {
          readWave: activities.readWave,
          moveTag: async () => ((asks += 1) === 1 ? { restarted: 0, skipped: [], held } : { restarted: 3, skipped: [] }),
        }),
      },
      (run) => run.finish(),
    );
    expect(report.outcome).toBe('completed');
    const ask = asked(fake).find((note) => note.ask?.component === 'istio-tag');
    expect(ask).toMatchObject({
      ask: { name: 'prod', version: '1-28', managedBy: 'manual' },
      text: 'Please point tag prod (MutatingWebhookConfiguration istio-revision-tag-prod) at 1-28 where it is declared: it belongs to Flux, which would revert a patch. `istioctl tag generate prod --revision 1-28 --overwrite` prints it. Belay continues once it points there.',
    });
    const [first, second] = inputs(fake.world, 'moveTag');
    // The same timestamp: nothing is restarted twice.
    expect(second).toEqual(first);
  });

  test('moves what selects a tag by the tag, the rest by label', async () => {
    const { fake, activities } = byTag();
    const report = await withUpgrade(env, activities, (run) => run.finish());
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'moveTag')).toMatchObject([
      { tag: 'prod', revision: '1-28', namespaces: ['shop'] },
      { tag: 'prod', revision: '1-28', namespaces: ['pay'] },
    ]);
    expect(inputs(fake.world, 'moveNamespaces')).toMatchObject([{ namespaces: ['web'], revision: '1-28' }]);
  });

  test('a tag goes back as a whole: with the rejected wave the earlier ones that select it, and nothing of it is left', async () => {
    const { fake, activities } = byTag();
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id === 'wave:istio@1.32/1-28.2#1') return 'reject';
        return gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0);
      }),
    );
    expect(report.outcome).toBe('aborted');
    expect(report.leftBehind).toEqual([]);
    expect(inputs(fake.world, 'moveBack')).toMatchObject([
      {
        before: [
          { namespace: 'shop', rev: 'prod' },
          { namespace: 'pay', rev: 'prod' },
          { namespace: 'web', rev: '1-26' },
        ],
        tags: [{ tag: 'prod', revision: '1-26' }],
      },
    ]);
    expect(inputs(fake.world, 'forgetWaves')).toMatchObject([{ namespaces: ['shop'] }]);
    const gate = JSON.stringify(fake.world.published.find((p) => p.key === 'gate/wave:istio@1.32/1-28.2#1')?.notification);
    expect(gate).toContain('namespaces that select tag prod move back together, including those of earlier waves');
  });

  test('what cannot be moved back is said loudly and stands in the report', async () => {
    const fake = fakeActivities({ plan: plan(['istio']) });
    const activities = withChange(fake, {
      moveBack: async () => {
        throw ApplicationFailure.nonRetryable('labelling namespace shop: not permitted', 'AccessDenied');
      },
    });
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => (gate.id.startsWith('wave') ? 'reject' : gate.id.startsWith('failed') ? 'abort' : approveAll(gate, 0))),
    );
    expect(report.leftBehind).toEqual([
      { what: 'Istio revision of shop', why: expect.stringContaining('labelling namespace shop: not permitted'), kept: false },
    ]);
    expect(JSON.stringify(fake.world.published)).toContain('ALARM: shop could not be moved back to Istio 1-26');
  });

  test('moves a rejected wave back with its labels as they were; a Retry leaves the wave before it alone', async () => {
    const fake = fakeActivities({ plan: plan(['istio']) });
    const moved = new Map<string, string>();
    const activities = withChange(fake, {
      readWave: async ({ namespaces }) => ({
        before: namespaces.map((namespace) => ({ namespace, injection: null, rev: moved.get(namespace) ?? '1-26' })),
      }),
      moveNamespaces: async ({ namespaces, revision }) => {
        for (const namespace of namespaces) moved.set(namespace, revision);
        return { restarted: 1, skipped: [] };
      },
      moveBack: async ({ before }) => {
        for (const { namespace, rev } of before) moved.set(namespace, rev ?? '');
        return { restarted: 1 };
      },
    });
    let rejected = false;
    const report = await withUpgrade(env, activities, (run) =>
      run.finish((gate) => {
        if (gate.id !== 'wave:istio@1.32/1-28.2#1' || rejected) return approveAll(gate, 0);
        rejected = true;
        return 'reject';
      }),
    );
    expect(report.outcome).toBe('completed');
    expect(inputs(fake.world, 'moveBack')).toMatchObject([
      {
        before: [
          { namespace: 'pay', injection: null, rev: '1-26' },
          { namespace: 'web', injection: null, rev: '1-26' },
        ],
      },
    ]);
    expect(inputs(fake.world, 'moveNamespaces').map((input) => (input as { namespaces: string[] }).namespaces)).toEqual([
      ['shop'],
      ['pay', 'web'],
      ['pay', 'web'],
    ]);
  });
});
