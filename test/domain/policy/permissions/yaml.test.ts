/** What `belay permissions` prints for kubectl reads back as what it was written from. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { policiesAsYaml } from '../../../../domain/policy/permissions/yaml.ts';

test('objects read back, whatever their values are', () => {
  const objects = [
    {
      kind: 'Policy',
      spec: {
        text: 'plain',
        like: ['true', 'no', '1.33', '', 'a: b', '# none', '*'],
        lines: 'first\n  second: {}\nthird',
        is: { number: 3, decimal: 0.5, yes: true, no: false, nothing: null },
        empty: {},
        none: [],
        maps: [
          { name: 'a', values: ['x'] },
          { name: 'b', under: { on: true, deep: [{ n: 1 }] } },
        ],
      },
    },
    { kind: 'Binding' },
  ];
  const text = policiesAsYaml(objects);
  expect(parseAllDocuments(text).map((document): unknown => document.toJS())).toEqual(objects);
  expect(text).toMatch(/\n---\nkind: Binding\n$/);
});
