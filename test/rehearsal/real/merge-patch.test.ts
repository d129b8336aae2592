/** JSON merge patches of a difference. */
import { expect, test } from 'vitest';
import { mergePatch } from '../../../rehearsal/real/merge-patch.ts';

test.each([
  ['nothing differs', { a: { b: [1] } }, { a: { b: [1] } }, undefined],
  ['a value is new, one changes, one goes', { a: 1, b: 2 }, { b: 3, c: 4 }, { a: null, b: 3, c: 4 }],
  ['only what differs inside an object', { spec: { x: 1, y: 2 } }, { spec: { x: 1, y: 3 } }, { spec: { y: 3 } }],
  [
    'an array is replaced as a whole',
    { taints: [{ key: 'a' }] },
    { taints: [{ key: 'a' }, { key: 'b' }] },
    { taints: [{ key: 'a' }, { key: 'b' }] },
  ],
  ['an object where there was none', {}, { status: { amis: [] } }, { status: { amis: [] } }],
  ['an undefined field is no field', { a: 1 }, { a: undefined }, { a: null }],
])('%s', (_name, before, after, patch) => {
  expect(mergePatch(before, after)).toEqual(patch);
});
