/** When a session of a role is renewed, by whom, and what serves meanwhile. */
import { describe, expect, test } from 'vitest';
import { keepSession } from '../../../../../activities/clients/aws/kept-session.ts';
import { rejection } from '../../../../support/thrown.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function setUp(random = 0) {
  const state = { nowMs: 0, asked: 0, fails: false };
  const session = keepSession(
    async () => {
      state.asked += 1;
      if (state.fails) throw new Error('STS is away');
      return { accessKeyId: `ASIA${state.asked}`, expiration: new Date(state.nowMs + HOUR) };
    },
    { nowMs: () => state.nowMs, random: () => random },
  );
  /** What a call gets that is made then. */
  const at = async (ms: number, forceRefresh = false): Promise<string> => {
    state.nowMs = ms;
    const { accessKeyId } = await session(forceRefresh ? { forceRefresh } : undefined);
    // What it began beside its answer.
    await new Promise((resolve) => setImmediate(resolve));
    return accessKeyId;
  };
  return { state, session, at };
}

describe('O36: a session of an hour', () => {
  test.each([
    [0, 55],
    [0.5, 52.5],
    [1, 50],
  ])('is renewed five to ten minutes before it ends (%d: after %d min), while the old one serves', async (random, minutes) => {
    const { state, at } = setUp(random);
    expect(await at(0)).toBe('ASIA1');
    expect(await at(minutes * MINUTE - 1)).toBe('ASIA1');
    expect(state.asked).toBe(1);
    expect(await at(minutes * MINUTE)).toBe('ASIA1');
    expect(state.asked).toBe(2);
    expect(await at(minutes * MINUTE + 1)).toBe('ASIA2');
  });

  test('is asked for once by all who need it together', async () => {
    const { state, session } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => session()));
    expect(state.asked).toBe(1);
  });

  test('serves to its last minute where STS is away, which is asked every half minute', async () => {
    const { state, at } = setUp();
    await at(0);
    state.fails = true;
    for (let ms = 55 * MINUTE; ms < 59 * MINUTE; ms += 10_000) expect(await at(ms)).toBe('ASIA1');
    expect(state.asked).toBe(1 + 8);
    expect(await rejection(at(59 * MINUTE))).toMatchObject({ message: 'STS is away' });
    state.fails = false;
    expect(await at(59 * MINUTE + 1)).toMatch(/^ASIA/);
  });

  test('is replaced at once where AWS calls it ended, once for all calls that were refused together', async () => {
    const { state, at } = setUp();
    await at(0);
    expect(await at(10 * MINUTE, true)).toBe('ASIA2');
    expect(await at(10 * MINUTE + 5_000, true)).toBe('ASIA2');
    expect(state.asked).toBe(2);
    expect(await at(11 * MINUTE, true)).toBe('ASIA3');
  });

  test('that is being replaced is used by nobody who asks meanwhile', async () => {
    const { state, session } = setUp();
    await session();
    state.nowMs = 10 * MINUTE;
    const [refused, meanwhile] = await Promise.all([session({ forceRefresh: true }), session()]);
    expect([refused.accessKeyId, meanwhile.accessKeyId, state.asked]).toEqual(['ASIA2', 'ASIA2', 2]);
  });

  test('that is refused and cannot be replaced is no session', async () => {
    const { state, at } = setUp();
    await at(0);
    state.fails = true;
    expect(await rejection(at(10 * MINUTE, true))).toMatchObject({ message: 'STS is away' });
  });
});
