/** Certificates that are renewed every hour leave no connection behind. */
import { expect, test } from 'vitest';
import { closeAllBut } from '../../worker/watch-connection.ts';

test('of many connections the newest stay, and one that is still held until it can be closed', async () => {
  const closed: string[] = [];
  let isHeld = true;
  const connection = (name: string) => ({
    close: async () => {
      if (name === 'b' && isHeld) throw new Error('a worker holds a reference to it');
      closed.push(name);
    },
  });
  const all = ['a', 'b', 'c', 'd'].map(connection);
  const [, b, c, d] = all;
  await closeAllBut(2, all);
  expect([closed, all]).toEqual([['a'], [b, c, d]]);
  isHeld = false;
  await closeAllBut(2, all);
  expect([closed, all]).toEqual([
    ['a', 'b'],
    [c, d],
  ]);
});
