/** How much history an upgrade leaves: two hops of a cluster with an Istio path of two canaries, run by today's code. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { plainHistory } from '../../replay/fixtures.ts';
import { seed002Facts } from '../../support/facts.ts';
import { fakeActivities, quickPolicy, withChange } from '../../support/fake-activities.ts';
import { planOf } from '../../support/plans.ts';
import { startTemporal } from '../../support/temporal.ts';
import { withUpgrade } from '../../support/upgrade.ts';

const KIB = 1024;

interface Payload {
  /** The workflow's type, and the event that carries it. */
  carrier: string;
  bytes: number;
  text: string;
}
interface Measured {
  /** By workflow id from the step on; "" is the run. */
  events: Map<string, number>;
  payloads: Payload[];
}

let env: TestWorkflowEnvironment;
let measured: Measured;

beforeAll(async () => {
  env = await startTemporal();
  const policy = quickPolicy({ managedBy: { controlPlane: 'eks', nodeGroups: 'eks', addOns: 'eks', karpenter: 'manual', istio: 'helm' } });
  const plan = planOf(seed002Facts(), '1.34', { policy });
  const fake = fakeActivities({ plan, policy });
  const activities = withChange(fake, {
    awaitKarpenterVersion: async ({ wanted }) => ({ version: wanted, timedOut: false }),
  });
  measured = await withUpgrade(
    env,
    activities,
    async (run) => {
      expect((await run.finish()).outcome).toBe('completed');
      return await historiesOf(run.workflowId, plan.steps.length + 1);
    },
    { target: '1.34' },
  );
}, 360_000);
afterAll(() => env.teardown());

/** Of the run and its steps; visibility lags behind. */
async function historiesOf(prefix: string, count: number): Promise<Measured> {
  const events = new Map<string, number>();
  const found: Payload[] = [];
  for (let looks = 0; looks < 100 && events.size < count; looks += 1) {
    for await (const { workflowId, runId, type } of env.client.workflow.list()) {
      const step = workflowId.slice(prefix.length);
      if (!workflowId.startsWith(prefix) || events.has(step)) continue;
      const history = await env.client.workflow.getHandle(workflowId, runId).fetchHistory();
      events.set(step, history.events?.length ?? 0);
      found.push(...payloads(plainHistory(history), type));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { events, payloads: found };
}

function payloads(history: unknown, type: string, event = ''): Payload[] {
  if (typeof history !== 'object' || history === null) return [];
  return Object.entries(history).flatMap(([key, inner]) => {
    if (key !== 'data' || typeof inner !== 'string') return payloads(inner, type, key.endsWith('EventAttributes') ? key : event);
    const text = Buffer.from(inner, 'base64').toString();
    return [{ carrier: `${type} ${event}`, bytes: text.length, text }];
  });
}

describe('the history of an upgrade over two hops', () => {
  test('T10: has a bounded number of events, over all its workflows and in each step', () => {
    const { events } = measured;
    const total = [...events.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeLessThanOrEqual(2000);
    // Two canaries of three waves with a gate each: the longest step.
    expect(Math.max(...[...events].filter(([step]) => step !== '').map(([, count]) => count))).toBeLessThanOrEqual(500);
  });

  test('T11: stays small: in all, by payload, and in what every step is given', () => {
    const all = measured.payloads;
    expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1024 * KIB);
    expect(Math.max(...all.map(({ bytes }) => bytes))).toBeLessThanOrEqual(64 * KIB);
    const given = all.filter(({ carrier }) => carrier.endsWith('startChildWorkflowExecutionInitiatedEventAttributes'));
    expect(given.length).toBeGreaterThan(10);
    expect(Math.max(...given.map(({ bytes }) => bytes))).toBeLessThanOrEqual(8 * KIB);
  });

  test('holds the plan three times only: where it is made, told and recorded', () => {
    const carriers = measured.payloads.filter(({ text }) => text.includes('"strategies":[')).map(({ carrier }) => carrier);
    expect(carriers.toSorted()).toEqual([
      'upgradeCluster activityTaskCompletedEventAttributes',
      'upgradeCluster activityTaskScheduledEventAttributes',
      'upgradeCluster activityTaskScheduledEventAttributes',
    ]);
  });
});
