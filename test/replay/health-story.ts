/** Runs that are watched, for the recording: one that is parked by an alert, held by a failing check and let go again; one whose cluster is in trouble. */
import { DEFAULT_WINDOWS } from '../../domain/policy/config/defaults.ts';
import { healthOf } from '../../domain/policy/config/health/health.ts';
import type { HealthTrouble } from '../../activities/contract/health.ts';
import { NO_NEWS, type TroubleNews, type TroubleState } from '../../domain/health/cluster-trouble.ts';
import { fakeActivities, quickPolicy, sleepBeating, untilCancelled } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { choosing, type Story, told } from './story.ts';

const SLOW = 'api-server-latency';
const trouble = (kind: HealthTrouble['kind']): HealthTrouble => ({ kind, checks: [SLOW], lines: [`${SLOW}: 6.1, limit > 1`] });

/** An alert before the control plane, a check that fails during its move, one that only warns in the bake, a roll that is held. */
export function watched(): Story {
  const { policy: health } = healthOf([]);
  const steps = plan(['pre-checks', 'freeze-drift', 'control-plane', 'bake', 'karpenter-drift', 'validation']);
  const troubles = new Map<string, HealthTrouble>([
    ['control-plane', trouble('fail')],
    ['bake', trouble('warn')],
    ['karpenter-drift', trouble('inconclusive')],
  ]);
  let starts = 0;
  let rolls = 0;
  return told(
    fakeActivities({ plan: steps, policy: quickPolicy({ windows: DEFAULT_WINDOWS, health }) }),
    {
      makePlan: async () => ({
        kind: 'plan',
        plan: steps,
        health: health.checks.map(({ name }) => (name === 'dns-errors' ? { name, kind: 'blind' } : { name, kind: 'live', baseline: 0.2 })),
      }),
      judgeStart: async () => ({
        window: { kind: 'open' },
        alerts: (starts += 1) === 1 ? { kind: 'firing', alerts: [{ name: 'TargetDown', seriesCount: 1 }] } : { kind: 'quiet' },
      }),
      awaitQuiet: async () => {
        await sleepBeating(500);
        return { quiet: true };
      },
      watchHealth: async ({ phase }) => {
        const next = troubles.get(phase);
        if (next === undefined) return untilCancelled();
        troubles.delete(phase);
        await sleepBeating(100);
        return next;
      },
      verifyControlPlane: async () => {
        await sleepBeating(300);
        return { findings: [], passedCount: 6 };
      },
      watchDrift: async () => {
        // The first look ends when the roll is held.
        if ((rolls += 1) === 1) return untilCancelled();
        await sleepBeating(500);
        return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
      },
    },
    (run) =>
      run.finish((gate, seen) =>
        gate.id.startsWith('alerts')
          ? undefined
          : choosing({ 'health:control-plane@1.32#1': 'continue', 'health:karpenter-drift@1.32#1': 'keep-watching' })(gate, seen),
      ),
  );
}

/** The cluster's own state: trouble that is said, shown at a gate, and over. */
export function stateWatched(): Story {
  const steps = plan(['pre-checks', 'control-plane', 'karpenter-drift', 'validation']);
  const key = 'attach Deployment shop/web';
  const title = 'Deployment shop/web: a volume cannot be attached';
  const held: TroubleState = { known: { [key]: { stage: 'said', sinceMs: 0, seenMs: 0, title, line: `${title} for 6 min` } }, unseen: [] };
  const news: { state: TroubleState; news: TroubleNews }[] = [
    { state: held, news: { ...NO_NEWS, fresh: [`${title} for 6 min`] } },
    {
      state: { known: {}, unseen: ['events cannot be watched'] },
      news: { fresh: [], solved: [title], unseen: ['events cannot be watched'] },
    },
  ];
  return told(
    fakeActivities({ plan: steps, policy: quickPolicy({ watch: true }) }),
    {
      watchCluster: async () => {
        await sleepBeating(100);
        return news.shift() ?? untilCancelled();
      },
      awaitUpdate: async () => {
        await sleepBeating(500);
        return { status: 'Successful', errors: [] };
      },
    },
    (run) => run.finish(),
  );
}
