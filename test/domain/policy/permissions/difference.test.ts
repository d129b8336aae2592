/** Which fields of an object were changed although they may not. */
import { expect, test } from 'vitest';
import { annotations, type Fields } from '../../../../domain/policy/permissions/fields.ts';
import { strayFields } from '../../../../domain/policy/permissions/difference.ts';

const MAY: Fields = { metadata: annotations('belay.dev/run'), spec: { replicas: 'any', budgets: { items: ['nodes'] } } };
const BEFORE = {
  metadata: { name: 'default', annotations: { team: 'shop' } },
  spec: { replicas: 1, budgets: [{ nodes: '10%' }, { nodes: '0', schedule: 'nightly' }], weight: 10 },
};
const spec = (change: object): object => ({ ...BEFORE, spec: { ...BEFORE.spec, ...change } });

test.each<[string, unknown, string[]]>([
  ['nothing', BEFORE, []],
  [
    'all that may',
    {
      metadata: { name: 'default', annotations: { team: 'shop', 'belay.dev/run': 'r' } },
      spec: { ...BEFORE.spec, replicas: 2, budgets: [{ nodes: '0' }, { nodes: '0', schedule: 'nightly' }] },
    },
    [],
  ],
  ['a field beside them', spec({ weight: 11 }), ['spec.weight']],
  ['a field that is gone', spec({ weight: undefined }), ['spec.weight']],
  ['somebody else’s annotation', { ...BEFORE, metadata: { name: 'default', annotations: { team: 'pay' } } }, ['metadata.annotations.team']],
  ['another key of a list’s item', spec({ budgets: [{ nodes: '10%' }, { nodes: '0', schedule: 'always' }] }), ['spec.budgets[]']],
  ['a list that has become shorter', spec({ budgets: [{ nodes: '10%' }] }), ['spec.budgets']],
  ['a list that has become longer', spec({ budgets: [...BEFORE.spec.budgets, { nodes: '10%' }] }), ['spec.budgets']],
])('%s', (_what, after, stray) => {
  expect(strayFields(BEFORE, after, MAY)).toEqual(stray);
});
