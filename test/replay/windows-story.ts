/** A run that waits for the environment before it, for its windows, and is let through one, for the recording. */
import { DEFAULT_WINDOWS } from '../../domain/policy/config/defaults.ts';
import { CLUSTER } from '../support/facts.ts';
import { fakeActivities, quickPolicy, sleepBeating } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { choosing, type Story, told } from './story.ts';

const CLOSED = {
  kind: 'closed' as const,
  why: 'it is Thu 13:00 UTC, outside the maintenance windows (Sat 22:00–04:00 UTC)',
  now: '2026-01-15T13:00:00.000Z',
  opensAt: '2026-01-17T22:00:00.000Z',
  opensText: 'Sat 2026-01-17 22:00 UTC',
};

/** Parked before its start, its control plane and a wave of nodes; node groups and Istio go anyway. */
export function parked(): Story {
  const after = { environment: 'staging', clusters: [{ ...CLUSTER, name: 'staging' }], bakedDays: 3 };
  const steps = plan(['pre-checks', 'istio', 'freeze-drift', 'control-plane', 'node-groups', 'karpenter-drift', 'validation'], (s) =>
    s.params.phase === 'karpenter-drift' ? { ...s, params: { ...s.params, waves: { by: 'zone' } } } : s,
  );
  let looks = 0;
  const asked = new Map<string, number>();
  return told(
    fakeActivities({ plan: steps, policy: quickPolicy({ windows: DEFAULT_WINDOWS, after }) }),
    {
      makePlan: async () => ({ kind: 'plan', plan: steps, windows: { text: 'Sat 22:00–04:00 UTC', verdict: CLOSED, outside: 'queue' } }),
      judgeOrder: async () =>
        (looks += 1) > 1 ? { status: 'pass', lines: ['staging is at 1.32'] } : { status: 'fail', lines: ['staging is at 1.31'] },
      // Closed when first asked, by step and part.
      judgeWindow: async ({ phases, needMs }) => {
        const question = `${phases.join()} ${needMs}`;
        asked.set(question, (asked.get(question) ?? 0) + 1);
        return asked.get(question) === 1 ? CLOSED : { kind: 'open' };
      },
      awaitWindow: async ({ phases }) => {
        await sleepBeating(phases.includes('node-groups') && phases.length === 1 ? 60_000 : 300);
        return { opened: true };
      },
      holdWaves: async () => ({
        waves: [
          { name: 'eu-1b', nodeCount: 1 },
          { name: 'eu-1a', nodeCount: 2 },
        ],
      }),
    },
    (run) =>
      run.finish((gate) => {
        if (gate.id.startsWith('order')) return 'look-again';
        if (gate.id === 'window:node-groups@1.32#1') return 'go-anyway';
        return gate.id.startsWith('window') ? undefined : choosing({})(gate, 0);
      }),
  );
}
