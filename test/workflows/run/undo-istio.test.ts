/** Istio is taken back by the phase that took it forth: in waves, the defaults and the labels after them, the newer revision at the end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../activities/contract/belay-activities.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import type { CanaryBack } from '../../../domain/plan/model/changes.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { count, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const LABELS = [{ namespace: 'pay', injection: 'enabled', rev: null }];
const RELEASE = { namespace: 'istio-system', name: 'istiod-1-26' };

function undoPlan(back: CanaryBack, managedBy: 'helm' | 'manual' = 'helm'): UpgradePlan {
  const steps = plan(['istio', 'validation'], ({ phase }) =>
    phase === 'istio'
      ? step('istio', {
          gate: { next: 'Goes back.', why: 'It can.', reason: true },
          params: {
            phase: 'istio',
            canaries: [
              {
                fromRevision: '1-28',
                fromVersion: '1.28.0',
                toRevision: '1-26',
                toMinor: '1.26',
                toVersion: '1.26.2',
                waves: [['shop'], ['pay']],
                retire: { bakeMs: 0 },
                back,
              },
            ],
            managedBy,
            moveBy: 'label',
            judgedBy: 'state' as const,
          },
        })
      : step(phase, { gate: undefined }),
  );
  return { ...steps, kind: 'undo', undoes: { step: 'istio', runId: 'before', startedAt: '2026-09-01T08:00:00Z' }, from: '1.32' };
}

const CHANGES =
  /^(installIstioRevision|awaitIstioRevision|moveNamespaces|moveDefaults|moveBack|checkRetirement|retireIstioRevision|forgetWaves)$/;

function played(back: CanaryBack, managedBy?: 'helm' | 'manual', change: Partial<BelayActivities> = {}) {
  const fake = fakeActivities({ plan: undoPlan(back, managedBy) });
  const order = (): string[] => fake.world.calls.map(({ name }) => name).filter((name) => CHANGES.test(name));
  return { fake, order, activities: withChange(fake, change), said: (): string => JSON.stringify(fake.world.published) };
}

test('installed again, waves, defaults, then labels without a restart, and at the end the newer revision', async () => {
  const { fake, order, activities } = played({ release: RELEASE, labels: LABELS });
  const report = await withUpgrade(env, activities, (run) => run.finish(), { back: true, undo: 'istio' });
  expect(report).toMatchObject({
    outcome: 'completed',
    leftBehind: [],
    status: { headline: 'istio of prod: as before the last run' },
  });
  expect(order()).toEqual([
    'installIstioRevision',
    'awaitIstioRevision',
    'moveNamespaces',
    'moveNamespaces',
    'moveDefaults',
    'moveBack',
    'checkRetirement',
    'retireIstioRevision',
    'forgetWaves',
  ]);
  const { world } = fake;
  expect(inputs(world, 'installIstioRevision')).toMatchObject([{ canary: { toRevision: '1-26', back: { release: RELEASE } } }]);
  expect(inputs(world, 'moveDefaults')).toMatchObject([{ revision: '1-28', successor: '1-26' }]);
  const [relabel] = inputs(world, 'moveBack');
  expect(relabel).toMatchObject({ before: LABELS });
  expect(relabel).not.toHaveProperty('restartedAt');
  expect(inputs(world, 'retireIstioRevision')).toMatchObject([{ revision: '1-28', successor: '1-26' }]);
});

test('the older revision runs: nothing is installed or asked for, its istiod has to be ready all the same', async () => {
  const { fake, activities, said } = played({}, 'manual', {
    awaitIstioRevision: async () => ({ version: '1.26.2', timedOut: true, lack: 'istiod-1-26: 0 of 2 replicas are ready' }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({})), { back: true, undo: 'istio' });
  expect(report.outcome).not.toBe('completed');
  expect(count(fake.world, 'installIstioRevision')).toBe(0);
  expect(count(fake.world, 'moveNamespaces')).toBe(0);
  expect(said()).toContain('Waiting for Istio revision 1-26: istiod-1-26: 0 of 2 replicas are ready');
  expect(said()).not.toContain('Please merge Istio revision');
});

test('a newer revision that was there before stays, and so do the defaults; labels that others keep are said', async () => {
  const { order, activities, said } = played({ keeps: true, labels: LABELS }, 'helm', {
    moveBack: async () => ({ restarted: 0, held: [{ what: 'Namespace pay (istio.io/rev)', by: 'Argo CD' }] }),
  });
  const report = await withUpgrade(env, activities, (run) => run.finish(), { back: true, undo: 'istio' });
  expect(report.outcome).toBe('completed');
  expect(order()).toEqual(['awaitIstioRevision', 'moveNamespaces', 'moveNamespaces', 'forgetWaves', 'moveBack']);
  expect(said()).toContain('Ends the rollback; 1-28 stays.');
  expect(said()).toContain(
    'Istio: Namespace pay (istio.io/rev) belongs to Argo CD and names 1-26 now; restore its previous label where it is declared.',
  );
});

test('a retirement that failed is tried again: no namespace is moved or labelled into a restart a second time', async () => {
  let failures = 1;
  const { fake, activities } = played({ labels: LABELS }, 'helm', {
    readWave: async ({ namespaces }) => ({
      before: namespaces.map((namespace) =>
        namespace === 'pay' ? { namespace, injection: 'enabled', rev: null } : { namespace, injection: null, rev: '1-26' },
      ),
    }),
    retireIstioRevision: async () => {
      failures -= 1;
      if (failures === 0) throw failureOf('InvalidRequest', 'retiring Istio revision 1-28: something uses it');
    },
  });
  const report = await withUpgrade(env, activities, (run) => run.finish(choosing({ 'failed:istio@1.32#1': 'retry' })), {
    back: true,
    undo: 'istio',
  });
  expect(report.outcome).toBe('completed');
  expect(inputs(fake.world, 'moveNamespaces')).toMatchObject([{ namespaces: ['shop'] }, { namespaces: ['pay'] }]);
  expect(count(fake.world, 'retireIstioRevision')).toBe(2);
});
