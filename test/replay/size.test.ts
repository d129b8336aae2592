/** How much history an upgrade leaves, measured on a recorded rehearsal of two hops with an Istio path of two canaries. */
import { describe, expect, test } from '@jest/globals';
import { historyOf, readStory, thisRelease } from './fixtures.ts';

const recorded = readStory(thisRelease(), 'rehearsal-seed-002').filter(({ workflowType }) => workflowType !== 'planUpgrade');

const KIB = 1024;

/** Every payload of a history, with the event that carries it. */
function payloads(history: unknown, event = ''): { event: string; bytes: number; text: string }[] {
  if (typeof history !== 'object' || history === null) return [];
  return Object.entries(history).flatMap(([key, inner]) => {
    if (key !== 'data' || typeof inner !== 'string') return payloads(inner, key.endsWith('EventAttributes') ? key : event);
    const text = Buffer.from(inner, 'base64').toString();
    return [{ event, bytes: text.length, text }];
  });
}

describe('the history of seed-002', () => {
  test('T10: has a bounded number of events over all its workflows', () => {
    const events = recorded.map(
      ({ workflowId, history }) =>
        [workflowId.split('/').slice(4).join('/'), historyOf({ workflowId, workflowType: '', history }).events?.length ?? 0] as const,
    );
    const total = events.reduce((sum, [, count]) => sum + count, 0);
    expect(total).toBeLessThanOrEqual(2000);
    // Two canaries of three waves with a gate each: the longest step.
    expect(Math.max(...events.filter(([step]) => step !== '').map(([, count]) => count))).toBeLessThanOrEqual(500);
  });

  test('T11: stays small: in all, by payload, and in what every step is given', () => {
    const all = recorded.flatMap(({ history }) => payloads(history));
    expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1024 * KIB);
    expect(Math.max(...all.map(({ bytes }) => bytes))).toBeLessThanOrEqual(64 * KIB);
    const given = all.filter(({ event }) => event === 'startChildWorkflowExecutionInitiatedEventAttributes');
    expect(Math.max(...given.map(({ bytes }) => bytes))).toBeLessThanOrEqual(8 * KIB);
  });

  test('holds the plan three times only: where it is made, told and recorded', () => {
    const carriers = recorded.flatMap(({ workflowType, history }) =>
      payloads(history)
        .filter(({ text }) => text.includes('"strategies":['))
        .map(({ event }) => `${workflowType} ${event}`),
    );
    expect(carriers.toSorted()).toEqual([
      'upgradeCluster activityTaskCompletedEventAttributes',
      'upgradeCluster activityTaskScheduledEventAttributes',
      'upgradeCluster activityTaskScheduledEventAttributes',
    ]);
  });
});
