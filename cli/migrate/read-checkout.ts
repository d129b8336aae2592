/** Files of a checkout that may hold manifests. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CliError } from '../shared/errors.ts';
import type { SourceFile } from './handmade.ts';
import { noSuchFolder } from '../messages/arguments.ts';

const MANIFESTS = /\.(?:ya?ml|json|tf|tftpl|tmpl|tpl)$/;
const PASSED_OVER = new Set(['.git', 'node_modules', '.terraform']);
/** Larger ones are data, not manifests. */
const LARGEST_BYTES = 2 * 1024 * 1024;

/** Paths are relative to the folder, in order. Throws a CliError where there is no such folder. */
export function readCheckout(folder: string): SourceFile[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new CliError(noSuchFolder(folder));
  return filesBelow(folder)
    .map((path) => ({ path: relative(folder, path), text: readFileSync(path, 'utf8') }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && MANIFESTS.test(entry.name) && statSync(path).size <= LARGEST_BYTES ? [path] : [];
  });
}
