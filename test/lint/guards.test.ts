/** What `npm run test:mutants` takes for a guard, and how it takes it away. */
import { expect, test } from 'vitest';
import { type Guard, guardsOf, marked, mutated, sampled } from '../../scripts/mutants/guards.ts';

const CODE = `
type Maybe = string | undefined;
export function shown(text: Maybe, max: number): string {
  if (text === undefined) return '';
  if (text.length > (max as number)) {
    text = text.slice(0, max);
  } else text += '.';
  return text === '' ? 'nothing' : text;
}
export const isShort = (text: string): boolean => text !== '' && text.length < 3;
`;

test('guards that leave are removed, others are inverted; types are not looked at', () => {
  expect(guardsOf('a.ts', CODE).map(({ line, change, condition }) => `${line} ${change}: ${condition}`)).toEqual([
    '4 removed: text === undefined',
    '5 inverted: text.length > (max as number)',
    "8 inverted: text === ''",
    "10 inverted: text !== ''",
  ]);
});

test('one guard is changed, and nothing else', () => {
  const [first, second] = guardsOf('a.ts', CODE);
  const lines = (text: string): string[] => text.split('\n').filter((line) => !CODE.includes(line));
  expect(lines(mutated(CODE, first as Guard))).toEqual(["  if ((text === undefined) && Boolean('')) return '';"]);
  expect(lines(mutated(CODE, second as Guard))).toEqual(['  if (!(text.length > (max as number))) {']);
});

test('a mark tells that a guard was asked, or, where it would be removed, that it strikes', () => {
  const guards = guardsOf('a.ts', CODE);
  const lines = marked(CODE, new Map(guards.entries())).split('\n');
  expect(lines.filter((line) => !CODE.includes(line))).toEqual([
    "  if (((text === undefined) && (globalThis.guardReached?.(0) ?? true))) return '';",
    '  if ((globalThis.guardReached?.(1), (text.length > (max as number)))) {',
    "  return (globalThis.guardReached?.(2), (text === '')) ? 'nothing' : text;",
    "export const isShort = (text: string): boolean => (globalThis.guardReached?.(3), (text !== '')) && text.length < 3;",
  ]);
});

test('a guard within another one is marked as well', () => {
  const code = 'export const one = (a, b, c) => ((a ? b : c) ? 1 : 2);';
  const guards = guardsOf('a.ts', code);
  expect(guards.map(({ condition }) => condition)).toEqual(['a ? b : c', 'a']);
  expect(marked(code, new Map(guards.entries()))).toBe(
    'export const one = (a, b, c) => (((globalThis.guardReached?.(0), ((globalThis.guardReached?.(1), (a)) ? b : c))) ? 1 : 2);',
  );
});

test('a seed draws the same sample, another seed another one', () => {
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  expect(sampled(items, 20, 'a')).toEqual(sampled(items, 20, 'a'));
  expect(sampled(items, 20, 'a')).not.toEqual(sampled(items, 20, 'b'));
  expect(new Set(sampled(items, 1_000, 'a')).size).toBe(1_000);
});
