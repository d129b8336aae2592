/** Reading the repository's own files in tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Every document of a YAML file, as plain values. Throws for broken YAML. */
export function yamlOf(path: string): unknown[] {
  return parseAllDocuments(textOf(path)).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message ?? 'broken'}`);
    return document.toJS();
  });
}

/** Paths of TypeScript files below folders, with their text. */
export function sourcesIn(...folders: readonly string[]): { path: string; text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`)
      .sort()
      .map((path) => ({ path, text: textOf(path) })),
  );
}
