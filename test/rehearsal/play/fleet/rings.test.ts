/** Ring after ring, several at a time: nobody of a ring begins before the one before has ended, and no more than allowed are under way. */
import { expect, test } from '@jest/globals';
import { type Ring, ringByRing } from '../../../../rehearsal/play/fleet/rings.ts';
import { eventually } from '../../../support/eventually.ts';

/** Members that end when they are told to. */
function house() {
  const begun: string[] = [];
  const ends = new Map<string, { done: () => void; fail: (error: Error) => void }>();
  const run = (member: string): Promise<string> =>
    new Promise((resolve, reject) => {
      begun.push(member);
      ends.set(member, { done: () => resolve(`${member} done`), fail: reject });
    });
  return { begun, ends, run };
}

const RINGS: Ring<string>[] = [
  { name: 'dev', members: ['a', 'b', 'c'] },
  { name: 'staging', members: [] },
  { name: 'production', members: ['d'] },
];

test('the next begins when one has ended, the next ring when all have; results are in the order of the members', async () => {
  const { begun, ends, run } = house();
  const told: string[] = [];
  const onRing = ({ name }: Ring<string>, results: readonly string[]): void => void told.push(`${name}: ${results.join(', ')}`);
  const all = ringByRing(RINGS, { parallel: 2, run, onRing });
  await eventually(() => begun.length === 2);
  ends.get('b')?.done();
  await eventually(() => begun.length === 3);
  ends.get('c')?.done();
  expect([begun, told]).toEqual([['a', 'b', 'c'], []]);
  ends.get('a')?.done();
  await eventually(() => begun.includes('d'));
  ends.get('d')?.done();
  expect(await all).toEqual(['a done', 'b done', 'c done', 'd done']);
  expect(told).toEqual(['dev: a done, b done, c done', 'staging: ', 'production: d done']);
});

test('after an error nobody begins any more', async () => {
  const { begun, ends, run } = house();
  const all = ringByRing(RINGS, { parallel: 2, run, onRing: () => undefined });
  await eventually(() => begun.length === 2);
  ends.get('a')?.fail(new Error('it did not start'));
  await expect(all).rejects.toThrow('it did not start');
  ends.get('b')?.done();
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
});
