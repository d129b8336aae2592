/** deploy/SECURITY.md says who cannot do what; each such line names a test, which exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rows = readFileSync(join(root, 'deploy/SECURITY.md'), 'utf8')
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Titles of all tests, as they are written. */
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.endsWith('security.test.ts'))
  .map((name) => readFileSync(join(root, 'test', name), 'utf8'))
  .join('\n');

test('RS1: everything that somebody cannot do is held by a test', () => {
  expect(rows?.length).toBeGreaterThan(10);
  for (const [, who, , cannot, heldBy = ''] of rows ?? []) {
    const title = /^`([^`]+)`$/.exec(heldBy)?.[1] ?? '(none)';
    expect([who, cannot, title, tests.includes(`'${title}'`)]).toEqual([who, cannot, title, true]);
  }
});
