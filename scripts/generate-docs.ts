/** Writes the documents that code knows better than people: configuration, schema, commands, checks, rules, phases. A test compares them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedDocuments } from './docs/documents.ts';

const root = new URL('../', import.meta.url);
mkdirSync(new URL('deploy/two-roles/', root), { recursive: true });
for (const { path, text } of await generatedDocuments()) writeFileSync(new URL(path, root), text);
// JSON is laid out as the formatter wants it.
const formatter = fileURLToPath(new URL('node_modules/.bin/biome', root));
const { status } = spawnSync(formatter, ['format', '--write', '--log-level=error', 'docs', 'deploy'], {
  cwd: fileURLToPath(root),
  stdio: 'inherit',
});
if (status !== 0) throw new Error('biome could not format docs/ and deploy/two-roles/.');
