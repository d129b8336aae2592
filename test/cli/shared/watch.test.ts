import { expect, test } from 'vitest';
import { watch, type Watched } from '../../../cli/shared/watch.ts';

/** What each look gives, and the last one for ever; how long was waited between them, and what was shown. */
async function watched(looks: (string | Error)[], more: Partial<Watched<string>> = {}, mostLooks = 12) {
  const stop = new AbortController();
  const [waits, shown]: [number[], string[]] = [[], []];
  let [looked, waitedMs] = [0, 0];
  const all: Watched<string> = {
    look: () => {
      if (looked > 0) waits.push(Math.round(waitedMs));
      waitedMs = 0;
      const next = looks[Math.min(looked, looks.length - 1)] ?? '';
      looked += 1;
      if (looked === mostLooks) stop.abort();
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    isOver: (value) => value === 'over',
    show: (value, trouble) => void shown.push(trouble === undefined ? value : `${value} (${trouble.why})`),
    transient: (error) => (error instanceof Error && error.message === 'away' ? error.message : undefined),
    pause: (ms) => {
      waitedMs += ms;
      return Promise.resolve();
    },
    ...more,
  };
  return { last: await watch(all, stop.signal), waits, shown };
}

test('a run that changes is looked at each second, a quiet one ever more seldom, and both are drawn each second', async () => {
  const { last, waits, shown } = await watched(['a', 'b', 'b', 'b', 'b', 'b', 'b', 'b', 'c', 'over']);
  expect({ last, waits }).toEqual({ last: 'over', waits: [1000, 1000, 1300, 1690, 2197, 2856, 3713, 4827, 1000] });
  expect(shown.filter((text) => text === 'b').length).toBeGreaterThan(14);
  expect(shown.at(-1)).toBe('over');
});

test('what Temporal knows without a worker changes seldom', async () => {
  const { waits } = await watched(['a', 'b', 'over'], { isSecondHand: () => true });
  expect(waits.slice(0, 2)).toEqual([5000, 5000]);
});

test('an end that only Temporal knows is the end at the third look: a worker that is busy may still say how it ended', async () => {
  const isSecondHand = (value: string): boolean => value !== 'how';
  const isOver = (value: string): boolean => value !== 'a';
  expect(await watched(['a', 'over'], { isSecondHand, isOver })).toMatchObject({ last: 'over', waits: [5000, 5000, 5000] });
  expect(await watched(['a', 'over', 'how'], { isSecondHand, isOver })).toMatchObject({ last: 'how', waits: [5000, 5000] });
});

test('Temporal away: the last picture stays, with why, and the looks become seldom', async () => {
  const away = new Error('away');
  const { last, waits, shown } = await watched(['a', away, away, away, away, away, 'over']);
  expect({ last, waits }).toEqual({ last: 'over', waits: [1000, 2000, 4000, 8000, 10_000, 10_000] });
  expect(shown).toContain('a (away)');
});

test('Temporal away from the beginning, and what is no outage, are failures', async () => {
  await expect(watched([new Error('away')])).rejects.toThrow('away');
  await expect(watched(['a', new Error('no such cluster')])).rejects.toThrow('no such cluster');
});

test('Ctrl-C waits for no answer', async () => {
  const stop = new AbortController();
  const looking = watch<string>(
    {
      look: () => new Promise(() => setImmediate(() => stop.abort())),
      isOver: () => false,
      show: () => undefined,
      transient: () => undefined,
    },
    stop.signal,
  );
  expect(await looking).toBeUndefined();
});
