/** Which file imports which, read from the sources: static and dynamic imports, and `import type`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export interface Import {
  from: string;
  to: string;
  line: number;
  typeOnly: boolean;
}

/** TypeScript files below a folder, as paths from `root` with slashes. */
export function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(root, path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

const SPECIFIER = /(?:\b(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?|\bimport\()'(\.{1,2}\/[^']+\.ts)'/g;

/** The relative imports of one file. */
export function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(SPECIFIER)].map((found) => ({
    from: file,
    to: posix.join(dirname(file), found[3] ?? ''),
    line: text.slice(0, found.index).split('\n').length,
    typeOnly: found[2] !== undefined,
  }));
}

/** Circles of files: groups in which each reaches each (Tarjan's strongly connected components), smallest first. */
export function circlesOf(imports: readonly Import[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.size - 1);
    stack.push(file);
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(file, Math.min(low.get(file) ?? 0, low.get(to) ?? 0));
    }
    if (low.get(file) !== index.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1 || next.get(file)?.has(file) === true) circles.push(circle.sort());
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return circles.sort((a, b) => a.length - b.length);
}
