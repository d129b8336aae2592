/** The cluster's own state in a run: told once, shown at the next gate, kept in the record, and never a reason to hold a step up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ApplicationFailure } from '@temporalio/common';
import type { PhaseId } from '../../../domain/core/phases.ts';
import { NO_NEWS, type TroubleNews, type TroubleState } from '../../../domain/health/cluster-trouble.ts';
import { count, fakeActivities, inputs, quickPolicy, sleepBeating, untilCancelled, withChange } from '../../support/fake-activities.ts';
import { plan } from '../../support/plan.ts';
import { startTemporal } from '../../support/temporal.ts';
import { choosing, withUpgrade } from '../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const KEY = 'attach Deployment shop/web';
const LINE = 'Deployment shop/web: a volume cannot be attached for 6 min (web-1)';
const HELD: TroubleState = {
  known: { [KEY]: { stage: 'said', sinceMs: 0, seenMs: 0, title: 'Deployment shop/web: a volume cannot be attached', line: LINE } },
  unseen: [],
};
const CALM: TroubleState = { known: {}, unseen: [] };

function watched(phases: PhaseId[], news: { state: TroubleState; news: TroubleNews }[], policy = quickPolicy({ watch: true })) {
  const fake = fakeActivities({ plan: plan(phases), policy });
  const left = [...news];
  const activities = withChange(fake, {
    watchCluster: async () => left.shift() ?? untilCancelled(),
    awaitUpdate: async () => {
      await sleepBeating(500);
      return { status: 'Successful', errors: [] };
    },
  });
  return { world: fake.world, activities };
}
const notes = (world: ReturnType<typeof watched>['world']): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

describe('the watch of the cluster', () => {
  test('one activity from the first step that may bring trouble to the end; what it knows goes on to the next; gate and record show it', async () => {
    const { world, activities } = watched(
      ['pre-checks', 'control-plane', 'karpenter-drift', 'validation'],
      [{ state: HELD, news: { ...NO_NEWS, fresh: [LINE], unseen: ['events cannot be watched'] } }],
    );
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      expect(report.outcome).toBe('completed');
      expect(report.watched?.map(({ what }) => what)).toEqual([LINE, 'UNKNOWN: events cannot be watched']);
      const gate = report.decisions.find((one) => one.gate.id.startsWith('before:karpenter-drift'))?.gate;
      expect(gate?.evidence).toContainEqual({
        title: 'New problems in the cluster since the upgrade began',
        lines: [LINE],
        verdict: 'attention',
      });
    });
    expect(inputs(world, 'watchCluster')).toEqual([
      expect.not.objectContaining({ state: expect.anything() }),
      expect.objectContaining({ state: HELD }),
    ]);
    expect(notes(world).filter((text) => text.includes(LINE))).toEqual([
      `Problems in the cluster during Step control-plane:\n• ${LINE}\n• UNKNOWN: events cannot be watched`,
    ]);
    expect(world.audit.filter(({ kind }) => kind === 'watch').map(({ what }) => what)).toEqual([LINE, 'UNKNOWN: events cannot be watched']);
  });

  test('a step that fails meanwhile: people see it where they decide', async () => {
    const fake = watched(['control-plane'], [{ state: HELD, news: { ...NO_NEWS, fresh: [LINE] } }]);
    const activities = withChange(fake, {
      awaitUpdate: async () => {
        await sleepBeating(500);
        return { status: 'Failed', errors: [] };
      },
    });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish(choosing({}));
      const gate = report.decisions.find((one) => one.gate.id.startsWith('failed:control-plane'))?.gate;
      expect(gate?.evidence.at(-1)).toEqual({
        title: 'New problems in the cluster since the upgrade began',
        lines: [LINE],
        verdict: 'attention',
      });
    });
  });

  test('what is over is said, and stands at no gate', async () => {
    const { world, activities } = watched(
      ['control-plane', 'karpenter-drift'],
      [
        { state: HELD, news: { ...NO_NEWS, fresh: [LINE] } },
        { state: CALM, news: { ...NO_NEWS, solved: ['Deployment shop/web: a volume cannot be attached'] } },
      ],
    );
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      const titles = report.decisions.flatMap(({ gate }) => gate.evidence.map(({ title }) => title));
      expect(titles).not.toContain('New problems in the cluster since the upgrade began');
    });
    expect(notes(world)).toContain('Resolved:\n• Deployment shop/web: a volume cannot be attached');
  });

  test('a watch that fails is unknown, said once and at the gate; the run continues', async () => {
    const fake = watched(['control-plane', 'karpenter-drift'], []);
    const activities = withChange(fake, {
      watchCluster: async () => {
        throw ApplicationFailure.nonRetryable('belay.yaml names no such cluster', 'Configuration');
      },
    });
    await withUpgrade(env, activities, async (run) => {
      const report = await run.finish();
      expect(report.outcome).toBe('completed');
      const lines = report.decisions.flatMap(({ gate }) => gate.evidence.flatMap((evidence) => evidence.lines));
      expect(lines.filter((line) => line.startsWith('UNKNOWN: the state of the cluster is no longer watched'))).toHaveLength(1);
    });
    expect(notes(fake.world).filter((text) => text.startsWith('UNKNOWN: the state of the cluster'))).toHaveLength(1);
  });

  test('a cluster that never rests is told so long, and no longer', async () => {
    const { world, activities } = watched(
      ['control-plane', 'karpenter-drift'],
      Array.from({ length: 60 }, () => ({ state: HELD, news: { ...NO_NEWS, fresh: [LINE] } })),
    );
    await withUpgrade(env, withChange({ world, activities }, { awaitUpdate: () => untilTold(world) }), async (run) => {
      expect((await run.finish()).outcome).toBe('completed');
    });
    expect(count(world, 'watchCluster')).toBe(40);
  }, 540_000);

  test('clusters that switch it off look at nothing', async () => {
    const { world, activities } = watched(['control-plane'], [], quickPolicy());
    await withUpgrade(env, activities, async (run) => {
      expect((await run.finish()).outcome).toBe('completed');
    });
    expect(count(world, 'watchCluster')).toBe(0);
  });
});

async function untilTold(world: ReturnType<typeof watched>['world']): Promise<{ status: 'Successful'; errors: [] }> {
  for (let n = 0; n < 1200 && count(world, 'watchCluster') < 40; n += 1) await sleepBeating(100);
  await sleepBeating(300);
  return { status: 'Successful', errors: [] };
}
