/** How fast a throttled account is asked, and that others do not notice. */
import { afterEach, beforeEach, describe, expect, vi, test } from 'vitest';
import { createPace, type Pace } from '../../../../../activities/clients/aws/pace.ts';
import { translateError } from '../../../../../activities/runtime/translate-errors.ts';

const THROTTLED = { account: '111122223333', region: 'eu-west-1' };
const error = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

let pace: Pace;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-09-08T09:12:05Z') });
  pace = createPace();
});
afterEach(() => void vi.useRealTimers());

type Strategy = ReturnType<Pace>;

/** Calls that want to be sent; what has become of them so far. */
function callers(strategy: Strategy, count: number): { sent: number; failed: unknown[] } {
  const seen: { sent: number; failed: unknown[] } = { sent: 0, failed: [] };
  for (let each = 0; each < count; each += 1) {
    strategy.acquireInitialRetryToken('').then(
      () => (seen.sent += 1),
      (failed: unknown) => seen.failed.push(failed),
    );
  }
  return seen;
}

async function throttle(strategy: Strategy): Promise<void> {
  const token = await strategy.acquireInitialRetryToken('');
  const again = strategy.refreshRetryTokenForRetry(token as never, { errorType: 'THROTTLING', error: error as never });
  again.catch(() => {});
  await vi.advanceTimersByTimeAsync(3_000);
}

describe('O35: a service that throttles an account', () => {
  test('is asked at a slower pace by all clients of that account, and nobody else waits', async () => {
    await throttle(pace(THROTTLED, 'eks'));
    const slow = callers(pace(THROTTLED, 'eks'), 200);
    const others = [
      callers(pace({ ...THROTTLED, account: '444455556666' }, 'eks'), 200),
      callers(pace({ ...THROTTLED, region: 'eu-central-1' }, 'eks'), 200),
      callers(pace(THROTTLED, 'ec2'), 200),
    ];
    await vi.advanceTimersByTimeAsync(0);
    expect(others.map(({ sent }) => sent)).toEqual([200, 200, 200]);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(slow.sent).toBeGreaterThan(0);
    expect(slow.sent).toBeLessThan(30);
    expect(slow.failed).toEqual([]);
  });

  test('and whose queue is too long fails as throttled, so that a slot of the worker is free for other accounts', async () => {
    await throttle(pace(THROTTLED, 'eks'));
    const slow = callers(pace(THROTTLED, 'eks'), 200);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(slow.sent + slow.failed.length).toBe(200);
    expect(translateError(slow.failed[0], 'reading cluster prod')).toMatchObject({
      type: 'Throttled',
      nonRetryable: false,
      nextRetryDelay: expect.any(Number),
      message: expect.stringMatching(
        /^reading cluster prod: EKS throttles account 111122223333 in eu-west-1 since \d{4}-\d\d-\d\d 09:12:05 UTC, and \d+ calls wait for their turn$/,
      ),
    });
    // Those who have left take no turn of those who come.
    await vi.advanceTimersByTimeAsync(10_000);
    const next = callers(pace(THROTTLED, 'eks'), 3);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(next).toEqual({ sent: 3, failed: [] });
  });

  test('gets faster again while it answers, and ten minutes later is asked as before', async () => {
    const strategy = pace(THROTTLED, 'eks');
    await throttle(strategy);
    const answeredEachSecond: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      let answered = 0;
      for (let call = 0; call < 20; call += 1) {
        strategy.acquireInitialRetryToken('').then(
          (token) => {
            answered += 1;
            strategy.recordSuccess(token as never);
          },
          () => {},
        );
      }
      await vi.advanceTimersByTimeAsync(1_000);
      answeredEachSecond.push(answered);
    }
    expect(answeredEachSecond[0]).toBeLessThan(20);
    expect(answeredEachSecond.at(-1)).toBe(20);
    await vi.advanceTimersByTimeAsync(11 * 60_000);
    const later = callers(strategy, 200);
    await vi.advanceTimersByTimeAsync(0);
    expect(later.sent).toBe(200);
  });
});
