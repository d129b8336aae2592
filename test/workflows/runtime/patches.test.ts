/** Every patch of workflow code is in the registry, and every entry is in use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PATCHES, type Patch } from '../../../workflows/runtime/patches.ts';

const folder = fileURLToPath(new URL('../../../workflows/', import.meta.url));
const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** One line for each patch without an entry, each entry without a patch, and each id that is not a literal. */
function problems(files: readonly { name: string; text: string }[], registry: readonly Patch[]): string[] {
  const calls = files.flatMap(({ name, text }) =>
    [...text.matchAll(/\b(?:patched|deprecatePatch)\(\s*(?:'([^']*)')?/g)].map(([, id]) => ({ name, id })),
  );
  const ids = registry.map(({ id }) => id);
  return [
    ...calls
      .filter(({ id }) => id === undefined || !ids.includes(id))
      .map(({ name, id }) => `${name}: ${id ?? 'no literal id'} is not registered`),
    ...ids.filter((id) => !calls.some((call) => call.id === id)).map((id) => `${id} is registered and not used`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is registered twice`),
  ];
}

test('the registry and the code agree', () => {
  expect(code.length).toBeGreaterThan(100);
  expect(problems(code, PATCHES)).toEqual([]);
});

test('a patch that is not registered, and one that is not used, are found', () => {
  const entry = { id: 'b', why: 'w', since: '0.2.0', removableWhen: 'never' };
  const files = [{ name: 'a.ts', text: "if (patched('a')) return;\nif (patched(id)) return;" }];
  expect(problems(files, [entry])).toEqual([
    'a.ts: a is not registered',
    'a.ts: no literal id is not registered',
    'b is registered and not used',
  ]);
});
