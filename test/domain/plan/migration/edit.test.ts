/** Edits of an object: what is not there is not taken away, and no parent stays behind empty. */
import { expect, test } from 'vitest';
import { applyEdits, type Edit } from '../../../../domain/plan/migration/edit.ts';

const OBJECT = { kind: 'NodePool', spec: { weight: 10, disruption: { expireAfter: '720h' }, taints: [{ key: 'gpu' }, { key: 'spot' }] } };
const why = '';

test.each<[string, Edit, object]>([
  ['an item of a list', { op: 'remove', path: ['spec', 'taints', 0], why }, { ...OBJECT.spec, taints: [{ key: 'spot' }] }],
  ['what is below nothing', { op: 'remove', path: ['spec', 'template', 'labels', 'team'], why }, OBJECT.spec],
  ['what is below a value', { op: 'remove', path: ['spec', 'weight', 'unit'], why }, OBJECT.spec],
  ['nothing at all', { op: 'remove', path: [], why }, OBJECT.spec],
  ['a value that is not there to be moved', { op: 'move', path: ['spec', 'template', 'a'], to: ['spec', 'b'], why }, OBJECT.spec],
  [
    'the last key of its parent, moved to a place that is new',
    { op: 'move', path: ['spec', 'disruption', 'expireAfter'], to: ['spec', 'template', 'spec', 'expireAfter'], why },
    { weight: 10, taints: OBJECT.spec.taints, template: { spec: { expireAfter: '720h' } } },
  ],
])('%s', (_what, edit, spec) => {
  const before = structuredClone(OBJECT);
  expect(applyEdits(OBJECT, [edit])).toEqual({ kind: 'NodePool', spec });
  expect(OBJECT).toEqual(before);
});
