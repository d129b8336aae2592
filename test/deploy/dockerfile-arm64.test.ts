/** What would be different about the image on arm64. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dockerfileLines, installedPackages, lockedPackages } from './dockerfile.ts';
import { root, textOf } from './files.ts';

describe('arm64', () => {
  test('no step names a processor', () => {
    expect(dockerfileLines.filter((line) => /amd64|arm64|x86|x64|aarch64|--platform/.test(line))).toEqual([]);
  });

  test('every package that is built for one processor is there for both, for the libc of the image', () => {
    const built = installedPackages.filter(
      ([path, { libc }]) => path.endsWith('-linux-x64-gnu') && (libc === undefined || libc.includes('glibc')),
    );
    expect(built.map(([path]) => path.split('node_modules/').at(-1))).toContain('@resvg/resvg-js-linux-x64-gnu');
    expect(built.filter(([path]) => lockedPackages[path.replace('x64', 'arm64')] === undefined)).toEqual([]);
    expect(textOf('deploy/Dockerfile')).toContain('-bookworm-slim');
  });

  test('so is Temporal’s core, which is no package of its own', () => {
    const builds = readdirSync(join(root, 'node_modules/@temporalio/core-bridge/releases'));
    expect(['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu'].filter((build) => !builds.includes(build))).toEqual([]);
  });
});
