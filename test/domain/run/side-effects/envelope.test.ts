/** Whether an activity has found side effects: results of its own are never taken for that. */
import { expect, test } from 'vitest';
import { effectsIn, hasEffects, withEffects } from '../../../../domain/run/side-effects/envelope.ts';
import type { SideEffect } from '../../../../domain/run/side-effects/side-effect.ts';

const EFFECT: SideEffect = {
  resource: { eks: 'add-on', cluster: 'prod', name: 'coredns' },
  during: 'the update',
  differences: [],
  moreCount: 1,
};

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'done'],
  ['a list', [EFFECT]],
  ['a result', { kind: 'done' }],
  ['a result that names them otherwise', { result: 'done', belaySideEffects: 'none' }],
])('%s has none', (_what, result) => {
  expect(hasEffects(result)).toBe(false);
});

test.each([undefined, null, 'done', { kind: 'done' }])('what travels with them is given back: %j', (result) => {
  const answer: unknown = JSON.parse(JSON.stringify(withEffects(result ?? null, [EFFECT])));
  if (!hasEffects(answer)) throw new Error('they are lost');
  expect([answer.result, effectsIn(answer)]).toEqual([result ?? null, [EFFECT]]);
});
