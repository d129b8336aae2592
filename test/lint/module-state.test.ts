/** State in a module that workflows share is named, with file and line; what only looks like it is not. */
import { expect, test } from 'vitest';
import { moduleStateOf } from '../../scripts/lint/module-state.ts';

const WHY = 'workflows share this module: keep it in a workflowLocal, or in a function';

test.each([
  ['a variable', "import 'x';\nexport let count = 0;\n", [`a.ts:2 count can change, and ${WHY}`]],
  ['a set that grows', 'const seen = new Set();\nexport const note = (id) => seen.add(id);\n', [`a.ts:2 seen is changed, and ${WHY}`]],
  [
    'an object that is written into',
    'const state = { n: 0 };\nfunction f() {\n  state.n += 1;\n}\n',
    [`a.ts:3 state is changed, and ${WHY}`],
  ],
  ['a cache by key', 'const cache = {};\nfunction f(key) {\n  return (cache[key] ??= key);\n}\n', [`a.ts:3 cache is changed, and ${WHY}`]],
  [
    'a table of another module',
    "import { type Row, ROWS } from './rows.ts';\nexport const f = (row: Row) => ROWS.push(row);\n",
    [`a.ts:2 ROWS is changed, and ${WHY}`],
  ],
])('%s', (_, text, breaches) => expect(moduleStateOf('a.ts', text)).toEqual(breaches));

test.each([
  ['a table that is read', "const ROWS = new Map([['a', 1]]);\nexport const a = ROWS.get('a') === 1;\n"],
  ['what belongs to an object', 'const known = new WeakSet<object>();\nexport const note = (it: object) => known.add(it);\n'],
  ['a variable of a function', 'export function f() {\n  let n = 0;\n  const all = [];\n  all.push(n);\n  return all;\n}\n'],
  ['a field of the same name', 'const seen = [];\nexport const f = (it) => it.seen.push(1);\n'],
  ['a comparison', 'const ROW = { a: 1 };\nexport const f = () => ROW.a === 1 || ROW.a >= 1;\n'],
])('%s is no state of the module', (_, text) => expect(moduleStateOf('a.ts', text)).toEqual([]));
