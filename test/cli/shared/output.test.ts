/** A file that an option names is tried before the work whose result goes there. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFor } from '../../../cli/program.ts';
import { refuseUnwritable } from '../../../cli/shared/output.ts';
import { failure } from '../../support/thrown.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-output-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what cannot be written is named with its option, and nothing is written by trying', () => {
  writeFileSync(join(folder, 'old.json'), '{}');
  for (const file of [undefined, join(folder, 'old.json'), join(folder, 'new.json')])
    expect(failure(() => refuseUnwritable('--json', file))).toBe('(nothing was thrown)');
  expect(failure(() => refuseUnwritable('--json', folder))).toBe(`--json ${folder} cannot be written (it is a folder); name another file.`);
  const lost = join(folder, 'no', 'such.json');
  expect(failure(() => refuseUnwritable('--json', lost))).toMatch(
    /^--json \S+such\.json cannot be written \(ENOENT.*\); name another file\.$/,
  );
  expect(readdirSync(folder)).toEqual(['old.json']);
});

// Both would go on to play or read a cluster for minutes, and lose what came of it.
test.each([
  ['--json', ['rehearse', '--json']],
  ['--endpoints', ['rehearse', '--world-only', '--endpoints']],
  ['--output', ['check', 'prod', '--region', 'eu-west-1', '--output']],
])('%s is refused before anything else is done', async (option, words) => {
  const args = [...words, join(folder, 'no', 'such.html')];
  const program = await programFor(args);
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(`${option} ${args.at(-1)} cannot be written`);
});
