/** deploy/Dockerfile copies what exists, all that the code needs, and nothing that the build context leaves out. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dockerfileLines as lines } from './dockerfile.ts';
import { root, sourcesIn, textOf } from './files.ts';

const stages = lines.flatMap((line) => /^FROM (\S+) AS (\S+)$/.exec(line)?.slice(1, 3) ?? []);
/** Images that a build may give by digest, with their defaults. */
const defaults = new Map(
  lines
    .flatMap((line) => [/^ARG (\w+_IMAGE)=(\S+)$/.exec(line)?.slice(1, 3) ?? []].filter((pair) => pair.length === 2))
    .map(([name = '', image = '']) => [`\${${name}}`, image]),
);
const images = stages.filter((_, index) => index % 2 === 0).map((image) => defaults.get(image) ?? image);
const names = stages.filter((_, index) => index % 2 === 1);
/** Paths of the repository that are copied. */
const copied = lines
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));
const allowed = textOf('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

describe('deploy/Dockerfile', () => {
  test('every FROM has a name and a pinned image, or is an earlier stage', () => {
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(names.length);
    for (const [index, image] of images.entries()) {
      const earlier = names.slice(0, index).includes(image);
      expect({ image, pinned: earlier || /:\d[\w.-]*$/.test(image) }).toEqual({ image, pinned: true });
    }
  });

  test('RS18: every image from outside can be given by digest, and its tag names a patch version', () => {
    const outside = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
    for (const image of outside.filter((name) => !names.includes(name))) {
      expect(defaults.get(image)).toMatch(/:\d+\.\d+\.\d+(-[\w-]+)?$/);
    }
    expect(textOf('deploy/Dockerfile')).toContain('--build-arg NODE_IMAGE=');
  });

  test('the default target is the worker, for a user without rights', () => {
    expect(names.at(-1)).toBe('worker');
    expect(lines).toContain('USER node');
    expect(lines).toContain('CMD ["worker"]');
    expect(lines.find((line) => line.startsWith('ENTRYPOINT'))).toContain('"/app/cli/bin.mjs"');
  });

  test('Node is the one that the project pins', () => {
    const { devDependencies } = z.object({ devDependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf('package.json')));
    const node = `node:${devDependencies['node'] ?? '?'}-bookworm-slim`;
    expect(images.filter((image) => image.startsWith('node:'))).toEqual([node, node, node]);
  });

  test.each([...new Set(copied)])('COPY %s: exists, and the build context has it', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
    expect(allowed.filter((each) => path === each || path.startsWith(`${each}/`))).not.toEqual([]);
  });

  test('copies what a rehearsal reads of deploy/, as the package does', () => {
    const packed = [...textOf('scripts/compile.ts').matchAll(/'(deploy\/[^']+)'/g)].map(([, path]) => path);
    expect(packed).toContain('deploy/iam-policy-optional.json');
    expect(packed.filter((path) => !copied.includes(path ?? ''))).toEqual([]);
  });

  test('copies every folder of code', () => {
    const folders = readdirSync(root, { withFileTypes: true })
      .filter(
        (entry) =>
          entry.isDirectory() && !['node_modules', 'actions', 'site', 'test', 'scripts', 'docs', 'dist', 'coverage'].includes(entry.name),
      )
      .map(({ name }) => name)
      .filter((name) => sourcesIn(name).length > 0);
    expect(folders).toContain('workflows');
    expect(folders.filter((folder) => !copied.includes(folder))).toEqual([]);
  });
});
