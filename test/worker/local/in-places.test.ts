/** Work on many clusters with few of them in one place. */
import { expect, test } from 'vitest';
import { inPlaces } from '../../../worker/local/in-places.ts';
import { eventually } from '../../support/eventually.ts';

const LIMITS = { place: (item: string) => item.charAt(0), perPlace: 2, atOnce: 3 };

test('no place has more than its share, the whole no more than its own, and a full place holds up no other', async () => {
  const open = new Map<string, () => void>();
  const started: string[] = [];
  const running = inPlaces(['a1', 'a2', 'a3', 'b1', 'b2'], LIMITS, (item) => {
    started.push(item);
    return new Promise<string>((resolve) => open.set(item, () => resolve(item.toUpperCase())));
  });
  await eventually(() => started.join() === 'a1,a2,b1');
  open.get('b1')?.();
  await eventually(() => started.join() === 'a1,a2,b1,b2');
  open.get('a2')?.();
  await eventually(() => started.join() === 'a1,a2,b1,b2,a3');
  for (const end of open.values()) end();
  expect(await running).toEqual(['A1', 'A2', 'A3', 'B1', 'B2']);
});

test('what fails rejects once what runs has ended, and nothing more is begun', async () => {
  const ended: string[] = [];
  const running = inPlaces(['a1', 'b1', 'a2', 'b2', 'c1'], { ...LIMITS, atOnce: 2 }, async (item) => {
    if (item === 'a1') throw new Error('no');
    await Promise.resolve();
    ended.push(item);
  });
  await expect(running).rejects.toThrow('no');
  expect(ended).toEqual(['b1']);
});

test('nothing to do is done', async () => {
  expect(await inPlaces([], LIMITS, async () => 1)).toEqual([]);
});
