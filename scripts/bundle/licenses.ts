/** LICENSES.txt of a bundle: licences go where the code goes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputChunk } from 'rolldown';

/** Of every package that code in the chunks is from. */
export function licensesOf(chunks: readonly OutputChunk[]): string {
  const packages = new Set(
    chunks.flatMap(({ moduleIds }) => moduleIds.flatMap((id) => /^\/.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])),
  );
  return [...packages]
    .sort()
    .map((folder) => `${titleOf(folder)}\n\n${licenseOf(folder)}`)
    .join(`\n${'-'.repeat(80)}\n`);
}

function titleOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  return `${name} ${version}: ${license}`;
}

function licenseOf(folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
}
