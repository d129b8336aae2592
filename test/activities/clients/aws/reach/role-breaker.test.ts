/** A role that AWS refuses: who still asks for it, when, and what the others are told. */
import { describe, expect, test } from 'vitest';
import { createRoleBreaker } from '../../../../../activities/clients/aws/role-breaker.ts';
import { translateError } from '../../../../../activities/runtime/translate-errors.ts';
import { rejection } from '../../../../support/thrown.ts';

const ROLE = 'arn:aws:iam::444400000005:role/belay';
const START_MS = Date.parse('2026-09-08T09:12:05Z');

const HUB = 'arn:aws:sts::210987654321:assumed-role/hub/x';
const denied = () =>
  Object.assign(new Error(`User: ${HUB} is not authorized to perform: sts:AssumeRole on resource: ${ROLE}`), { name: 'AccessDenied' });
const away = () => Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });

function setUp() {
  const state = { nowMs: START_MS, asked: 0, answer: (): Promise<string> => Promise.reject(denied()) };
  const breaker = createRoleBreaker(() => state.nowMs);
  const ask = (key = ROLE): Promise<string> =>
    breaker.through(ROLE, key, () => {
      state.asked += 1;
      return state.answer();
    });
  return { state, ask };
}

describe('O35: a role that AWS refuses', () => {
  test('is not asked for again before its pause is over, and says since when and when it is tried next', async () => {
    const { state, ask } = setUp();
    expect(await rejection(ask())).toMatchObject({ name: 'AccessDenied' });
    state.nowMs += 10_000;
    expect(translateError(await rejection(ask()), `assuming ${ROLE}`)).toMatchObject({
      type: 'AccessDenied',
      nonRetryable: true,
      message: `assuming ${ROLE}: Belay has not asked AWS for role ${ROLE}: AWS has refused it since 2026-09-08 09:12:05 UTC, and the next try is at 2026-09-08 09:12:35 UTC (AccessDenied: ${denied().message}); allow sts:AssumeRole to who assumes the role, and name them in the role's trust policy (see deploy/)`,
    });
    expect(state.asked).toBe(1);
  });

  test('is tried by one after the pause, which others do not wait for, and is open to all once that one gets it', async () => {
    const { state, ask } = setUp();
    await rejection(ask());
    state.nowMs += 30_000;
    let give: (session: string) => void = () => {};
    state.answer = () =>
      new Promise((resolve) => {
        give = resolve;
      });
    const trial = ask();
    expect(await rejection(ask())).toMatchObject({
      name: 'RoleRefusedError',
      message: expect.stringContaining('the next try is being made now'),
    });
    expect(state.asked).toBe(2);
    give('session');
    expect(await trial).toBe('session');
    state.answer = () => Promise.resolve('another');
    expect(await Promise.all([ask(), ask()])).toEqual(['another', 'another']);
  });

  test('is tried more and more seldom, at least every five minutes', async () => {
    const { state, ask } = setUp();
    await rejection(ask());
    const triedAfter: number[] = [];
    for (let seconds = 1; seconds <= 1800; seconds += 1) {
      state.nowMs = START_MS + seconds * 1000;
      const before = state.asked;
      await rejection(ask());
      if (state.asked > before) triedAfter.push(seconds);
    }
    expect(triedAfter).toEqual([30, 90, 210, 450, 750, 1050, 1350, 1650]);
  });

  test('many that were under way together are one refusal', async () => {
    const { state, ask } = setUp();
    await Promise.all(Array.from({ length: 12 }, () => rejection(ask())));
    expect(state.asked).toBe(12);
    state.nowMs += 30_000;
    await rejection(ask());
    expect(state.asked).toBe(13);
  });

  test('leaves other roles alone', async () => {
    const { state, ask } = setUp();
    await rejection(ask());
    state.answer = () => Promise.resolve('session');
    expect(await ask('another')).toBe('session');
  });

  test.each([
    ['a time-out', away()],
    ['credentials that are missing', Object.assign(new Error('none'), { name: 'CredentialsProviderError' })],
    ['a mistake in the request', Object.assign(new Error('roleSessionName x is invalid'), { name: 'ValidationError' })],
  ])('%s says nothing about the role: everybody may ask again', async (_what, error) => {
    const { state, ask } = setUp();
    state.answer = () => Promise.reject(error);
    await rejection(ask());
    expect(await rejection(ask())).toBe(error);
    expect(state.asked).toBe(2);
  });

  test('a trial that is lost on the way may be repeated at once', async () => {
    const { state, ask } = setUp();
    await rejection(ask());
    state.nowMs += 30_000;
    state.answer = () => Promise.reject(away());
    await rejection(ask());
    state.answer = () => Promise.resolve('session');
    expect(await ask()).toBe('session');
  });
});
