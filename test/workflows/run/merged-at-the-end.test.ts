/** A run that has changed objects beside their code looks, as it ends, whether they are merged: in its record and its last message. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import type { MergeQuestion } from '../../../domain/run/code-changes/merged.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { count, fakeActivities, inputs, withChange } from '../../support/fake-activities.ts';
import { plan, step } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { withUpgrade } from '../../support/upgrade.ts';
import type { MergeFinding } from '../../../domain/run/record/merge-finding.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

/** Karpenter through a HelmRelease; `owner`: who keeps that as in Git. */
function byFlux(owner?: string): UpgradePlan {
  const chart = { chart: 'karpenter', kind: 'HelmRelease', namespace: 'flux-system', name: 'karpenter', version: '1.1.0' } as const;
  const place = { minimum: '1.2', namespace: 'kube-system', deployment: 'karpenter', managedBy: 'flux' } as const;
  const delivery = { kind: 'gitops', charts: [owner === undefined ? chart : { ...chart, owner }] } as const;
  return plan(['karpenter-controller', 'validation'], (each) =>
    each.phase === 'karpenter-controller'
      ? step(each.phase, {
          params: { phase: each.phase, from: '1.1.0', to: '1.2.3', ...place, delivery: { ...delivery, charts: [...delivery.charts] } },
        })
      : each,
  );
}

const OPEN: MergeFinding = { object: 'HelmRelease flux-system/karpenter', state: 'not-merged', why: 'was last applied as 1.1.0' };

test('each object is asked for by its field, and what is found stands in the record and in the last message', async () => {
  const fake = fakeActivities({ plan: byFlux() });
  await withUpgrade(env, withChange(fake, { lookAtMerges: async () => ({ merges: [OPEN] }) }), async (run) => {
    expect((await run.finish()).merges).toEqual([OPEN]);
    const { world } = fake;
    const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases', namespace: 'flux-system', name: 'karpenter' };
    const fields = [{ object, path: ['spec', 'chart', 'spec', 'version'], value: '1.2.3' }];
    expect(inputs(world, 'lookAtMerges')).toMatchObject([{ changed: [{ object: OPEN.object, fields }] }]);
    expect(world.records.at(-1)).toMatchObject({ merges: [OPEN] });
    expect(world.published.find(({ key }) => key === 'report')).toMatchObject({ notification: { report: { merges: [OPEN] } } });
  });
});

test('a look that fails leaves it unknown, and the run ends as it did', async () => {
  const fake = fakeActivities({ plan: byFlux() });
  const denied = async (): Promise<never> => {
    throw failureOf('AccessDenied', 'looking: forbidden');
  };
  await withUpgrade(env, withChange(fake, { lookAtMerges: denied }), async (run) => {
    const report = await run.finish();
    expect([report.outcome, report.merges]).toEqual([
      'completed',
      [{ object: OPEN.object, state: 'unknown', why: expect.stringContaining('looking: forbidden') }],
    ]);
    expect(report.leftBehind).toEqual([]);
  });
});

test('of very many fields the first are asked about, and it is said that there are more', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `shop-${index}`);
  const canary = {
    fromRevision: '1-26',
    fromVersion: '1.26.2',
    toRevision: '1-28',
    toMinor: '1.28',
    retire: { bakeMs: 0 },
    waves: [names],
  };
  const mesh = plan(['istio'], () =>
    step('istio', { params: { phase: 'istio', canaries: [canary], managedBy: 'manual', moveBy: 'label', judgedBy: 'state' as const } }),
  );
  const fake = fakeActivities({ plan: mesh });
  await withUpgrade(env, fake.activities, async (run) => {
    await run.finish();
    const [asked] = inputs(fake.world, 'lookAtMerges') as { changed: MergeQuestion[] }[];
    expect(asked?.changed.map(({ fields, leftOut }) => [fields?.length, leftOut])).toEqual([[20, 10]]);
  });
});

test('what came from Git, and what is code by guess alone, is not looked at', async () => {
  const steps = [...byFlux('Kustomization flux-system/apps').steps, step('node-groups')];
  const fake = fakeActivities({ plan: { ...plan(), steps } });
  await withUpgrade(env, fake.activities, async (run) => {
    expect((await run.finish()).merges).toBeUndefined();
    expect(count(fake.world, 'lookAtMerges')).toBe(0);
  });
});
