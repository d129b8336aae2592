/** A worker that dies takes no look with it: the next attempt goes on from the heartbeat as Temporal keeps it. */
import { describe, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { HealthTrouble } from '../../../../activities/contract/health.ts';
import { createHealthActivities } from '../../../../activities/observe/health/index.ts';
import { USUAL_CHECK } from '../../../../domain/policy/config/health/health-defaults.ts';
import type { HealthCheck } from '../../../../domain/health/checks.ts';
import { policy as somePolicy } from '../../../support/facts.ts';

const { cluster, timing } = somePolicy();
const CHECK: HealthCheck = {
  ...USUAL_CHECK,
  name: 'latency',
  query: 'latency',
  failWhen: { kind: 'value', operator: '>', value: 1 },
  guards: ['control-plane'],
  intervalMs: 20,
  count: 5,
  failureLimit: 2,
  errorLimit: 3,
};
type Answer = number | 'silence';

/** One attempt; it is killed after so many answers, if it has not ended by then. `left`: as it comes back from Temporal. */
async function attempt(answers: Answer[], heartbeat: unknown, check: Partial<HealthCheck> = {}, transientMs = timing.apiTransientMs) {
  const env = new MockActivityEnvironment({ heartbeatDetails: heartbeat });
  let left: unknown;
  let asked = 0;
  env.on('heartbeat', (details: unknown) => void (left = JSON.parse(JSON.stringify(details))));
  const prometheus = {
    query: async () => {
      const answer = answers[asked];
      if (answer === undefined) {
        // The last heartbeat had all the looks before this one.
        env.cancel();
        throw new Error('killed');
      }
      asked += 1;
      if (answer === 'silence') throw new Error('connection refused');
      return [{ labels: {}, value: answer }];
    },
  };
  const activities = createHealthActivities({
    clusterPorts: async () => ({ kubernetes: undefined as never, prometheus }),
    judgeWindow: async () => ({ kind: 'open' }),
  });
  const input = {
    cluster,
    timing: { ...timing, apiTransientMs: transientMs },
    phase: 'control-plane' as const,
    checks: [{ check: { ...CHECK, ...check } }],
  };
  const watching: Promise<HealthTrouble> = env.run(activities.watchHealth, input);
  const trouble = await watching.catch(() => undefined);
  return { trouble, left, asked };
}

describe('a watch whose worker was killed', () => {
  test('counts on: two bad looks before and one after are three', async () => {
    const first = await attempt([6, 7], undefined);
    expect(first.trouble).toBeUndefined();
    const second = await attempt([8, 9, 9], first.left);
    expect(second.trouble).toMatchObject({ kind: 'fail', lines: ['latency: 8, limit > 1 (3 of the last 3 readings)'] });
    expect(second.asked).toBe(1);
    // The picture is of the whole watch.
    expect(second.trouble?.curves?.[0]?.points.map(([, seen]) => seen)).toEqual([6, 7, 8]);
  });

  test('silence is counted in a row over both', async () => {
    const first = await attempt([0, 'silence', 'silence', 'silence'], undefined);
    const second = await attempt(['silence', 0], first.left);
    expect(second.trouble).toMatchObject({ kind: 'inconclusive', lines: ['latency: connection refused (4 readings in a row)'] });
  });

  test('the API server has been away for as long as it has', async () => {
    const check = { apiServer: 'errors', errorLimit: 0 } as const;
    const first = await attempt(['silence', 'silence'], undefined, check, 150);
    expect(first.trouble).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Its time is over at the first look of the second worker.
    const second = await attempt(['silence'], first.left, check, 150);
    expect(second.trouble).toMatchObject({ kind: 'inconclusive' });
  });

  test.each<[string, unknown]>([
    ['none', undefined],
    ['of another wait', { kind: 'waiting', doing: 'waiting for a window', elapsedMs: 1, atMs: Date.now(), details: {} }],
    [
      'of a release that kept nothing',
      { kind: 'waiting', doing: `watching the health of ${cluster.name}`, elapsedMs: 1, atMs: Date.now() },
    ],
    ['without sense', { doing: `watching the health of ${cluster.name}`, details: { memory: { latency: { looks: 'many' } } } }],
  ])('a heartbeat %s: the watch begins anew', async (_, heartbeat) => {
    const { trouble, asked } = await attempt([6, 7, 8], heartbeat);
    expect([trouble?.kind, asked]).toEqual(['fail', 3]);
  });

  test('a look that JSON cannot say is left out, the others count', async () => {
    const first = await attempt([6, Number.POSITIVE_INFINITY], undefined);
    const second = await attempt([7, 8], first.left);
    expect(second.trouble).toMatchObject({ kind: 'fail', lines: ['latency: 8, limit > 1 (3 of the last 3 readings)'] });
  });
});
