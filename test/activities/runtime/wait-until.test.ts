import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../activities/runtime/context.ts';
import { pollIntervalMs } from '../../../domain/policy/policy.ts';
import { type WaitClock, waitUntil } from '../../../activities/runtime/wait-until.ts';

const TIMING = { pollMinMs: 1_000, pollMaxMs: 30_000, pollShare: 0.04, heartbeatTimeoutMs: 10_000, apiTransientMs: 60_000 };

/** Time passes only by sleeping. */
function fakeClock(startMs = 0): WaitClock & { sleeps: number[]; at: number } {
  return {
    at: startMs,
    sleeps: [],
    nowMs() {
      return this.at;
    },
    async sleep(ms) {
      this.sleeps.push(ms);
      this.at += ms;
    },
  };
}

const onTransient = () => ApplicationFailure.retryable('reading: the connection was refused', 'Unavailable');

test.each([
  [0, 1_000],
  [25_000, 1_000],
  [100_000, 4_000],
  [600_000, 24_000],
  [3_600_000, 30_000],
])('after %i ms the next look is %i ms away', (elapsedMs, intervalMs) => {
  expect(pollIntervalMs(TIMING, elapsedMs)).toBe(intervalMs);
});

describe('waitUntil', () => {
  test('notices the end of a long step within five per cent of its length', async () => {
    const clock = fakeClock();
    const endMs = 11 * 60_000;
    let noticedMs = 0;
    await waitUntil(
      { timing: TIMING, timeoutMs: 3_600_000, doing: 'waiting' },
      async () => {
        noticedMs = clock.at;
        return clock.at >= endMs ? { done: true, value: 'x' } : { done: false };
      },
      clock,
    );
    expect((noticedMs - endMs) / endMs).toBeLessThan(0.05);
  });

  test('looks once more at the deadline, then gives the last note', async () => {
    const clock = fakeClock();
    const looks: number[] = [];
    const result = await waitUntil(
      { timing: TIMING, timeoutMs: 2_500, doing: 'waiting' },
      async (elapsedMs) => {
        looks.push(elapsedMs);
        return { done: false, note: 'in progress' };
      },
      clock,
    );
    expect(result).toEqual({ kind: 'timed-out', lastNote: 'in progress' });
    expect(looks).toEqual([0, 1_000, 2_000, 2_500]);
  });

  test('transient is "not yet" for as long as it may last, and is over after one good look', async () => {
    const clock = fakeClock();
    let looks = 0;
    const result = await waitUntil(
      { timing: TIMING, timeoutMs: 3_600_000, doing: 'waiting' },
      async () => {
        looks += 1;
        // Twice 50 s of transient with one good look in between: never 60 s in a row.
        if (clock.at < 50_000 || (clock.at > 51_000 && clock.at < 100_000)) throw onTransient();
        return clock.at > 100_000 ? { done: true, value: looks } : { done: false };
      },
      clock,
    );
    expect(result.kind).toBe('done');
  });

  test('transient that lasts longer is thrown', async () => {
    const clock = fakeClock();
    const waiting = waitUntil(
      { timing: TIMING, timeoutMs: 3_600_000, doing: 'waiting' },
      async () => {
        throw onTransient();
      },
      clock,
    );
    await expect(waiting).rejects.toMatchObject({ type: 'Unavailable' });
    expect(clock.at).toBeGreaterThanOrEqual(60_000);
    expect(clock.at).toBeLessThan(65_000);
  });

  test('what trying again cannot help is thrown at once', async () => {
    const clock = fakeClock();
    const denied = ApplicationFailure.nonRetryable('reading: no', 'AccessDenied');
    await expect(waitUntil({ timing: TIMING, timeoutMs: 10_000, doing: 'waiting' }, () => Promise.reject(denied), clock)).rejects.toBe(
      denied,
    );
    expect(clock.sleeps).toEqual([]);
  });

  test('throttling is given the time it asks for', async () => {
    const clock = fakeClock();
    let looks = 0;
    await waitUntil(
      { timing: TIMING, timeoutMs: 60_000, doing: 'waiting' },
      async () => {
        looks += 1;
        if (looks === 1) throw ApplicationFailure.create({ type: 'Throttled', nextRetryDelay: 9_000 });
        return { done: true, value: 1 };
      },
      clock,
    );
    expect(clock.sleeps).toEqual([9_000]);
  });

  test('T1: the clock goes on over attempts, the time between them included', async () => {
    const clock = fakeClock(1_000_000);
    const lastBeat = { kind: 'waiting', doing: 'waiting', elapsedMs: 300_000, atMs: 900_000 };
    let first = -1;
    await runWithin({ lastBeat }, () =>
      waitUntil(
        { timing: TIMING, timeoutMs: 3_600_000, doing: 'waiting' },
        async (elapsedMs) => {
          first = elapsedMs;
          return { done: true, value: 1 };
        },
        clock,
      ),
    );
    expect(first).toBe(400_000);
  });

  test("another wait's clock is not taken over", async () => {
    const clock = fakeClock(1_000_000);
    const lastBeat = { kind: 'waiting', doing: 'something else', elapsedMs: 300_000, atMs: 900_000 };
    const result = await runWithin({ lastBeat }, () =>
      waitUntil({ timing: TIMING, timeoutMs: 3_600_000, doing: 'waiting' }, async (elapsedMs) => ({ done: true, value: elapsedMs }), clock),
    );
    expect(result).toEqual({ kind: 'done', value: 0 });
  });

  test('heartbeats say where it stands', async () => {
    const clock = fakeClock(5_000);
    const beats: unknown[] = [];
    await runWithin({ beat: (details) => beats.push(details) }, () =>
      waitUntil(
        { timing: TIMING, timeoutMs: 1_000, doing: 'waiting', details: () => ({ updateId: 'u1' }) },
        async () => ({ done: false, note: 'in progress' }),
        clock,
      ),
    );
    expect(beats.at(-1)).toEqual({
      kind: 'waiting',
      doing: 'waiting',
      elapsedMs: 1_000,
      atMs: 6_000,
      note: 'in progress',
      details: { updateId: 'u1' },
    });
  });

  test('a probe that takes long does not silence the heartbeat', async () => {
    const beats: unknown[] = [];
    await runWithin({ beat: (details) => beats.push(details) }, () =>
      waitUntil({ timing: { ...TIMING, heartbeatTimeoutMs: 60 }, timeoutMs: 60_000, doing: 'waiting' }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 800));
        return { done: true, value: 1 };
      }),
    );
    expect(beats.length).toBeGreaterThan(3);
  });

  test('cancelling ends it, from within the sleep', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const waiting = runWithin({ signal: controller.signal }, () =>
      waitUntil({ timing: TIMING, timeoutMs: 60_000, doing: 'waiting' }, async () => ({ done: false })),
    );
    await expect(waiting).rejects.toBeInstanceOf(CancelledFailure);
  });
});
