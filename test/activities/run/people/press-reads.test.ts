/** Votes of one press share what is read of Slack; nobody else does. */
import { expect, test } from 'vitest';
import { PressReads } from '../../../../activities/run/people/press-reads.ts';

function counting() {
  const state = { reads: 0, down: false, members: ['U0SAM'], nowMs: 0 };
  const reads = new PressReads(
    {
      groups: {
        members: async () => {
          state.reads += 1;
          if (state.down) throw new Error('ratelimited');
          return state.members;
        },
      },
    },
    () => state.nowMs,
  );
  const members = async (press: string | undefined): Promise<string[] | undefined> => await reads.of(press).groups?.members('S0PLATFORM');
  return { state, members };
}

test('F32: three hundred votes of one press read a group once', async () => {
  const { state, members } = counting();
  await Promise.all(Array.from({ length: 300 }, () => members('press')));
  expect(state.reads).toBe(1);
});

test('another press, or a vote by itself, reads anew', async () => {
  const { state, members } = counting();
  await members('press');
  state.members = [];
  expect(await members('other')).toEqual([]);
  expect(await members(undefined)).toEqual([]);
  expect(await members(undefined)).toEqual([]);
  expect(state.reads).toBe(4);
});

test('who has left the group is out after a moment also in a press that lasts', async () => {
  const { state, members } = counting();
  await members('press');
  state.members = [];
  for (state.nowMs = 10_000; state.nowMs < 45_000; state.nowMs += 10_000) expect(await members('press')).toEqual(['U0SAM']);
  state.nowMs = 45_000;
  expect(await members('press')).toEqual([]);
});

test('what fails is not kept', async () => {
  const { state, members } = counting();
  state.down = true;
  await expect(members('press')).rejects.toThrow('ratelimited');
  state.down = false;
  expect(await members('press')).toEqual(['U0SAM']);
});
