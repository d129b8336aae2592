/** The plan of the house bites: whatever breaks it is named, with file and line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { breachesOf } from '../../scripts/lint/check-house.ts';
import { MAX_LINES, type Wing } from '../../scripts/lint/rooms.ts';

const HOUSE: Readonly<Record<string, Wing>> = {
  low: { uses: [], rooms: { base: [], upper: ['base'] } },
  high: { uses: ['low/base', 'type:low/upper'], rooms: {} },
};
const IN_ORDER = {
  'low/README.md': '# low\n\nMay use: no other wing.\n',
  'low/base/README.md': '# low/base\n\nMay use in this wing: no other room.\n',
  'low/upper/README.md': '# low/upper\n\nMay use in this wing: base.\n',
  'high/README.md': '# high\n\nMay use: low/base, types of low/upper.\n',
  'low/base/a.ts': 'export const a = 1;\n',
  'low/upper/b.ts': "import { a } from '../base/a.ts';\nexport const b = a;\n",
  'high/c.ts': "import { a } from '../low/base/a.ts';\nimport type { b } from '../low/upper/b.ts';\nexport const c: typeof b = a;\n",
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'belay-house-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function breaches(changed: Record<string, string>): string[] {
  for (const [path, text] of Object.entries({ ...IN_ORDER, ...changed })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return breachesOf(root, HOUSE);
}

test('this house is in order', () => expect(breachesOf(fileURLToPath(new URL('../../', import.meta.url)))).toEqual([]));

test('a house in order has no breaches', () => expect(breaches({})).toEqual([]));

test.each([
  [
    'an import that runs back up',
    { 'low/base/a.ts': "import '../upper/d.ts';\n", 'low/upper/d.ts': 'export const d = 1;\n' },
    'low/base/a.ts:1 imports low/upper/d.ts: low/base may use no other room',
  ],
  [
    'a wing that uses another one',
    { 'low/base/e.ts': "export const e = 1;\nexport const f = import('../../high/c.ts');\n" },
    'low/base/e.ts:2 imports high/c.ts: low/ may use no other wing',
  ],
  [
    'a value where types alone are allowed',
    { 'high/d.ts': "import { b } from '../low/upper/b.ts';\nexport const d = b;\n" },
    'high/d.ts:1 imports low/upper/b.ts: high/ may use low/base, type:low/upper',
  ],
  [
    'a room that nobody planned',
    { 'low/attic/f.ts': "import { a } from '../base/a.ts';\nexport const f = a;\n" },
    'low/attic/f.ts:1 imports low/base/a.ts: low/attic is not a room of scripts/lint/rooms.ts',
  ],
  [
    'a circle, of types alone too',
    {
      'low/base/g.ts': "import type { H } from './h.ts';\nexport type G = H;\n",
      'low/base/h.ts': "import type { G } from './g.ts';\nexport type H = G[];\n",
    },
    'circle of files: low/base/g.ts, low/base/h.ts',
  ],
  [
    'a long file',
    { 'low/base/long.ts': 'export {};\n'.repeat(MAX_LINES + 1) },
    `low/base/long.ts has ${MAX_LINES + 1} lines: split it (at most ${MAX_LINES})`,
  ],
  [
    'a crowded folder',
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`low/base/n${index}.ts`, 'export {};\n'])),
    'low/base has 21 files: split it (at most 20)',
  ],
  [
    'a room whose README says something else',
    { 'low/upper/README.md': '# low/upper\n\nMay use in this wing: everything.\n' },
    'low/upper/README.md has to say: May use in this wing: base.',
  ],
])('%s is a breach', (_, changed, says) => {
  expect(breaches(changed)).toEqual([says]);
});
