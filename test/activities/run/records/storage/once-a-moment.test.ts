/** One write serves a wave of changes; a store that is away is asked each time. */
import { expect, test } from 'vitest';
import { onceAMoment } from '../../../../../activities/run/records/storage/once-a-moment.ts';

test('O32: a look serves what is asked for with it and shortly after, and no longer', async () => {
  let [lookCount, nowMs] = [0, 0];
  const look = onceAMoment(
    async () => void (lookCount += 1),
    () => nowMs,
  );
  await Promise.all([look(), look(), look()]);
  nowMs = 4_999;
  await look();
  expect(lookCount).toBe(1);
  nowMs = 5_000;
  await look();
  expect(lookCount).toBe(2);
});

test('O32: what failed is looked at anew by whoever comes next', async () => {
  let away = true;
  const look = onceAMoment(
    async () => {
      if (away) throw new Error('away');
    },
    () => 0,
  );
  await expect(look()).rejects.toThrow('away');
  await expect(look()).rejects.toThrow('away');
  away = false;
  await look();
  away = true;
  await look();
});
