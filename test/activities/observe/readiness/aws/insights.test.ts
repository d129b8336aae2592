/** Insights that EKS could not refresh: those of the last day count, older ones and none do not, and a moment's failure is tried again. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAllInsights } from '../../../../../activities/observe/readiness/aws/insights.ts';
import { CLUSTER } from '../../../../support/facts.ts';
import { type FakeEks, startFakeEks } from '../../../support/fake-eks.ts';
import { QUICK } from '../../../support/timing.ts';

const HOUR_S = 3_600;

let eks: FakeEks;
let refresh: unknown;
let refreshedHoursAgo: number[];
beforeEach(async () => {
  eks = await startFakeEks();
  const of = `/clusters/${CLUSTER.name}`;
  eks.extra = (method, path) => {
    if (path === `${of}/insights-refresh`) return method === 'POST' ? { status: 'IN_PROGRESS' } : refresh;
    if (path !== `${of}/insights`) return undefined;
    return {
      insights: refreshedHoursAgo.map((hours, index) => ({
        id: `i-${index}`,
        name: `insight ${index}`,
        lastRefreshTime: eks.nowSeconds - hours * HOUR_S,
        insightStatus: { status: 'PASSING' },
      })),
    };
  };
});
afterEach(() => eks.close());

const read = () => readAllInsights({ aws: eks.aws, ref: CLUSTER, timing: QUICK });
const FAILED = { status: 'FAILED', message: 'too many requests' };

test.each([
  { what: 'refreshed', answer: { status: 'COMPLETED' }, hours: [0, 48], oldest: 48 },
  { what: 'of the last day, though not refreshed', answer: FAILED, hours: [2, 24], oldest: 24 },
])('insights count: $what', async ({ answer, hours, oldest }) => {
  [refresh, refreshedHoursAgo] = [answer, hours];
  const { insights, refreshedAt } = await read();
  expect(insights.map(({ name, status }) => `${name}: ${status}`)).toEqual(['insight 0: PASSING', 'insight 1: PASSING']);
  expect(refreshedAt).toBe(new Date((eks.nowSeconds - oldest * HOUR_S) * 1000).toISOString());
});

test.each([
  { answer: FAILED, hours: [], why: 'there is none, and EKS could not refresh them (too many requests)' },
  { answer: { status: 'FAILED' }, hours: [2, 26], why: 'they are older than a day, and EKS could not refresh them (no reason given)' },
])('insights do not count: $why', async ({ answer, hours, why }) => {
  [refresh, refreshedHoursAgo] = [answer, hours];
  await expect(read()).rejects.toMatchObject({ message: `reading the insights of ${CLUSTER.name}: ${why}`, nonRetryable: true });
});

test('a refresh that fails for a moment is for another attempt, also where insights of the last day are there', async () => {
  refreshedHoursAgo = [2];
  const operation = `POST /clusters/${CLUSTER.name}/insights-refresh`;
  // More often than the client asks again by itself.
  eks.faults = Array.from({ length: 10 }, () => ({ operation, fault: 'ServerException' }));
  await expect(read()).rejects.toMatchObject({ type: 'Unavailable', nonRetryable: false });
});

test.each([
  { what: 'ended long ago', answer: () => ({ status: 'COMPLETED', endedAt: eks.nowSeconds - 48 * HOUR_S }) },
  { what: 'nobody asked for', answer: () => ({ status: 'COMPLETED' }) },
])('a refresh that EKS refuses is not taken for one that $what', async ({ answer }) => {
  [refresh, refreshedHoursAgo] = [answer(), [2, 48]];
  eks.faults = [{ operation: `POST /clusters/${CLUSTER.name}/insights-refresh`, fault: 'InvalidRequestException' }];
  await expect(read()).rejects.toMatchObject({
    message: expect.stringMatching(/they are older than a day, and refreshing the insights of prod: .*InvalidRequestException/),
    nonRetryable: true,
  });
});

// A refusal.
test('a refresh that ran already when ours was refused is as good as ours', async () => {
  [refresh, refreshedHoursAgo] = [{ status: 'COMPLETED', endedAt: eks.nowSeconds }, [0]];
  eks.faults = [{ operation: `POST /clusters/${CLUSTER.name}/insights-refresh`, fault: 'InvalidRequestException' }];
  expect(await read()).toMatchObject({ insights: [{ status: 'PASSING' }] });
});
