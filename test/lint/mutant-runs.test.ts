/** Which guards `npm run test:mutants` says that tests hold, in a small project with tests of its own. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardsOf, mutated } from '../../scripts/mutants/guards.ts';
import { isMissed, record, type Recorded, replaced } from '../../scripts/mutants/runs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = `export const sign = (of: number): string => (of < 0 ? '-' : '+');
export const size = (of: number): string => (of > 9 ? 'large' : 'small');
export const word = (of: number): string => (of === 0 ? 'none' : 'some');
export function unused(of: number): string {
  if (of === 7) return 'lucky';
  return '';
}
`;
const TESTS = {
  'domain/near.test.ts': "test('sign', () => { expect([sign(-1), unused(1)]).toEqual(['-', '']); size(1); });",
  'far.test.ts': "test('sign too', () => { expect(sign(1)).toBe('+'); });",
  'process.test.ts': `test('word', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', "require('./domain/numbers.ts').word(0)"]);
  expect(stdout).toBe('none\\n');
  expect(typeof word).toBe('function');
});`,
};
const guards = guardsOf('domain/numbers.ts', SOURCE);

let copy: string;
let recorded: Recorded;
beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'belay-mutant-runs-')));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  cpSync(join(ROOT, 'scripts/mutants'), join(copy, 'scripts/mutants'), { recursive: true });
  const write = (file: string, text: string): void => {
    mkdirSync(join(copy, file, '..'), { recursive: true });
    writeFileSync(join(copy, file), text);
  };
  write('package.json', '{ "type": "module" }');
  write('vitest.config.mjs', `export default { root: '${copy}', test: { include: ['test/**/*.test.ts'] } };\n`);
  write('domain/numbers.ts', SOURCE);
  for (const [file, body] of Object.entries(TESTS)) {
    const imports = [
      `import { execFile } from 'node:child_process';`,
      `import { promisify } from 'node:util';`,
      `import { expect, test } from 'vitest';`,
      `import { sign, size, unused, word } from '${copy}/domain/numbers.ts';`,
    ];
    write(`test/${file}`, `${imports.join('\n')}\n${body}\n`);
  }
  recorded = record(copy, guards);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('test files are known by the guards that they reach; the source is as it was', () => {
  const named = [...recorded.reaching].map(([{ condition }, paths]) => [condition, paths.map((path) => basename(path)).toSorted()]);
  expect(named).toEqual([
    ['of < 0', ['far.test.ts', 'near.test.ts']],
    ['of > 9', ['near.test.ts']],
    ['of === 0', []],
    ['of === 7', []],
  ]);
  expect(recorded.failing).toEqual([]);
  expect(readFileSync(join(copy, 'domain/numbers.ts'), 'utf8')).toBe(SOURCE);
});

test.each([
  ['of < 0', true],
  ['of > 9', false],
  ['of === 0', true],
  ['of === 7', false],
])('%s: %s', (condition, missed) => {
  const guard = guards.find((each) => each.condition === condition);
  if (guard === undefined) throw new Error(condition);
  const restore = replaced(join(copy, guard.file), (text) => mutated(text, guard));
  expect(isMissed(copy, guard, recorded)).toBe(missed);
  restore();
});
